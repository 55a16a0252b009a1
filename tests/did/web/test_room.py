from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from penstock.did.web.answers import HANDLERS
from penstock.did.web.bodies import read_body
from penstock.did.web.room import SMALL, LargeAnswer, Room
from tests.did.operation_queue.helpers import run
from tests.did.web.helpers import ask, asked

if TYPE_CHECKING:
    from starlette.requests import Request

LARGE = bytes(range(256)) * 1024


def test_there_is_room_again_when_one_is_done() -> None:
    room = Room(1000)
    with room.share() as one, room.share() as other:
        one.take(SMALL)
        one.take(900)
        with pytest.raises(HTTPException):
            other.take(SMALL + 101)
        assert room.left == 100
    assert room.left == 1000


def test_what_is_small_always_has_room() -> None:
    room = Room(0)
    with room.share() as share:
        share.take(SMALL)
        with pytest.raises(HTTPException):
            share.take(1)


def test_bodies_that_are_read_together_share_the_room() -> None:
    room, together = Room(len(LARGE)), asyncio.Event()

    async def page(request: Request) -> Response:
        with room.share() as share:
            body = await read_body(request, 10 * len(LARGE), share)
            await together.wait()
        return Response(str(len(body)))

    application: Any = Starlette(routes=[Route("/", page, methods=["POST"])], exception_handlers=HANDLERS)

    async def story() -> None:
        first = asyncio.create_task(asked(application, "POST", "/", LARGE))
        await asyncio.sleep(0)
        small = asyncio.create_task(asked(application, "POST", "/", b"small"))
        refused = await asked(application, "POST", "/", LARGE)
        assert (refused.status, refused.headers["retry-after"]) == (503, "5")
        together.set()
        assert [(await each).body for each in (first, small)] == [b"%d" % len(LARGE), b"5"]
        assert (await asked(application, "POST", "/", LARGE)).status == 200

    run(story())


def test_answers_share_it_until_they_are_taken() -> None:
    room = Room(len(LARGE))

    async def page(request: Request) -> Response:
        return LargeAnswer(LARGE, room, kind="text/plain", headers={"X-It": "1"})

    found = ask([Route("/", page)], "GET", "/")
    assert (found.status, found.body, found.headers["content-length"]) == (200, LARGE, str(len(LARGE)))
    assert found.headers["x-it"] == "1"
    assert room.left == len(LARGE)
    room.left = 0
    assert ask([Route("/", page)], "GET", "/").status == 503


def test_an_answer_that_breaks_off_gives_its_room_back() -> None:
    room = Room(len(LARGE))

    async def send(message: Any) -> None:
        if message["type"] != "http.response.start":
            assert room.left < len(LARGE)
            raise OSError("they are gone")

    nobody: Any = None
    with pytest.raises(OSError, match="gone"):
        run(LargeAnswer(LARGE, room, kind="text/plain")(nobody, nobody, send))
    assert room.left == len(LARGE)
