"""The tables of DIDs' operations: those observed in anchored batches, and those not anchored yet.

An anchor's operations are stored once, all together, by whoever observes it (observing/storing.py); an
operation that is not anchored is known by the hash of its request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Identity,
    Index,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

from penstock.messaging.layout import COUNTED

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["did_batches", "did_operations", "look_over", "metadata", "unpublished_operations"]

metadata: Final = MetaData()

#: What all operations of an anchor have in common, once: half of what there is to say of one. The columns are
#: an Anchored's; equivalents is JSON.
did_batches: Final = Table(
    "penstock_did_batches",
    metadata,
    Column("id", COUNTED, Identity(), primary_key=True),
    Column("time", BigInteger, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("protocol_version", BigInteger, nullable=False),
    Column("reference", String, nullable=False),
    Column("equivalents", Text, nullable=False),
)

#: The other columns of an Anchored, and three more; anchor_origin is JSON.
#: - id: in the order they were stored in.
#: - did_key: which DID it is of (did_key.py).
#: - batch: the number of its batch.
did_operations: Final = Table(
    "penstock_did_operations",
    metadata,
    Column("id", COUNTED, Identity(), primary_key=True),
    Column("did_key", BigInteger, nullable=False),
    Column("batch", BigInteger, nullable=False),
    Column("suffix", String, nullable=False),
    Column("type", String, nullable=False),
    Column("previous", String, nullable=False),
    Column("anchor_origin", Text, nullable=False),
    Column("verified", Boolean, nullable=False),
    Column("request", LargeBinary, nullable=False),
    Index("penstock_did_operations_by_did", "did_key"),
)

#: - id: the operation queue's.
#: - expires_at: from then on it counts for nothing, and may go.
unpublished_operations: Final = Table(
    "penstock_unpublished_operations",
    metadata,
    Column("id", String, primary_key=True),
    Column("suffix", String, nullable=False),
    Column("type", String, nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("protocol_version", BigInteger, nullable=False),
    Column("anchor_origin", Text, nullable=False),
    Column("request", LargeBinary, nullable=False),
    Column("expires_at", Double, nullable=False),
    Index("penstock_unpublished_operations_by_did", "suffix"),
    Index("penstock_unpublished_operations_by_end", "expires_at"),
)


def look_over(connection: Connection) -> None:
    """Have PostgreSQL see how many operations there are by now.

    It does so by itself, a minute or two after many have come; until then it reads a million rows to find
    those of fifty DIDs.
    """
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"ANALYZE {did_operations.name}, {did_batches.name}")
