"""The one command with Spark: what is built is counted, and told live, on its own broker and on another."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests.examples.keno.player import playing
from tests.examples.keno.town import SOON_S, Town
from tests.servers import penstock
from tests.servers.running import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.servers.running import Running


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Running]:
    """A broker that is not the game's own, and has no other game: queues have the same names in all."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    running = penstock.bear(folder, free_port())
    yield running
    running.end()


@pytest.mark.parametrize("has_own_broker", [True, pytest.param(False, marks=pytest.mark.soak)])
def test_what_is_built_is_counted_and_told(
    tmp_path: Path, request: pytest.FixtureRequest, *, has_own_broker: bool
) -> None:
    options = ["--pace", "6", "--workers", "1", "--gateways", "1"]
    if not has_own_broker:
        # Of which nobody knows whether it is Penstock: Spark reads from it by way of files.
        options += ["--mq-url", request.getfixturevalue("elsewhere").url]

    async def story(town: Town) -> None:
        async with asyncio.timeout(SOON_S):
            # Before, nobody has a pipe that events could wait in.
            while "the statistics are there" not in town.lines:  # noqa: ASYNC110  a thread reads them
                await asyncio.sleep(0.05)
        _, empire = town.sign_up("Counted")
        async with playing(empire["gateways"], empire["token"]) as player:
            [planet] = (await player.ask("/empire/status", {}))["content"]["planets"]
            mine = planet["buildings"][1]["building_id"]
            assert (await player.ask("/building/upgrade", {"building_id": mine}))["status"] == 200
            told = await player.hears("/planet/statistics", body_id=planet["body_id"], upgrades=1)
            assert told["content"]["highest"] == 2
            [row] = (await player.ask("/planet/statistics", {}))["content"]["planets"]
            assert row == {"name": planet["name"], **told["content"]}

    with Town(tmp_path / "data", *options, statistics=True) as town:
        asyncio.run(story(town))
        assert (tmp_path / "data" / "spool").exists() != has_own_broker
