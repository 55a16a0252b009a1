"""The tables of DIDs' operations: those observed in anchored batches, and those not anchored yet.

Their keys are what makes storing idempotent: an anchor holds one operation of a DID at most, and an operation
that is not anchored is known by the hash of its request.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, Double, Index, LargeBinary, MetaData, String, Table, Text

from penstock.messaging.layout import Layout

__all__ = ["OPERATIONS", "did_operations", "unpublished_operations"]

_metadata = MetaData()

#: The columns are an Anchored's; equivalents and anchor_origin are JSON. SQLite keeps the rows as they come
#: and the key beside them: if rows stood in the order of the key, a batch would take three times as long.
did_operations: Final = Table(
    "penstock_did_operations",
    _metadata,
    Column("suffix", String, primary_key=True),
    Column("reference", String, primary_key=True),
    Column("type", String, nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("protocol_version", BigInteger, nullable=False),
    Column("previous", String, nullable=False),
    Column("equivalents", Text, nullable=False),
    Column("anchor_origin", Text, nullable=False),
    Column("verified", Boolean, nullable=False),
    Column("request", LargeBinary, nullable=False),
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


OPERATIONS: Final = Layout("operations", _metadata)
