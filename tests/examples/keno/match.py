"""A match in which workers, gateways and the broker are killed: every upgrade is completed exactly once."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import AsyncExitStack, asynccontextmanager
from random import sample, uniform
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec
from sqlalchemy import func, select

from examples.keno.empires import found_empire
from examples.keno.rules import FIRST_ORE, KINDS, upgrade_ore
from examples.keno.tables import buildings, planets, tasks
from penstock.messaging import open_amqp_broker
from penstock.workers.fan.channels import pipe_topology
from penstock.workers.gateway import SessionTokens
from tests.examples.keno.player import playing
from tests.examples.keno.town import PASSWORD, SOON_S

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from penstock.messaging import Received
    from penstock.messaging.amqp import AmqpBroker
    from tests.examples.keno.player import Player
    from tests.examples.keno.town import Town

#: Empires that play at the same time, each with three buildings.
EMPIRES = 6
#: Seconds between two who are killed.
BETWEEN_S = (0.05, 0.8)
VICTIMS = ("worker", "gateway", "broker")


class Match:
    """Empires that upgrade all they have, round after round, and a subscriber who counts."""

    def __init__(self, running: Town) -> None:
        self.town = running
        names = [f"Empire {number} {uuid4().hex[:6]}" for number in range(EMPIRES)]
        self.empires = [found_empire(running.game, name, PASSWORD) for name in names]
        homes = [empire.home_id for empire in self.empires]
        self._ours = planets.c.id.in_(homes)
        self.players: list[Player] = []
        #: (building, level) → the ids under which that was told.
        self.told: dict[tuple[int, int], set[str]] = {}

    # Who listens

    async def listen(self, broker: AmqpBroker) -> None:
        """Hear of everything on ps_building, as a statistics consumer does."""
        pipe = f"ps_building_{uuid4().hex[:8]}"
        await broker.initialize(pipe_topology(pipe))
        await broker.subscribe(pipe, self._hear, prefetch=100)

    def _hear(self, several: list[Received]) -> None:
        ours = {empire.empire_id for empire in self.empires}
        for received in several:
            content = msgspec.json.decode(received.body)["content"]
            if content["empire_id"] in ours:
                key = content["building_id"], content["level"]
                self.told.setdefault(key, set()).add(received.message.id)
            received.ack()

    # What the database says

    def levels(self) -> Counter[int]:
        found = select(buildings.c.level).join(planets).where(self._ours)
        with self.town.game.read() as connection:
            return Counter(connection.execute(found).scalars())

    def under_way(self) -> int:
        found = select(func.count()).select_from(tasks.join(buildings).join(planets)).where(self._ours)
        with self.town.game.read() as connection:
            return int(connection.execute(found).scalar_one())

    def ore(self) -> set[int]:
        with self.town.game.read() as connection:
            return set(connection.execute(select(planets.c.ore).where(self._ours)).scalars())

    # Playing

    async def round(self, level: int) -> None:
        """All upgrade all they have from that level, and are killed meanwhile."""
        killing = asyncio.create_task(self._kill())
        statuses = await asyncio.gather(*map(_upgrade_all, self.players))
        await killing
        assert statuses == [[200] * len(KINDS)] * EMPIRES
        # Then every building is one level higher, and none is two
        await until(lambda: self.under_way() == 0)
        assert self.levels() == {level + 1: EMPIRES * len(KINDS)}
        # And was paid for once
        paid = sum(upgrade_ore(each) for each in range(1, level + 1)) * len(KINDS)
        assert self.ore() == {FIRST_ORE - paid}
        # And each empire was told once, wherever its client has gone, and so was everybody else
        await until(lambda: len(self.told) >= level * EMPIRES * len(KINDS))
        assert all(len(ids) == 1 for ids in self.told.values()), self.told
        for player in self.players:
            await until(lambda each=player: len(_upgrades(each)) >= level * len(KINDS))  # type: ignore[misc]
            assert set(_upgrades(player).values()) == {1}

    async def _kill(self) -> None:
        for number, victim in enumerate(sample(VICTIMS, len(VICTIMS))):
            await asyncio.sleep(uniform(*BETWEEN_S))
            assert self.town.kill(victim, number)


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(SOON_S):
        while not is_so():  # noqa: ASYNC110  what is waited for is in other processes
            await asyncio.sleep(0.1)


async def _upgrade_all(player: Player) -> list[int]:
    """Begin to upgrade all that an empire has; the statuses of the replies."""
    [planet] = (await player.ask("/empire/status", {}))["content"]["planets"]
    asked = [{"building_id": each["building_id"]} for each in planet["buildings"]]
    replies = await asyncio.gather(*(player.ask("/building/upgrade", each) for each in asked))
    return [reply["status"] for reply in replies]


def _upgrades(player: Player) -> Counter[tuple[int, int]]:
    """The upgrades that a player has been told of, and how often."""
    told: list[dict[str, Any]] = [
        each["content"] for each in player.pushed.values() if each["route"] == "/building/upgraded"
    ]
    return Counter((each["building_id"], each["level"]) for each in told)


@asynccontextmanager
async def match(running: Town) -> AsyncIterator[Match]:
    """A match whose players are connected, some to one gateway and some to the other."""
    found = Match(running)
    tokens = SessionTokens((running.folder / "sessions.secret").read_bytes())
    async with AsyncExitStack() as stack:
        broker = await open_amqp_broker(f"amqp://guest:guest@{running.places['amqp']}/")
        stack.push_async_callback(broker.close)
        await found.listen(broker)
        for number, empire in enumerate(found.empires):
            token, at = tokens.issue(empire.empire_id), number % len(running.gateways)
            player = playing([*running.gateways[at:], *running.gateways[:at]], token)
            found.players.append(await stack.enter_async_context(player))
        yield found
