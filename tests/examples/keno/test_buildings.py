from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from examples.keno.rules import COMMAND, FIRST_ORE, MINE, SHIFT_SECONDS, dug, upgrade_ore, upgrade_seconds
from penstock.client import Queue
from penstock.errors import JobFailed
from penstock.messaging import Destination, Message, Topology
from tests.examples.keno.stage import founded, on_stage

if TYPE_CHECKING:
    from pathlib import Path

    from examples.keno.empires import Empire
    from tests.examples.keno.stage import Stage

QUEUE = "bg_building"
TAKES = upgrade_seconds(1)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'game.db'}"
    url: str = request.getfixturevalue("postgresql_url")
    return url.replace("+psycopg", "")


async def begun(stage: Stage, empire: Empire, kind: str = MINE) -> int:
    """A building whose upgrade has begun."""
    building_id = stage.building(empire, kind)
    await stage.ask(QUEUE, "/building/upgrade", {"building_id": building_id}, empire)
    return building_id


def test_an_upgrade_takes_its_time_and_is_told_to_the_empire_and_to_all_who_listen(database: str) -> None:
    async def story() -> None:
        async with on_stage(database) as stage:
            empire = await founded(stage)
            building_id = stage.building(empire, MINE)
            reply = await stage.ask(QUEUE, "/building/upgrade", {"building_id": building_id}, empire)
            now = stage.game.clock.now()
            assert reply["upgrade"] == {"started_at": now, "ends_at": now + TAKES}
            assert (reply["level"], reply["ore"]) == (1, FIRST_ORE - upgrade_ore(1))
            await stage.advance(TAKES - 1)
            assert stage.level(building_id) == 1
            await stage.advance(3)
            assert stage.level(building_id) == 2
            told = {"building_id": building_id, "body_id": empire.home_id, "empire_id": empire.empire_id}
            assert stage.heard[-1] == ("/building/upgraded", {**told, "kind": MINE, "level": 2})
            assert stage.whom[-1] == empire.empire_id

    asyncio.run(story())


def test_a_shift_of_a_mine_brings_ore(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            empire = await founded(stage)
            building_id = stage.building(empire, MINE)
            reply = await stage.ask(QUEUE, "/building/work", {"building_id": building_id}, empire)
            assert reply["work"]["ends_at"] == stage.game.clock.now() + SHIFT_SECONDS
            await stage.advance(SHIFT_SECONDS + 2)
            assert stage.ore(empire) == FIRST_ORE + dug(1)
            route, content = stage.heard[-1]
            assert (route, content["ore"]) == ("/building/worked", dug(1))

    asyncio.run(story())


def test_the_job_of_an_upgrade_may_come_early_late_and_often_and_the_building_is_higher_once(
    database: str,
) -> None:
    async def story() -> None:
        async with on_stage(database) as stage:
            empire = await founded(stage)
            building_id = await begun(stage, empire)
            # When the job has left before its time, as from somebody whose clock is ahead
            assert await stage.jobs.cancel(f"building {building_id} upgrade")
            for _ in range(3):
                await stage.jobs.put(QUEUE, "/building/finishUpgrade", {"building_id": building_id})
            await stage.advance(1)
            # Then nothing happens before the time
            assert stage.level(building_id) == 1
            await stage.advance(TAKES + 1)
            assert stage.level(building_id) == 2
            # And when it comes again, nothing happens at all
            for _ in range(3):
                await stage.jobs.put(QUEUE, "/building/finishUpgrade", {"building_id": building_id})
            await stage.advance(1)
            assert stage.level(building_id) == 2
            assert [route for route, _ in stage.heard].count("/building/upgraded") == 1
            assert stage.buried(QUEUE) == []

    asyncio.run(story())


def test_an_upgrade_can_be_cancelled_until_it_is_finished(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            empire = await founded(stage)
            building_id = await begun(stage, empire)
            await stage.advance(TAKES - 1)
            reply = await stage.ask(QUEUE, "/building/cancelUpgrade", {"building_id": building_id}, empire)
            assert (reply["upgrade"], reply["ore"]) == (None, FIRST_ORE)
            assert await stage.jobs.scheduled(f"building {building_id} upgrade") is None
            await stage.advance(TAKES)
            assert stage.level(building_id) == 1
            with pytest.raises(JobFailed, match="has no upgrade under way"):
                await stage.ask(QUEUE, "/building/cancelUpgrade", {"building_id": building_id}, empire)

    asyncio.run(story())


def test_an_upgrade_can_be_hastened(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            empire = await founded(stage)
            building_id = await begun(stage, empire)
            reply = await stage.ask(QUEUE, "/building/hastenUpgrade", {"building_id": building_id}, empire)
            assert reply["upgrade"]["ends_at"] == stage.game.clock.now() + TAKES / 2
            assert reply["ore"] == FIRST_ORE - upgrade_ore(1) - upgrade_ore(1) // 2
            await stage.advance(TAKES / 2 + 1)
            assert stage.level(building_id) == 2
            await stage.advance(TAKES)
            assert stage.level(building_id) == 2

    asyncio.run(story())


def test_the_same_request_sent_twice_is_done_once_and_answered_twice(database: str) -> None:
    async def story() -> None:
        async with on_stage(database) as stage:
            empire = await founded(stage)
            await stage.broker.initialize(Topology(queues=(Queue("till"),)))
            content = {"building_id": stage.building(empire, MINE)}
            body = {"route": "/building/upgrade", "user_id": empire.empire_id, "content": content}
            for _ in range(2):
                # As a gateway puts it: a client that has lost its connection asks again under the same id.
                message = Message(body=msgspec.json.encode(body), id="ws/1", reply_to="till")
                await stage.broker.publish(message, Destination.queue(QUEUE))
                await stage.advance(1)
            assert stage.ore(empire) == FIRST_ORE - upgrade_ore(1)
            first, second = stage.controlled.queue("till").messages
            assert msgspec.json.decode(first.body)["value"]["upgrade"] is not None
            assert first.body == second.body

    asyncio.run(story())


@pytest.mark.parametrize(
    ("route", "kind", "why"),
    [
        ("/building/upgrade", MINE, "is at its upgrade already"),
        ("/building/work", COMMAND, "a command centre has no work: a mine has"),
        ("/building/hastenUpgrade", COMMAND, "has no upgrade under way"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    tmp_path: Path, route: str, kind: str, why: str
) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            empire = await founded(stage)
            await begun(stage, empire)
            before = stage.ore(empire)
            with pytest.raises(JobFailed, match=why):
                await stage.ask(QUEUE, route, {"building_id": stage.building(empire, kind)}, empire)
            assert stage.ore(empire) == before
            assert stage.buried(QUEUE) == []

    asyncio.run(story())


def test_what_a_planet_cannot_pay_is_refused_and_another_empires_buildings_are_not_there(
    tmp_path: Path,
) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            poor, other = await founded(stage, "Poor"), await founded(stage, "Other")
            for kind in (COMMAND, MINE):
                await begun(stage, poor, kind)
            for _ in range(11):
                fleet = {"body_id": poor.home_id, "ships": 1}
                await stage.ask("bg_fleet", "/fleet/construct", fleet, poor)
            while stage.ore(poor) >= upgrade_ore(1) // 2:
                await stage.ask(
                    QUEUE, "/building/hastenUpgrade", {"building_id": stage.building(poor, MINE)}, poor
                )
            with pytest.raises(JobFailed, match="takes 50 ore, and the planet has less"):
                await begun(stage, poor, "shipyard")
            theirs = {"building_id": stage.building(other, MINE)}
            with pytest.raises(JobFailed, match="you have no building"):
                await stage.ask(QUEUE, "/building/upgrade", theirs, poor)

    asyncio.run(story())


BAD: list[tuple[Any, str]] = [
    (b"no JSON", "this is no job"),
    (b'{"route": "/building/finishUpgrade"}', "missing required field `content`"),
    (b'{"route": "/building/explode", "content": {}}', "no handler here is for the route"),
    (b'{"route": "/building/finishUpgrade", "content": {"building_id": "x"}}', "Expected `int`, got `str`"),
    (
        b'{"route": "/building/finishUpgrade", "content": {"building_id": 99999}}',
        "there is no building 99999",
    ),
]


def test_what_is_no_job_is_buried_with_its_reason_and_nobody_else_notices(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            empire = await founded(stage)
            building_id = await begun(stage, empire)
            for body, _ in BAD:
                await stage.broker.publish(Message(body=body), Destination.queue(QUEUE))
            await stage.advance(TAKES + 1)
            assert stage.level(building_id) == 2
            why = stage.buried(QUEUE)
            assert len(why) == len(BAD)
            assert all(any(expected in each for each in why) for _, expected in BAD), why

    asyncio.run(story())
