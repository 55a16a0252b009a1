from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from sqlalchemy import func, select

from examples.keno.chunks import Chunk, chunk_of
from examples.keno.messages import MapChunk
from examples.keno.planets import maybe_place
from examples.keno.rules import CHUNK, EDGE, chunk_corner
from examples.keno.tables import planets, stars
from examples.keno.universe import make_universe
from penstock.errors import JobFailed, RequestRefused
from tests.examples.keno.stage import founded, on_stage

if TYPE_CHECKING:
    from pathlib import Path

    from examples.keno.empires import Empire
    from tests.examples.keno.stage import Stage

QUEUE = "bg_starmap"


def home_chunk(stage: Stage, empire: Empire) -> MapChunk:
    with stage.game.read() as connection:
        place = maybe_place(connection, empire.home_id)
    assert place is not None
    return MapChunk(place.sector, chunk_corner(place.x), chunk_corner(place.y))


def home_of(chunk: Any, empire: Empire) -> Any:
    """The empire's planet in a chunk as clients see it."""
    found = msgspec.convert(chunk, Chunk)
    return next(each for star in found.stars for each in star.planets if each.body_id == empire.home_id)


def test_all_chunks_together_have_every_star_and_planet_once(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            corners = range(-EDGE, EDGE, CHUNK)
            with stage.game.begin() as connection:
                # It is there already: a second start makes no second universe.
                make_universe(connection)
                found = [
                    star
                    for left in corners
                    for bottom in corners
                    for star in chunk_of(connection, MapChunk(0, left, bottom)).stars
                ]
                counts = [
                    connection.scalar(select(func.count()).select_from(each)) for each in (stars, planets)
                ]
            assert [len(found), sum(len(star.planets) for star in found)] == counts
            assert len({star.star_id for star in found}) == len(found)

    asyncio.run(story())


def test_a_chunk_tells_who_lives_there_and_which_fleets_are_docked(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            empire = await founded(stage)
            asked = home_chunk(stage, empire)
            async with stage.star_map.chunks.on(stage.broker) as cache:
                home = home_of(await cache.get(asked), empire)
                assert (home.empire.name, home.fleets) == ("Lacuna", [])
                # When a fleet is built there, the chunk is forgotten before anybody is told to ask again
                content = {"body_id": empire.home_id, "ships": 3}
                await stage.ask("bg_fleet", "/fleet/construct", content, empire)
                await stage.advance(15)
                assert ("/starmap/changed", msgspec.to_builtins(asked)) in stage.heard
                [fleet] = home_of(await cache.get(asked), empire).fleets
                assert (fleet.ships, fleet.empire.name) == (3, "Lacuna")

    asyncio.run(story())


def test_a_chunk_is_found_once_and_answered_from_the_cache_afterwards(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage, stage.star_map.chunks.on(stage.broker) as cache:
            asked = MapChunk(0, -50, 250)
            found = await asyncio.gather(*(cache.get(asked) for _ in range(20)))
            assert all(each == found[0] for each in found)
            await stage.controlled.settled()
            assert stage.worker.done == 1

    asyncio.run(story())


@pytest.mark.parametrize(
    "content",
    [
        {"sector": 0, "left": 7, "bottom": 250},
        {"sector": 1, "left": 0, "bottom": 0},
        {"sector": 0, "left": 0},
    ],
    ids=["off its boundary", "another sector", "half a corner"],
)
def test_a_chunk_that_is_none_is_refused_or_buried_and_never_looked_for(
    tmp_path: Path, content: dict[str, int]
) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            with pytest.raises(JobFailed):
                await stage.jobs.call(QUEUE, "/starmap/getMapChunk", content, user_id=3)
            # Keno Antigen's message has nobody who waits: it is buried, with the reason.
            await stage.jobs.put(QUEUE, "/starmap/getMapChunk", content, user_id=3)
            await stage.advance(1)
            why = stage.buried(QUEUE)
            assert any("boundary of 50 units" in each or "missing required field" in each for each in why)

    asyncio.run(story())


def test_the_refusal_says_what_a_chunk_is(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            with (
                stage.game.read() as connection,
                pytest.raises(
                    RequestRefused, match=r"boundary of 50 units, .* at 7, 0 in sector 0"
                ) as refused,
            ):
                chunk_of(connection, MapChunk(0, 7, 0))
            assert refused.value.status == 400

    asyncio.run(story())
