"""The one command, whole: played with, asked for nonsense, killed in mid-game, stopped and started again."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING, Any

import greenstalk
import pytest

from tests.examples.keno.match import match
from tests.examples.keno.player import playing
from tests.examples.keno.town import PASSWORD, Town

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A game that runs three times as fast; the port that it would like is taken."""
    folder = tmp_path_factory.mktemp("keno") / "data"
    made = Town(folder, "--pace", "3")
    with socket.create_server(("127.0.0.1", made.first_port)), made as running:
        yield running


def test_a_port_that_is_taken_is_passed_over_and_that_is_said(town: Town) -> None:
    first = town.first_port
    assert town.url == f"http://localhost:{first + 1}"
    assert f"port {first} is taken: the page is at {first + 1}" in town.lines


def test_an_empire_is_founded_and_plays_over_the_gateways(town: Town) -> None:
    status, empire = town.sign_up("Lacuna")
    assert (status, empire["name"]) == (201, "Lacuna")

    async def story() -> None:
        here, there = empire["gateways"], empire["gateways"][::-1]
        async with playing(here, empire["token"]) as one, playing(there, empire["token"]) as other:
            [planet] = (await one.ask("/empire/status", {}))["content"]["planets"]
            mine = planet["buildings"][1]["building_id"]
            await other.ask("/room/join", {}, room="sector:0")
            reply = await one.ask("/building/upgrade", {"building_id": mine})
            assert reply["content"]["upgrade"] is not None
            # Whichever gateway a client of the empire is at, it is told.
            for player in (one, other):
                await player.hears("/building/upgraded", building_id=mine, level=2)
            fleet = await one.ask("/fleet/construct", {"body_id": planet["body_id"], "ships": 1})
            await other.hears("/fleet/constructed", fleet_id=fleet["content"]["fleet_id"])
            corner = {"sector": 0, "left": planet["x"] // 50 * 50, "bottom": planet["y"] // 50 * 50}
            await other.hears("/starmap/changed", **corner)
            chunk = await one.ask("/starmap/getMapChunk", corner)
            found = [each for star in chunk["content"]["stars"] for each in star["planets"] if each["fleets"]]
            assert planet["body_id"] in [each["body_id"] for each in found]

    asyncio.run(story())


BAD: list[tuple[str, Any, int]] = [
    ("/building/explode", {}, 404),
    # The end of an upgrade is not a client's to ask for.
    ("/building/finishUpgrade", {"building_id": 1}, 404),
    ("/building/upgrade", {}, 400),
    ("/building/upgrade", {"building_id": "one"}, 400),
    ("/building/upgrade", {"building_id": 2**40}, 400),
    ("/building/upgrade", {"building_id": 99_999}, 404),
    ("/fleet/construct", {"body_id": 1, "ships": 0}, 400),
    ("/starmap/getMapChunk", {"sector": 0, "left": 7, "bottom": 0}, 400),
    ("/starmap/getMapChunk", {"sector": 0, "left": 0}, 400),
    ("/room/join", {}, 400),
]


def test_what_makes_no_sense_is_refused_with_a_reason_and_the_client_goes_on(town: Town) -> None:
    _, empire = town.sign_up("Curious")

    async def story() -> None:
        async with playing(empire["gateways"], empire["token"]) as player:
            for route, content, status in BAD:
                reply = await player.ask(route, content)
                assert (reply["status"], bool(reply["message"])) == (status, True), (route, content, reply)
            # One that is too large, or no JSON, has no msgId that anybody could have read.
            assert player._socket is not None
            await player._socket.send(" " * 70_000)
            await player._socket.send("no JSON")
            assert (await player.ask("/empire/status", {}))["status"] == 200
            assert player.losses == 0

    asyncio.run(story())


def test_the_lobby_lets_in_whom_it_knows_and_tells_the_others_why_not(town: Town) -> None:
    assert town.sign_up("Known")[0] == 201
    assert town.sign_up("Known")[0] == 409
    assert town.post("/sessions", {"name": "Known", "password": PASSWORD})[0] == 200
    status, told = town.post("/sessions", {"name": "Known", "password": "wrong enough"})
    assert (status, told["reason"]) == (401, "no empire has this name and this password")
    _, captcha = town.post("/captchas")
    status, image = town.get(captcha["image"])
    assert (status, image[:4]) == (200, b"\x89PNG")
    wrong = {"name": "Robot", "password": PASSWORD, "answer": "?", **captcha}
    assert town.post("/empires", wrong)[0] == 403
    assert town.post("/sessions", b"no JSON")[0] == 400
    assert town.post("/sessions", b" " * 5_000)[0] == 413
    assert town.get("/captchas/nobody.png")[0] == 404
    assert town.get("/../processes.py")[0] == 404
    assert b"<!doctype html>" in town.get("/")[1].lower()
    status, module = town.get("/penstock.js")
    assert (status, b"export function connect" in module) == (200, True)


def test_old_producers_put_the_seeds_messages_over_beanstalk(town: Town) -> None:
    _, empire = town.sign_up("Old times")
    host, _, port = town.places["beanstalk"].partition(":")

    async def story() -> None:
        async with playing(empire["gateways"], empire["token"]) as player:
            await player.ask("/empire/status", {})
            with greenstalk.Client((host, int(port)), encoding=None, use="bg_pubsub") as client:
                message = (
                    b'{"route": "/building/upgraded", "user_id": %d, "content": {"building_id": 6545, '
                    b'"body_id": 5544, "empire_id": 3}}' % empire["empire_id"]
                )
                envelope = b'{"channel": "ps_building", "message": %s}' % message
                client.put(b'{"route": "/pubsub/publish", "content": %s}' % envelope)
                with pytest.raises(greenstalk.JobTooBigError):
                    client.put(b" " * 70_000)
                client.use("fg_websocket")
                client.put(message.replace(b"6545", b"4573"))
            await player.hears("/building/upgraded", building_id=6545)
            # Deprecated, and heard all the same.
            await player.hears("/building/upgraded", building_id=4573)

    asyncio.run(story())


def test_every_upgrade_is_completed_exactly_once_whatever_is_killed(town: Town) -> None:
    async def story() -> None:
        async with match(town) as found:
            await found.round(1)
            assert sum(player.losses for player in found.players) > 0

    asyncio.run(story())


def test_a_second_start_finds_its_data(town: Town) -> None:
    assert town.sign_up("Patient")[0] == 201
    assert town.end() == 0
    assert town.lines[-1] == "stopping"
    town.start()
    assert town.post("/sessions", {"name": "Patient", "password": PASSWORD})[0] == 200


@pytest.mark.soak
def test_and_so_it_is_round_after_round(tmp_path: Path) -> None:
    async def story(running: Town) -> None:
        async with match(running) as found:
            for level in (1, 2):
                await found.round(level)

    for number in range(10):
        with Town(tmp_path / str(number), "--pace", "6") as running:
            asyncio.run(story(running))
