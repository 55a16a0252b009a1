from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Session

from penstock.errors import NotConnected, PublishTimeout
from penstock.outbox import Relay, database_first
from tests.outbox.helpers import TO, message, rows, run

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Engine
    from sqlalchemy.ext.asyncio import AsyncEngine

    from penstock.outbox import Outbox
    from tests.outbox.recording import RecordingBroker

CHAINS = sa.Table("chains", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True))
DELETE = sa.delete(CHAINS)


@pytest.fixture(autouse=True)
def chain(engine: Engine) -> None:
    CHAINS.metadata.create_all(engine)
    with engine.begin() as connection:
        connection.execute(sa.insert(CHAINS), {"id": 1})


async def delete_chain(
    on: Any, broker: RecordingBroker, outbox: Outbox, then: Callable[[], object] = lambda: None
) -> None:
    async with database_first(on, broker, outbox) as publish:
        if inspect.isawaitable(done := on.execute(DELETE)):
            await done
        publish(message(b"deleted"), to=TO)
        then()


def chains(engine: Engine) -> list[int]:
    with engine.connect() as connection:
        return list(connection.scalars(sa.select(CHAINS.c.id)))


def test_the_change_is_committed_when_its_messages_are_confirmed(
    engine: Engine, outbox: Outbox, broker: RecordingBroker
) -> None:
    seen: list[object] = []

    async def story() -> None:
        with Session(engine) as session:
            await delete_chain(session, broker, outbox, then=lambda: seen.append(broker.bodies))
        relay = Relay(outbox, engine, broker)
        assert await relay.drain() == 0
        await relay.stop()

    run(story())
    assert (seen, broker.bodies, chains(engine)) == ([[]], [b"deleted"], [])
    assert rows(engine, outbox, "body", "relayed") == [(b"deleted", 1)]


def test_a_failed_publish_rolls_the_change_back(
    engine: Engine, outbox: Outbox, broker: RecordingBroker
) -> None:
    broker.errors[b"deleted"] = PublishTimeout("10 s have passed")

    async def story() -> None:
        with engine.connect() as connection, pytest.raises(PublishTimeout):
            await delete_chain(connection, broker, outbox)

    run(story())
    assert (chains(engine), rows(engine, outbox, "id")) == ([1], [])


def test_without_a_broker_the_change_is_rolled_back(
    engine: Engine, async_engine: AsyncEngine, outbox: Outbox, broker: RecordingBroker
) -> None:
    broker.is_connected = False

    async def story() -> None:
        async with AsyncSession(async_engine) as session:
            with pytest.raises(NotConnected):
                await delete_chain(session, broker, outbox)
            assert not session.in_transaction()
            assert chains(engine) == [1]
            broker.is_connected = True
            await delete_chain(session, broker, outbox)
        await async_engine.dispose()

    run(story())
    assert (chains(engine), broker.bodies) == ([], [b"deleted"])


def test_an_error_in_the_block_publishes_nothing(
    engine: Engine, async_engine: AsyncEngine, outbox: Outbox, broker: RecordingBroker
) -> None:
    def fail() -> None:
        raise LookupError

    async def story() -> None:
        async with async_engine.connect() as connection:
            with pytest.raises(LookupError):
                await delete_chain(connection, broker, outbox, then=fail)
        await async_engine.dispose()

    run(story())
    assert (chains(engine), broker.published) == ([1], [])


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_deferred_constraints_are_asked_before_anything_is_published(
    engine: Engine, outbox: Outbox, broker: RecordingBroker
) -> None:
    with engine.begin() as connection:
        connection.execute(
            sa.text("CREATE TABLE threads (chain int REFERENCES chains (id) DEFERRABLE INITIALLY DEFERRED)")
        )
        connection.execute(sa.text("INSERT INTO threads VALUES (1)"))

    async def story() -> None:
        with Session(engine) as session, pytest.raises(IntegrityError):
            await delete_chain(session, broker, outbox)

    run(story())
    assert (chains(engine), broker.published) == ([1], [])


def test_who_is_cancelled_while_it_publishes_changes_nothing(
    engine: Engine, outbox: Outbox, broker: RecordingBroker
) -> None:
    async def story() -> None:
        entered = asyncio.Event()

        async def hang() -> None:
            entered.set()
            await asyncio.Event().wait()

        broker.before = hang

        async def work() -> None:
            with engine.connect() as connection:
                await delete_chain(connection, broker, outbox)

        task = asyncio.create_task(work())
        await entered.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(story())
    assert chains(engine) == [1]
