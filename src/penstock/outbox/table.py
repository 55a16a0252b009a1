"""The outbox's tables: what is to be published, and whose turn it is to publish it.

They are made in the application's own database, beside its own tables, so that one transaction can hold
both. Knows columns, not what is done with them.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    literal_column,
)

__all__ = ["SET_ASIDE", "WAITING", "outbox_table", "turn_table"]

#: `relayed` of a row that waits; from 1 on it is how often the row was published.
WAITING: Final = 0
#: `relayed` of a row that no longer holds up the others, until somebody puts it back.
SET_ASIDE: Final = -1

#: SQLite counts by itself only in an INTEGER.
_SEQUENCE: Final = BigInteger().with_variant(Integer(), "sqlite")


def outbox_table(name: str, metadata: MetaData) -> Table:
    """One row for each message.

    - sequence: their order, as added; never used again after a row is gone.
    - id, type, exchange, key, body: of the message; the rest of it is in `envelope` (envelope.py).
    - priority: higher goes first; 0 is usual.
    - relayed, relayed_at: how often, and when last.
    - attempts, error: how often it could not be published since it last was, and why not.
    - added_at, relayed_at: seconds since the epoch.
    """
    table = Table(
        name,
        metadata,
        Column("sequence", _SEQUENCE, Identity(always=True), primary_key=True),
        Column("id", String, nullable=False),
        Column("type", String, nullable=False),
        Column("exchange", String, nullable=False),
        Column("key", String, nullable=False),
        Column("priority", SmallInteger, nullable=False),
        Column("body", LargeBinary, nullable=False),
        Column("envelope", LargeBinary, nullable=False),
        Column("added_at", Double, nullable=False),
        Column("relayed", Integer, nullable=False),
        Column("attempts", Integer, nullable=False),
        Column("relayed_at", Double),
        Column("error", Text),
        sqlite_autoincrement=True,
    )
    # Written as a literal: a plan with a parameter in its place could not use the index.
    waiting = table.c.relayed == literal_column(str(WAITING))
    Index(
        f"{name}_waiting",
        table.c.priority.desc(),
        table.c.sequence,
        postgresql_where=waiting,
        sqlite_where=waiting,
    )
    # No index by id: it would make relaying half as dear again, for a search that hardly ever happens.
    return table


def turn_table(name: str, metadata: MetaData) -> Table:
    """One row: the relay that works now, and until when the others leave it to it (SQLite; claims.py)."""
    return Table(
        f"{name}_turn",
        metadata,
        Column("id", Integer, primary_key=True, autoincrement=False),
        Column("holder", String, nullable=False),
        Column("until", Double, nullable=False),
    )
