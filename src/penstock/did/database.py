"""The database of a DID domain: SQLite or PostgreSQL, behind plain functions of a SQLAlchemy Connection.

A piece of work is one transaction. On an event loop `await database.run(work, …)` has one thread do it, so
that pieces are done in the order they were asked for; elsewhere `database.do(work, …)` does it here and now.
SQLite's transactions begin with the lock that writes, so whoever reads and then writes is alone meanwhile.
Who only reads has `database.read` and `await database.ask` for it, and waits for nobody who writes.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy import event, text
from sqlalchemy.pool import StaticPool

from penstock.errors import StoreError, Unavailable
from penstock.messaging.engine import READS, open_engine, translating

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from contextlib import AbstractContextManager

    from sqlalchemy import Executable
    from sqlalchemy.engine import Connection, Engine

    from penstock.messaging.layout import Layout

__all__ = ["DomainDatabase", "fetched"]

P = ParamSpec("P")
T = TypeVar("T")

#: Bytes of a page of SQLite's. Operations are about a thousand bytes, and come and go by the thousand: with
#: the usual 4,096 a batch takes a seventh longer to store, with 400,000 operations stored before.
PAGE: Final = 16_384
#: Memory of SQLite's for pages, in KiB: all that a batch changes has room there, and none is written twice.
CACHE_KIB: Final = 65_536
#: Pages that the log may have before they are copied to where they belong, 128 MiB of them. Batches change
#: the same pages of indexes again and again: with the usual 1,000 all of these would be copied after each.
#: Half or twice as much makes no difference that can be measured, with 400,000 operations stored before.
LOGGED: Final = 8192


class DomainDatabase:
    """A domain's records. `create` what is kept there before anything else, `close` it at the end.

    Args:
        database: A URL, or an engine that somebody else closes. One of SQLite must begin its transactions as
            those of `open_engine` do.
    """

    def __init__(self, database: str | Engine) -> None:
        self._is_own = isinstance(database, str)
        self.engine = (
            open_engine(database, what="domain records", setting="database")
            if isinstance(database, str)
            else database
        )
        if self._is_own and self.engine.dialect.name == "sqlite":
            # Before all else: the first thing that is written settles it.
            event.listen(self.engine, "connect", _set_up_sqlite, insert=True)
        # In memory there is one connection, whoever comes.
        is_shared = isinstance(self.engine.pool, StaticPool)
        self._alone: AbstractContextManager[Any] = Lock() if is_shared else nullcontext()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="domain-records")
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="domain-reader")

    def __repr__(self) -> str:
        return f"<DomainDatabase {self.engine.url.render_as_string(hide_password=True)}>"

    def create(self, *layouts: Layout) -> None:
        """Make the tables, or bring them to this version."""
        for layout in layouts:
            self.do(layout.upgrade)

    def do(self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do a piece of work in a transaction of its own.

        Raises:
            StoreError: the database could not do it; nothing was written.
        """
        with self._alone, translating("the domain's records"), self.engine.begin() as connection:
            return work(connection, *args, **kwargs)

    async def run(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """The same without blocking the event loop. Who is cancelled meanwhile cannot tell what became of it.

        Raises:
            StoreError: the database could not do it; nothing was written.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, partial(self.do, work, *args, **kwargs))

    def read(self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do a piece of work that writes nothing.

        Raises:
            StoreError: the database could not do it.
        """
        with self._alone, translating("the domain's records"), self.engine.connect() as connection:
            reading = connection.execution_options(**{READS: True})
            with reading.begin():
                return work(reading, *args, **kwargs)

    async def ask(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """The same without blocking the event loop.

        Raises:
            StoreError: the database could not do it.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._reader, partial(self.read, work, *args, **kwargs))

    async def check(self) -> None:
        """See that it is there, and lets itself be written.

        Raises:
            StoreError: it is not, or does not.
        """
        await self.run(_do_nothing)

    @asynccontextmanager
    async def blamed(self) -> AsyncIterator[None]:
        """In here a StoreError says that the database is away for everybody.

        If it is there, what was to be done is to blame, and is Unavailable: a queue that waited for the
        database because of it would wait for ever.

        Raises:
            StoreError: the database is away.
            Unavailable: it is there, and could not do this.
        """
        try:
            yield
        except StoreError as exc:
            await self.check()
            raise Unavailable(str(exc)) from exc

    def close(self) -> None:
        """Let go of it, when what was asked for is done."""
        self._thread.shutdown()
        self._reader.shutdown()
        if self._is_own:
            self.engine.dispose()


def fetched(connection: Connection, statement: Executable) -> Sequence[Any]:
    """All rows as the driver has them, where there are thousands: each of SQLAlchemy's own takes 0.5 µs."""
    result: Any = connection.execute(statement)
    found: Sequence[Any] = result.cursor.fetchall()
    return found


def _do_nothing(connection: Connection) -> None:
    connection.execute(text("SELECT 1"))


def _set_up_sqlite(connection: Any, _record: object) -> None:
    """For thousands of rows at a time. A database that is there keeps its own size of pages."""
    for name, value in {"page_size": PAGE, "cache_size": -CACHE_KIB, "wal_autocheckpoint": LOGGED}.items():
        connection.execute(f"PRAGMA {name} = {value}")
