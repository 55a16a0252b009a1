from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from examples.keno.planets import maybe_place
from examples.keno.rules import FIRST_ORE, SHIP_ORE, chunk_corner, construction_seconds, flight_seconds
from examples.keno.tables import planets
from penstock.errors import JobFailed
from tests.examples.keno.stage import founded, on_stage

if TYPE_CHECKING:
    from pathlib import Path

    from examples.keno.empires import Empire
    from tests.examples.keno.stage import Stage

QUEUE = "bg_fleet"


async def built(stage: Stage, empire: Empire, ships: int = 2) -> dict[str, Any]:
    """A fleet that is docked at home."""
    asked = {"body_id": empire.home_id, "ships": ships}
    reply: dict[str, Any] = await stage.ask(QUEUE, "/fleet/construct", asked, empire)
    await stage.advance(construction_seconds(ships, 1) + 2)
    return reply


def far_planet(stage: Stage) -> int:
    with stage.game.read() as connection:
        return int(connection.execute(select(planets.c.id).order_by(planets.c.id).limit(1)).scalar_one())


def flight(stage: Stage, body_id: int, to_body_id: int) -> float:
    with stage.game.read() as connection:
        here, there = maybe_place(connection, body_id), maybe_place(connection, to_body_id)
    assert here is not None
    assert there is not None
    return flight_seconds(here.x, here.y, there.x, there.y)


def test_a_fleet_is_built_sent_and_arrives_and_all_who_look_at_the_map_are_told(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            empire = await founded(stage)
            fleet = await built(stage, empire)
            assert (fleet["state"], fleet["body_id"]) == ("building", empire.home_id)
            assert stage.ore(empire) == FIRST_ORE - 2 * SHIP_ORE
            told = {"fleet_id": fleet["fleet_id"], "empire_id": empire.empire_id, "ships": 2}
            assert ("/fleet/constructed", {**told, "body_id": empire.home_id}) in stage.heard
            # When it is sent
            far = far_planet(stage)
            order = {"fleet_id": fleet["fleet_id"], "body_id": far}
            stage.heard.clear()
            reply = await stage.ask(QUEUE, "/fleet/send", order, empire)
            takes = flight(stage, empire.home_id, far)
            assert (reply["state"], reply["to_body_id"]) == ("flying", far)
            assert reply["ends_at"] == pytest.approx(stage.game.clock.now() + takes)
            # Then it is there at the end of its flight
            await stage.advance(takes - 1)
            assert [route for route, _ in stage.heard] == ["/starmap/changed"]
            await stage.advance(3)
            assert ("/fleet/arrived", {**told, "body_id": far}) in stage.heard
            corner = {"sector": 0, "left": chunk_corner(reply["to_x"]), "bottom": chunk_corner(reply["to_y"])}
            assert ("/starmap/changed", corner) in stage.heard

    asyncio.run(story())


def test_a_fleet_that_is_called_back_is_home_after_as_long_as_it_has_flown(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            empire = await founded(stage)
            fleet = await built(stage, empire)
            order = {"fleet_id": fleet["fleet_id"], "body_id": far_planet(stage)}
            await stage.ask(QUEUE, "/fleet/send", order, empire)
            await stage.advance(10)
            stage.heard.clear()
            reply = await stage.ask(QUEUE, "/fleet/recall", {"fleet_id": fleet["fleet_id"]}, empire)
            assert reply["to_body_id"] == empire.home_id
            await stage.advance(9)
            assert stage.heard == []
            await stage.advance(3)
            route, content = stage.heard[0]
            assert (route, content["body_id"]) == ("/fleet/arrived", empire.home_id)
            # And the arrival that was planned first does not come.
            await stage.advance(flight(stage, empire.home_id, far_planet(stage)))
            assert [route for route, _ in stage.heard].count("/fleet/arrived") == 1

    asyncio.run(story())


def test_a_job_that_comes_early_waits_and_one_for_something_else_changes_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            empire = await founded(stage)
            fleet = await built(stage, empire)
            flight_to = {"fleet_id": fleet["fleet_id"], "body_id": far_planet(stage)}
            flying = await stage.ask(QUEUE, "/fleet/send", flight_to, empire)
            stage.heard.clear()
            # When its job has left before its time, and another comes that is about something else
            assert await stage.jobs.cancel(f"fleet {fleet['fleet_id']}")
            for route in ("/fleet/arrives", "/fleet/arrives", "/fleet/finishConstruction"):
                await stage.jobs.put(QUEUE, route, {"fleet_id": fleet["fleet_id"]})
                await stage.advance(1)
            assert "/fleet/arrived" not in dict(stage.heard)
            # Then it arrives in its time
            await stage.advance(flying["ends_at"] - stage.game.clock.now() + 2)
            routes = [route for route, _ in stage.heard]
            assert (routes.count("/fleet/arrived"), routes.count("/fleet/constructed")) == (1, 0)

    asyncio.run(story())


def test_the_seeds_own_message_for_an_arrival_is_understood_and_a_second_changes_nothing(
    tmp_path: Path,
) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            empire = await founded(stage)
            fleet = await built(stage, empire)
            stage.heard.clear()
            for route in ("/fleet/arrive", "/fleet/arrives", "/fleet/finishConstruction"):
                await stage.jobs.put(QUEUE, route, {"fleet_id": fleet["fleet_id"]})
            await stage.jobs.put(QUEUE, "/fleet/arrive", {"fleet_id": 1234})
            await stage.advance(1)
            assert stage.heard == []
            assert stage.buried(QUEUE) == ["there is no fleet 1234"]

    asyncio.run(story())


#: HOME stands for the empire's own planet.
HOME = -1
REFUSED: list[tuple[str, dict[str, int], str]] = [
    ("/fleet/send", {"body_id": 99999}, "there is no planet 99999"),
    ("/fleet/send", {"body_id": HOME}, "it is there already"),
    ("/fleet/send", {"fleet_id": 99999, "body_id": 1}, "you have no fleet 99999"),
    ("/fleet/recall", {}, "is docked, and not flying"),
    ("/fleet/construct", {"body_id": 1, "ships": 1}, "you have no shipyard on planet 1"),
    ("/fleet/construct", {"body_id": HOME, "ships": 100}, "takes 3000 ore"),
]


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            empire = await founded(stage)
            fleet = await built(stage, empire)
            for route, content, why in REFUSED:
                asked = {"fleet_id": fleet["fleet_id"], **content}
                if asked.get("body_id") == HOME:
                    asked["body_id"] = empire.home_id
                with pytest.raises(JobFailed, match=why):
                    await stage.ask(QUEUE, route, asked, empire)
            assert stage.buried(QUEUE) == []

    asyncio.run(story())
