"""A shared table with ten rows, and copies of it that differ, for the tests of reconciling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from penstock.outbox import Outbox, Reconciler, SharedTable, Told

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

THREADS = sa.Table(
    "threads",
    sa.MetaData(),
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("title", sa.String),
    sa.Column("views", sa.Integer),
)
ROWS = [{"id": number, "title": f"t{number}", "views": number} for number in range(10)]


class Shop:
    """A database with the table."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine: Engine = sa.create_engine(url)
        THREADS.metadata.create_all(self.engine)
        self.change(sa.insert(THREADS), ROWS)

    def change(self, *statement: Any) -> None:
        with self.engine.begin() as connection:
            connection.execute(*statement)

    def differ(self, *, updated: int, gone: int, more: int) -> Shop:
        """Have one row otherwise, one too few and one too many."""
        self.change(sa.update(THREADS).where(THREADS.c.id == updated).values(views=-1))
        self.change(sa.delete(THREADS).where(THREADS.c.id == gone))
        self.change(sa.insert(THREADS), {"id": more, "title": "more", "views": 0})
        return self

    def told(self) -> list[tuple[str, str, bytes, str]]:
        """What is in the outbox: exchange, type, body and id."""
        table = Outbox().table.c
        query = sa.select(table.exchange, table.type, table.body, table.id).order_by(table.sequence)
        with self.engine.connect() as connection:
            return [(row[0], row[1], bytes(row[2]), row[3]) for row in connection.execute(query)]

    def count(self) -> int:
        """How many that are."""
        with self.engine.connect() as connection:
            return connection.scalar(sa.select(sa.func.count()).select_from(Outbox().table)) or 0


def reconciler(shared: SharedTable | None = None) -> Reconciler:
    return Reconciler(Told(Outbox()), [shared or SharedTable(THREADS, exchange="commons")])
