"""The table of dead letters, in SQLite or PostgreSQL, and its versions.

The layout is the sum of STEPS, each of which leads to the next version. Databases that are newer are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import (
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    inspect,
    select,
    text,
    update,
)

from penstock.errors import StoreTooNew

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

__all__ = ["STEPS", "letters", "upgrade"]

_metadata = MetaData()

letters: Final = Table(
    "penstock_dead_letters",
    _metadata,
    Column("consumer", Text, primary_key=True),
    Column("message_id", Text, primary_key=True),
    Column("queue", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("type", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("content_type", Text, nullable=False),
    Column("content_encoding", Text),
    Column("app_id", Text),
    #: typed_json.py
    Column("headers", Text, nullable=False),
    Column("correlation_id", Text),
    Column("reply_to", Text),
    Column("priority", Integer),
    Column("published_at", Double, nullable=False),
    Column("exchange", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("error", Text, nullable=False),
    Column("error_class", Text, nullable=False),
    Column("trace", Text, nullable=False),
    #: What it follows from is in the row; it is here to be grouped by.
    Column("group", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("first_failure", Double, nullable=False),
    Column("last_failure", Double, nullable=False),
    Column("redriven", Integer, nullable=False),
    Column("redriven_at", Double),
    Column("state", Text, nullable=False),
    Column("retry_of", Text),
    Column("retried_as", Text),
    Index("penstock_dead_letters_by_group", "state", "group"),
    Index("penstock_dead_letters_by_time", "state", "last_failure"),
)

_versions: Final = Table(
    "penstock_dead_letters_version", _metadata, Column("version", Integer, nullable=False)
)

#: A lock of PostgreSQL's that nothing else takes: the table's name in ASCII, cut.
_LOCK: Final = int.from_bytes(b"pen_dlq")


def _version_1(connection: Connection) -> None:
    letters.create(connection)


#: What leads from one version to the next; the first leads to version 1.
STEPS: Final[Sequence[Callable[[Connection], None]]] = (_version_1,)


def upgrade(connection: Connection) -> None:
    """Bring the database to this version, within the transaction that the connection is in.

    Raises:
        StoreTooNew: a newer Penstock has written it.
    """
    if connection.dialect.name == "postgresql":
        # Two processes that start at once must not both create it.
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    if not inspect(connection).has_table(_versions.name):
        _versions.create(connection)
        connection.execute(_versions.insert().values(version=0))
    version = connection.execute(select(_versions.c.version)).scalar_one()
    if version > len(STEPS):
        raise StoreTooNew(
            f"the dead letters have layout {version}, and this Penstock knows up to {len(STEPS)}: "
            "use the newer one"
        )
    for step in STEPS[version:]:
        step(connection)
    connection.execute(update(_versions).values(version=len(STEPS)))
