"""A game in one process: the real broker with a clock that is moved, a worker, a relay, and who listens."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import msgspec
from sqlalchemy import select

from examples.keno.empires import Empire, found_empire
from examples.keno.game import Game
from examples.keno.live import CHANNELS
from examples.keno.star_map import StarMap
from examples.keno.tables import buildings, planets
from examples.keno.universe import make_universe
from examples.keno.worker import routes_of
from penstock.outbox import Relay, RelaySettings
from penstock.testing import ControlledBroker
from penstock.workers import Worker
from penstock.workers.fan.channels import pipe_topology

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from penstock.messaging import Received
    from penstock.messaging.amqp import AmqpBroker
    from penstock.workers import Jobs

P = ParamSpec("P")
T = TypeVar("T")

#: Who listens, besides gateways.
PIPE = "ps_building_test"


class Stage:
    """What a test has of it."""

    def __init__(
        self, controlled: ControlledBroker, game: Game, star_map: StarMap, broker: AmqpBroker
    ) -> None:
        self.controlled = controlled
        self.game = game
        self.star_map = star_map
        self.broker = broker
        self.worker = Worker(
            routes_of(game, star_map), broker=broker, schedules=game.schedules, concurrency=3
        )
        #: What was published, as (route, content), and to whom.
        self.heard: list[tuple[str, Any]] = []
        self.whom: list[Any] = []

    @property
    def jobs(self) -> Jobs:
        return self.worker.jobs

    async def ask(self, queue: str, route: str, content: Any, empire: Empire, **more: Any) -> Any:
        """What a client's request gets, as if it had come through a gateway."""
        return await self.jobs.call(queue, route, content, user_id=empire.empire_id, **more)

    async def write(self, verb: Callable[Concatenate[Game, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Have something written beside the event loop: the relay's transactions need it to go on."""
        return await asyncio.to_thread(verb, self.game, *args, **kwargs)

    async def advance(self, seconds: float) -> None:
        await self.controlled.advance(seconds, step=0.5)

    def building(self, empire: Empire, kind: str) -> int:
        found = select(buildings.c.id).where(
            buildings.c.planet_id == empire.home_id, buildings.c.kind == kind
        )
        with self.game.read() as connection:
            return int(connection.execute(found).scalar_one())

    def level(self, building_id: int) -> int:
        with self.game.read() as connection:
            found = select(buildings.c.level).where(buildings.c.id == building_id)
            return int(connection.execute(found).scalar_one())

    def ore(self, empire: Empire) -> int:
        with self.game.read() as connection:
            found = select(planets.c.ore).where(planets.c.id == empire.home_id)
            return int(connection.execute(found).scalar_one())

    def buried(self, queue: str) -> list[str]:
        """Why jobs are dead letters."""
        letters = self.controlled.queue(f"{queue}.dead-letters").messages
        return [str(each.headers["x-penstock-error"]) for each in letters]

    def _hear(self, several: list[Received]) -> None:
        for received in several:
            message = msgspec.json.decode(received.body)
            self.heard.append((message["route"], message["content"]))
            self.whom.append(message.get("user_id", message.get("room")))
            received.ack()

    async def listen(self) -> None:
        await self.broker.initialize(pipe_topology(PIPE, CHANNELS))
        await self.broker.subscribe(PIPE, self._hear, prefetch=100)


@asynccontextmanager
async def on_stage(database: Path | str) -> AsyncIterator[Stage]:
    """A game on that database, at work."""
    url = database if isinstance(database, str) else f"sqlite:///{database / 'game.db'}"
    async with AsyncExitStack() as opened:
        controlled = await opened.enter_async_context(ControlledBroker())
        game = Game(url, clock=controlled.clock)
        opened.callback(game.close)
        game.create()
        with game.begin() as connection:
            make_universe(connection)
        star_map = StarMap(game)
        opened.callback(star_map.close)
        broker = await controlled.port()
        stage = Stage(controlled, game, star_map, broker)
        await stage.listen()
        await opened.enter_async_context(stage.worker)
        relay = Relay(game.outbox, game.engine, broker, settings=RelaySettings())
        await opened.enter_async_context(relay)
        controlled.watch(stage.worker)
        controlled.watch(relay)
        yield stage


async def founded(stage: Stage, name: str = "Lacuna") -> Empire:
    """An empire that plays."""
    return await stage.write(found_empire, name, "long enough")


__all__ = ["Stage", "founded", "on_stage"]
