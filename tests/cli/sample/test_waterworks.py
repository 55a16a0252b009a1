from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from penstock.cli.sample.events import GAUGES, LEVELS, LevelMeasured
from penstock.cli.sample.readings import BROKEN
from penstock.cli.sample.waterworks import KEPT_S, SPARKS, Waterworks, database_file, declared
from penstock.cli.up_programs import TOPOLOGY
from penstock.errors import PersistentError, TransientError
from penstock.messaging import Message
from penstock.messaging.dead_letters import Selection
from penstock.messaging.topology.written import load

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from tests.servers.running import Running


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(60):
        while not await condition():  # noqa: ASYNC110 (others set no event)
            await asyncio.sleep(0.05)


def rows(folder: Path, table: str) -> int:
    engine = sa.create_engine(f"sqlite:///{database_file(folder)}")
    with engine.connect() as connection:
        found: int = connection.execute(sa.text(f"SELECT count(*) FROM {table}")).scalar_one()  # noqa: S608
    engine.dispose()
    return found


def test_a_reading_is_kept_told_and_a_wrong_one_becomes_a_dead_letter(
    tmp_path: Path, penstock_server: Running
) -> None:
    async def story() -> None:
        async with Waterworks(tmp_path, penstock_server.url) as waterworks:
            await waterworks.measure(LevelMeasured(gauge=GAUGES[0], level=3.0, at=1001.0))
            await waterworks.measure(LevelMeasured(gauge=BROKEN, level=-1.0, at=1002.0))
            store = waterworks.dead_letters

            async def has_died() -> bool:
                return bool(await store.run(store.groups, Selection()))

            await until(has_died)
            [letter] = await store.run(store.newest, Selection(), 5)
            assert (letter.consumer, letter.attempts) == ("waterworks.alarms", 1)
            assert "which cannot be" in letter.error

            async def is_with_spark() -> bool:
                return await waterworks.app.broker.depth(LEVELS) == 2

            await until(is_with_spark)
            assert rows(tmp_path, "readings") == 2
            await waterworks.forget(1002.0 + KEPT_S)
            assert rows(tmp_path, "readings") == 1

    asyncio.run(story())


def test_what_is_written_down_is_what_is_declared() -> None:
    written, wanted = load(TOPOLOGY), declared(None).topology() + SPARKS
    assert written.exchanges == wanted.exchanges
    assert set(written.queues) == set(wanted.queues)
    assert set(written.bindings) == set(wanted.bindings)


def handlers() -> dict[str, Any]:
    return {each.name: each.handler for each in declared(None).declarations}


def test_spray_passes_at_the_second_try_and_a_broken_gauge_never() -> None:
    class Context:
        attempts = 0

    found = handlers()
    forecast, alarms = found["forecast"], found["alarms"]
    wet = LevelMeasured(gauge="north", level=3.0, at=50.0)
    with pytest.raises(TransientError, match="spray"):
        asyncio.run(forecast(wet, Context()))
    Context.attempts = 1
    asyncio.run(forecast(wet, Context()))
    with pytest.raises(PersistentError):
        asyncio.run(alarms(LevelMeasured(gauge=BROKEN, level=-1.0, at=1.0)))


def test_a_message_is_what_its_event_says() -> None:
    message = declared(None).message(LevelMeasured(gauge="north", level=3.0, at=50.0))
    assert isinstance(message, Message)
    assert message.type == "LevelMeasured"
