"""examples/commons, whole: on the broker in this process with SQLite, and on RabbitMQ with PostgreSQL."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Protocol

import psycopg
import pytest

from examples.commons.chain_events import ChainEvents
from examples.commons.entities import Entities
from examples.commons.notifications import Notifications
from penstock.errors import PublishError
from penstock.messaging.dead_letters import DeadLetterKeeper, DeadLetters, DeadLetterStore, Edit
from penstock.testing import ControlledBroker
from tests.client.rabbit import OwnRabbitMQ
from tests.servers import postgresql

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path
    from typing import Any

#: Real seconds after which something must be wrong.
SOON_S = 90.0
#: How many entities appear before, and how many during the outage.
COUNT = 16


class Stage(Protocol):
    """A broker that can go away, databases, and time."""

    async def open(self, stack: AsyncExitStack) -> dict[str, Any]:
        """Begin; what a service is told about its broker."""
        ...

    def database(self, name: str) -> str: ...

    async def go_away(self) -> None: ...

    async def come_back(self) -> None: ...

    async def wait(self) -> None:
        """Let some time pass."""
        ...


class Embedded:
    """Our broker in this process, with a clock that is moved, and SQLite."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._controlled = ControlledBroker()

    async def open(self, stack: AsyncExitStack) -> dict[str, Any]:
        await stack.enter_async_context(self._controlled)
        return {"broker": await self._controlled.port()}

    def database(self, name: str) -> str:
        return f"sqlite+aiosqlite:///{self._folder / name}.db"

    async def go_away(self) -> None:
        await self._controlled.stop()

    async def come_back(self) -> None:
        await self._controlled.start()

    async def wait(self) -> None:
        await self._controlled.advance(1.0)
        await asyncio.sleep(0.01)  # for the databases, whose threads know no virtual clock


class Servers:
    """The real RabbitMQ, killed when it goes away, and the real PostgreSQL."""

    def __init__(self, folder: Path, real_program: Callable[[str], Path]) -> None:
        folder.mkdir()
        self._rabbit = OwnRabbitMQ(real_program("rabbitmq"), folder)
        self._program = real_program("postgresql")

    async def open(self, stack: AsyncExitStack) -> dict[str, Any]:
        stack.enter_context(self._rabbit)
        self._server = postgresql.start(self._program, postgresql.IMPATIENT)
        stack.callback(self._server.destroy)
        return {"mq_url": self._rabbit.url}

    def database(self, name: str) -> str:
        running = self._server.running
        assert running is not None
        url = postgresql.url_of(running).replace("+psycopg", "")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return postgresql.url_of(running, name)

    async def go_away(self) -> None:
        self._rabbit.kill()

    async def come_back(self) -> None:
        await asyncio.to_thread(self._rabbit.start)

    async def wait(self) -> None:
        await asyncio.sleep(0.05)


@pytest.fixture(params=["embedded", "servers"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Stage:
    if request.param == "embedded":
        return Embedded(tmp_path)
    return Servers(tmp_path / "rabbitmq", request.getfixturevalue("real_program"))


class Commons:
    """The three services on a stage, and what became of it all."""

    def __init__(self, stage: Stage, how: dict[str, Any], folder: Path) -> None:
        self.stage = stage
        self.told: list[str] = []
        self.chain_events = ChainEvents(stage.database("chain_events"), **how)
        self.entities = Entities(stage.database("entities"), **how)
        self.notifications = Notifications(stage.database("notifications"), send=self.told.append, **how)
        self.store = DeadLetterStore(f"sqlite:///{folder / 'dead-letters.db'}")
        self.entities.app.attach(DeadLetterKeeper(self.store, "commons.dead-letters"))

    async def until(self, is_so: Callable[[], Awaitable[bool]]) -> None:
        async with asyncio.timeout(SOON_S):
            while not await is_so():
                await self.stage.wait()

    async def applied(self, count: int) -> None:
        async def is_so() -> bool:
            return await self.entities.applied() >= count

        await self.until(is_so)
        assert await self.entities.applied() == count


def test_every_change_arrives_once_although_the_broker_goes_away(stage: Stage, tmp_path: Path) -> None:
    async def story() -> None:
        async with AsyncExitStack() as stack:
            how = await stage.open(stack)
            commons = Commons(stage, how, tmp_path)
            for service in (commons.notifications, commons.entities, commons.chain_events):
                await stack.enter_async_context(service)
            await tell(commons)

    asyncio.run(story())


async def tell(commons: Commons) -> None:
    chain_events, entities = commons.chain_events, commons.entities
    # Given entities that appear on two chains
    for number in range(COUNT):
        await chain_events.saw_created(f"a{number}", ("juno", "osmosis")[number % 2], f"Proposal {number}")
    # When the broker goes away, while messages are under way, and more happens meanwhile
    await commons.stage.go_away()
    for number in range(COUNT):
        await chain_events.saw_created(f"b{number}", "juno", f"Thread {number}")
        await chain_events.saw_updated(f"a{number}", f"Changed {number}")
    # Then what must not stay untold is not done
    failing = asyncio.ensure_future(chain_events.delete_chain("juno", timeout=1.0))

    async def has_failed() -> bool:
        return failing.done()

    await commons.until(has_failed)
    with pytest.raises(PublishError):
        failing.result()
    assert await chain_events.count() == 2 * COUNT
    # And when the broker is back, every change is applied, exactly once
    await commons.stage.come_back()
    await commons.applied(3 * COUNT)
    assert await entities.state() == {
        **{f"a{number}": f"Changed {number}" for number in range(COUNT)},
        **{f"b{number}": f"Thread {number}" for number in range(COUNT)},
    }
    # And the chain can be deleted, here and there
    assert await chain_events.delete_chain("juno") == COUNT + COUNT // 2
    await commons.applied(3 * COUNT + COUNT + COUNT // 2)
    assert set(await entities.state()) == {f"a{number}" for number in range(1, COUNT, 2)}
    await dead_letter(commons)
    # And nobody was told twice
    assert len(set(commons.told)) == len(commons.told)


async def dead_letter(commons: Commons) -> None:
    # Given a message that no retry can help
    await commons.chain_events.saw_created("untitled", "osmosis", "")
    letters = DeadLetters(commons.store, commons.entities.app.broker)

    async def has_died() -> bool:
        return bool(await letters.find())

    await commons.until(has_died)
    [letter] = await letters.find()
    assert (letter.consumer, letter.type) == ("commons.Entities", "EntityCreated")
    assert "entity untitled has no title" in letter.error
    # When somebody corrects it
    await letters.retry(letter.message_id, Edit(body=letter.body.replace(b'""', b'"Found"')))

    # Then it arrives, and people are told
    async def is_told() -> bool:
        return "osmosis: untitled was created Found" in commons.told

    await commons.until(is_told)
    assert (await commons.entities.state())["untitled"] == "Found"


def test_the_story_can_be_watched() -> None:
    command = [sys.executable, "-m", "examples.commons"]
    told = subprocess.run(command, capture_output=True, text=True, timeout=SOON_S, check=False)
    assert (told.returncode, told.stderr) == (0, "")
    assert len(re.findall("✓", told.stdout)) == 4
