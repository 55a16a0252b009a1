from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from penstock.errors import OutboxError
from penstock.outbox.database import Database

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sqlalchemy.engine import Connection, Engine

NUMBERS = sa.Table("numbers", sa.MetaData(), sa.Column("n", sa.Integer))


def write(connection: Connection, n: int) -> None:
    connection.execute(sa.insert(NUMBERS), {"n": n})


def read(connection: Connection) -> list[int]:
    return list(connection.scalars(sa.select(NUMBERS.c.n).order_by(NUMBERS.c.n)))


@pytest.fixture(params=["sync", "async"])
def chosen(request: pytest.FixtureRequest, engine: Engine, async_engine: AsyncEngine) -> Engine | AsyncEngine:
    NUMBERS.metadata.create_all(engine)
    return engine if request.param == "sync" else async_engine


def tell(engine: Engine | AsyncEngine, story: Callable[[Database], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        database = Database(engine)
        try:
            return await story(database)
        finally:
            database.close()
            if isinstance(engine, AsyncEngine):
                await engine.dispose()

    return asyncio.run(run())


def test_steps_are_committed_together(chosen: Engine | AsyncEngine, engine: Engine) -> None:
    async def story(database: Database) -> None:
        async with database.transaction() as steps:
            await steps.run(write, 1)
            with engine.connect() as other:
                assert read(other) == []
            await steps.run(write, n=2)
        assert await database.run(read) == [1, 2]

    tell(chosen, story)


def test_an_error_leaves_nothing(chosen: Engine | AsyncEngine) -> None:
    async def story(database: Database) -> None:
        with pytest.raises(LookupError):  # noqa: PT012  the error comes in mid-transaction
            async with database.transaction() as steps:
                await steps.run(write, 1)
                raise LookupError
        assert await database.run(read) == []

    tell(chosen, story)


def test_who_is_cancelled_in_a_thread_leaves_when_it_is_done(engine: Engine) -> None:
    NUMBERS.metadata.create_all(engine)
    entered, go_on = threading.Event(), threading.Event()

    def slow(connection: Connection) -> None:
        entered.set()
        go_on.wait()
        write(connection, 1)

    async def story(database: Database) -> list[int]:
        work = asyncio.create_task(database.run(slow))
        await asyncio.to_thread(entered.wait)
        work.cancel()
        await asyncio.sleep(0)
        assert not work.done()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await work
        return await database.run(read)

    assert tell(engine, story) == []


def test_a_database_tells_its_kind(engine: Engine) -> None:
    assert Database(engine).is_postgresql == (engine.dialect.name == "postgresql")


def test_the_level_of_isolation_is_the_least(postgresql_engine: Engine) -> None:
    strict = postgresql_engine.execution_options(isolation_level="SERIALIZABLE")

    async def story(database: Database) -> Any:
        return await database.run(lambda c: c.scalar(sa.text("SHOW transaction_isolation")))

    assert tell(strict, story) == "read committed"


def test_other_databases_are_refused() -> None:
    with pytest.raises(OutboxError, match="not in mysql"):
        Database(SimpleNamespace(dialect=SimpleNamespace(name="mysql")))  # type: ignore[arg-type]
