"""Layouts: which tables a part keeps in a database, and how an older version's become today's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import BigInteger, Column, Integer, MetaData, String, Table, select, text, update

from penstock.errors import StoreTooNew
from penstock.messaging.engine import INSERTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.engine import Connection

__all__ = ["COUNTED", "Layout", "adding"]

#: A number that the database counts itself: SQLite does so only in an INTEGER.
COUNTED: Final = BigInteger().with_variant(Integer(), "sqlite")

#: Which version of each layout is there.
_layouts: Final = Table(
    "penstock_layouts",
    MetaData(),
    Column("name", String, primary_key=True),
    Column("version", Integer, nullable=False),
)
#: A lock of PostgreSQL's that nothing else takes.
_LOCK: Final = int.from_bytes(b"pen_lay")


@dataclass(frozen=True, slots=True)
class Layout:
    """The tables of one part, as they are today."""

    name: str
    tables: MetaData
    #: Each leads from one version to the next, the first from version 1; a new database needs none of them.
    steps: Sequence[Callable[[Connection], None]] = ()

    def upgrade(self, connection: Connection) -> None:
        """Bring the database to this version, within the transaction that the connection is in.

        Raises:
            StoreTooNew: a newer Penstock has written it.
        """
        if connection.dialect.name == "postgresql":
            # Two processes that start at once must not both create it.
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        _layouts.create(connection, checkfirst=True)
        fresh = INSERTS[connection.dialect.name](_layouts).values(name=self.name, version=0)
        connection.execute(fresh.on_conflict_do_nothing())
        mine = _layouts.c.name == self.name
        version = connection.execute(select(_layouts.c.version).where(mine)).scalar_one()
        newest = 1 + len(self.steps)
        if version > newest:
            raise StoreTooNew(
                f"{self.name} has layout {version}, and this Penstock knows up to {newest}: use the newer one"
            )
        if not version:
            self.tables.create_all(connection, checkfirst=False)
        else:
            for step in self.steps[version - 1 :]:
                step(connection)
        connection.execute(update(_layouts).where(mine).values(version=newest))


def adding(*columns: Column[Any]) -> Callable[[Connection], None]:
    """A step that gives columns to tables that are there; their rows have nothing in them."""

    def step(connection: Connection) -> None:
        for column in columns:
            kind = column.type.compile(connection.dialect)
            connection.exec_driver_sql(f"ALTER TABLE {column.table.name} ADD COLUMN {column.name} {kind}")

    return step
