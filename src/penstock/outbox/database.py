"""The application's database behind one interface, whether its engine is synchronous or asynchronous.

Work is a plain function of a SQLAlchemy Connection, written once. An asynchronous engine runs it as it runs
all of SQLAlchemy; for a synchronous one there is a thread, one and always the same, so that nothing blocks
the event loop, statements keep their order and SQLite's connections stay where they were opened.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

from sqlalchemy.ext.asyncio import AsyncEngine

from penstock.errors import OutboxError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from sqlalchemy.engine import Connection, Engine
    from sqlalchemy.ext.asyncio import AsyncConnection

__all__ = ["Database", "Steps"]

P = ParamSpec("P")
T = TypeVar("T")

#: The dialects whose locks and conflicts the statements here know.
KNOWN = ("postgresql", "sqlite")


class Steps(Protocol):
    """A transaction that is under way."""

    async def run(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do the next thing in it."""
        ...


class Database:
    """An engine. `async with database.transaction() as steps: await steps.run(work, …)`."""

    def __init__(self, engine: Engine | AsyncEngine) -> None:
        self.engine = engine
        self.dialect = engine.dialect.name
        if self.dialect not in KNOWN:
            raise OutboxError(f"an outbox is kept in PostgreSQL or SQLite, not in {self.dialect}")
        # Whatever the application's own level is: who waits for a lock must see what its last holder did.
        self._options: dict[str, Any] = {"isolation_level": "READ COMMITTED"} if self.is_postgresql else {}
        #: Made when it is first needed; an asynchronous engine never needs it.
        self._thread: ThreadPoolExecutor | None = None

    @property
    def is_postgresql(self) -> bool:
        """Whether rows can be locked, and roles told apart."""
        return self.dialect == "postgresql"

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Steps]:
        """All steps, or none if an error leaves the block."""
        if isinstance(self.engine, AsyncEngine):
            async with self.engine.connect() as connection:
                await connection.execution_options(**self._options)
                async with connection.begin():
                    yield _Awaited(connection)
            return
        steps = _Threaded(await self._in_thread(self._connect, self.engine), self._in_thread)
        try:
            yield steps
            await steps.commit()
        finally:
            await steps.close()

    async def run(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """One piece of work in a transaction of its own."""
        async with self.transaction() as steps:
            return await steps.run(work, *args, **kwargs)

    def close(self) -> None:
        """End the thread. The engine is the application's, and stays open."""
        if self._thread is not None:
            self._thread.shutdown()
            self._thread = None

    def _connect(self, engine: Engine) -> Connection:
        return engine.connect().execution_options(**self._options)

    async def _in_thread(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "penstock-outbox")
        # A thread cannot be stopped: whoever is cancelled leaves when it is done, and cleans up behind it.
        done = asyncio.wrap_future(self._thread.submit(work, *args, **kwargs))
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            await asyncio.wait([done])
            raise


class _Awaited:
    """The steps of an asynchronous engine."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def run(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        return await self._connection.run_sync(work, *args, **kwargs)


class _Threaded:
    """The steps of a synchronous engine."""

    def __init__(self, connection: Connection, in_thread: Callable[..., Awaitable[Any]]) -> None:
        self._connection = connection
        self._in_thread = in_thread

    async def run(
        self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        done: T = await self._in_thread(work, self._connection, *args, **kwargs)
        return done

    async def commit(self) -> None:
        await self._in_thread(self._connection.commit)

    async def close(self) -> None:
        """Roll back what was not committed, and give the connection back."""
        await self._in_thread(self._connection.close)
