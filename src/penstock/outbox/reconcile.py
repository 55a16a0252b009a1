"""Reconcile: after a migration, tell consumers whatever it changed in shared tables past the application.

All rows are compared with what consumers were last told, and the difference is added to the outbox as create,
update and delete messages. Some hundred rows at a time, each in a transaction of its own: memory stays small,
nobody waits long for a lock, and a run that was broken off is simply run again. For tables that one
process can read through; larger ones are a job for Spark.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select

from penstock.outbox.telling import is_after

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.engine import Connection

    from penstock.outbox.database import Database
    from penstock.outbox.shared_table import Change, SharedTable
    from penstock.outbox.telling import News, Told

__all__ = ["Reconciler"]

#: Rows in one transaction.
PAGE: Final = 500


class Reconciler:
    """Shared tables, and what consumers were told of them."""

    def __init__(self, told: Told, tables: Sequence[SharedTable]) -> None:
        self.told = told
        self.tables = tuple(tables)

    async def run(
        self,
        database: Database,
        *,
        is_dry: bool = False,
        assume_told: bool = False,
        on_change: Callable[[Change], object] = lambda _: None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> Counter[tuple[str, str]]:
        """Tell consumers all that they do not know, and count it by table and kind.

        Args:
            database: Where everything is.
            is_dry: Change and tell nothing, only count.
            assume_told: Take for told what is there, and tell nothing: for tables that consumers have
                copies of already when they are first looked after.
            on_change: Called with each change.
            on_progress: Told now and then how many rows were looked at, and of how many.
        """
        work = _Run(self.told, on_change)
        if on_progress is not None:
            total = await database.run(self._count)
            work.looked_at = lambda rows: on_progress(rows, total)
        if is_dry:
            work.spread = _leave
        elif assume_told:
            work.spread = self.told.remember
        for shared in self.tables:
            await work.through(database, shared)
        return work.counts

    def _count(self, connection: Connection) -> int:
        """How many rows there are to look at, there or told of; others may add to them meanwhile."""
        told = self.told.table
        names = [shared.name for shared in self.tables]
        queries = [select(func.count()).select_from(shared.table) for shared in self.tables]
        queries.append(select(func.count()).select_from(told).where(told.c.shared.in_(names)))
        return sum(connection.execute(query).scalar_one() for query in queries)


class _Run:
    """One run through the tables."""

    def __init__(self, told: Told, on_change: Callable[[Change], object]) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self.spread: Callable[[Connection, SharedTable, Sequence[News]], None] = told.spread
        #: Told how many rows were looked at so far.
        self.looked_at: Callable[[int], object] = lambda _: None
        self._rows_seen = 0
        self._told = told
        self._on_change = on_change

    async def through(self, database: Database, shared: SharedTable) -> None:
        """First the rows that are there, then those that consumers were told of."""
        key: Sequence[Any] | None = ()
        while key is not None:
            key = await database.run(self._rows, shared, key)
        last: str | None = ""
        while last is not None:
            last = await database.run(self._gone, shared, last)

    def _rows(
        self, connection: Connection, shared: SharedTable, after: Sequence[Any]
    ) -> Sequence[Any] | None:
        """One page of rows that are there; returns the key of the last, None at the end."""
        self._told.lock(connection)
        query = select(*shared.columns).order_by(*shared.key).limit(PAGE).with_for_update(key_share=True)
        rows = connection.execute(query.where(is_after(shared, after)) if after else query).all()
        self._settle(connection, shared, self._told.news_of_rows(connection, shared, rows))
        self._see(len(rows))
        return rows[-1][: len(shared.key)] if len(rows) == PAGE else None

    def _gone(self, connection: Connection, shared: SharedTable, after: str) -> str | None:
        """One page of rows that consumers were told of; returns the key of the last, None at the end."""
        self._told.lock(connection)
        page = self._told.news_of_keys(connection, shared, after, PAGE)
        self._settle(connection, shared, page.news)
        self._see(page.size)
        return page.last

    def _see(self, rows: int) -> None:
        self._rows_seen += rows
        self.looked_at(self._rows_seen)

    def _settle(self, connection: Connection, shared: SharedTable, news: Sequence[News]) -> None:
        for each in news:
            self.counts[shared.name, each.change.kind] += 1
            self._on_change(each.change)
        self.spread(connection, shared, news)


def _leave(_connection: Connection, _shared: SharedTable, _news: Sequence[News]) -> None:
    """Nothing is written."""
