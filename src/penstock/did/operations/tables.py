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
    select,
)

from penstock.did.operations.did_key import did_key
from penstock.messaging.layout import COUNTED, Layout

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["OPERATIONS", "did_operations", "look_over", "unpublished_operations"]

_metadata = MetaData()

#: The columns are an Anchored's, and two more; equivalents and anchor_origin are JSON.
#: - id: in the order they were stored in.
#: - did_key: which DID it is of (did_key.py).
did_operations: Final = Table(
    "penstock_did_operations",
    _metadata,
    Column("id", COUNTED, Identity(), primary_key=True),
    Column("did_key", BigInteger, nullable=False),
    Column("suffix", String, nullable=False),
    Column("reference", String, nullable=False),
    Column("type", String, nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("protocol_version", BigInteger, nullable=False),
    Column("previous", String, nullable=False),
    Column("equivalents", Text, nullable=False),
    Column("anchor_origin", Text, nullable=False),
    Column("verified", Boolean, nullable=False),
    Column("request", LargeBinary, nullable=False),
    Index("penstock_did_operations_by_did", "did_key"),
)

#: - id: the operation queue's.
#: - expires_at: from then on it counts for nothing, and may go.
unpublished_operations: Final = Table(
    "penstock_unpublished_operations",
    _metadata,
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

#: Rows that are brought on at a time.
PIECE: Final = 1000


def look_over(connection: Connection) -> None:
    """Have PostgreSQL see how many operations there are by now.

    It does so by itself, a minute or two after many have come; until then it reads a million rows to find
    those of fifty DIDs.
    """
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"ANALYZE {did_operations.name}")


def _give_keys(connection: Connection) -> None:
    """The first layout had no keys of DIDs, and found operations by suffix and reference."""
    connection.exec_driver_sql(f"ALTER TABLE {did_operations.name} RENAME TO penstock_did_operations_1")
    did_operations.create(connection)
    names = [column.name for column in did_operations.c if column.name not in {"id", "did_key"}]
    columns = (Column(name, did_operations.c[name].type) for name in names)
    old = Table("penstock_did_operations_1", MetaData(), *columns)
    with connection.execute(select(old), execution_options={"yield_per": PIECE}) as found:
        for rows in found.mappings().partitions():
            keyed = [{**row, "did_key": did_key(row["suffix"])} for row in rows]
            connection.execute(did_operations.insert(), keyed)
    old.drop(connection)
    look_over(connection)


OPERATIONS: Final = Layout("operations", _metadata, steps=[_give_keys])
