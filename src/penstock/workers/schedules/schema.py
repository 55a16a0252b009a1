"""The table of schedules, in SQLite or PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import Column, Double, Index, Integer, LargeBinary, MetaData, Table, Text, text

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["create", "schedules"]

_metadata: Final = MetaData()

schedules: Final = Table(
    "penstock_schedules",
    _metadata,
    # `job <key>` or `cron <name>`: the two cannot take each other's place.
    Column("key", Text, primary_key=True),
    Column("due_at", Double, nullable=False),
    Column("version", Integer, nullable=False),
    #: Until then a scheduler is at it.
    Column("claimed_until", Double, nullable=False),
    #: Of a cron: the expression that due_at was found with.
    Column("cron", Text),
    # Of a job
    Column("job", Text),
    Column("queue", Text),
    Column("body", LargeBinary),
    Column("priority", Integer),
    Index("penstock_schedules_by_time", "due_at"),
)

#: A lock of PostgreSQL's that nothing else takes: the table's name in ASCII, cut.
_LOCK: Final = int.from_bytes(b"pen_sch")


def create(connection: Connection) -> None:
    """Make the table if it is not there."""
    if connection.dialect.name == "postgresql":
        # Two processes that start at once must not both create it.
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    _metadata.create_all(connection)
