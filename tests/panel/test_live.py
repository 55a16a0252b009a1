"""The live socket: what a page is told, as who, how often; and pages that are slow or strange."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from penstock.panel import live, watched
from penstock.panel.live import SOCKETS, UNATTENDED
from tests.servers.running import free_port

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from starlette.requests import Request
    from websockets.asyncio.client import ClientConnection

SOON = 20.0
GUEST = {"Cookie": "session=guest"}


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each second comes ten times as fast."""
    monkeypatch.setattr(watched, "SOONEST", 0.1)


class _Server(uvicorn.Server):
    """Says when it is there, and leaves signals alone."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.is_ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_ready.set()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class House:
    """An application whose API counts, and knows one guest."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.scopes: list[dict[str, Any]] = []
        self.count = 0
        self.is_open = True
        self.port = free_port()
        self.heard = asyncio.Event()

    async def whoami(self, request: Request) -> Response:
        is_guest = request.cookies.get("session") == "guest" and self.is_open
        return JSONResponse({}, 200 if is_guest else 401)

    async def counted(self, request: Request) -> Response:
        self.asked.append(str(request.url.query))
        self.scopes.append(dict(request.scope))
        self.heard.set()
        if not self.is_open:
            return JSONResponse({"reason": "over"}, 401)
        return JSONResponse({"count": self.count, "query": request.url.query})

    async def large(self, request: Request) -> Response:
        return JSONResponse("x" * live.ANSWER_MOST)

    async def plain(self, request: Request) -> Response:
        return PlainTextResponse("no JSON")

    @asynccontextmanager
    async def served(self) -> AsyncIterator[None]:
        verbs = {"whoami": self.whoami, "counted": self.counted, "large": self.large, "plain": self.plain}
        app = Starlette(routes=[*SOCKETS, *(Route(f"/api/{name}", verb) for name, verb in verbs.items())])
        config = uvicorn.Config(app, port=self.port, log_config=None, lifespan="off", ws="websockets-sansio")
        server = _Server(config)
        serving = asyncio.create_task(server.serve())
        await server.is_ready.wait()
        try:
            yield
        finally:
            server.should_exit = server.force_exit = True
            with suppress(asyncio.CancelledError):
                await serving

    def dial(self, headers: dict[str, str]) -> connect:
        return connect(f"ws://127.0.0.1:{self.port}/live", additional_headers=headers)


def told(story: Callable[[House, ClientConnection], Awaitable[None]]) -> None:
    """Tells a story between a page and the server."""

    async def tell() -> None:
        house = House()
        async with asyncio.timeout(SOON), house.served(), house.dial(GUEST) as page:
            await story(house, page)

    asyncio.run(tell())


async def say(page: ClientConnection, **what: Any) -> None:
    await page.send(json.dumps(what))


async def hear(page: ClientConnection) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(await page.recv())
    return found


def test_a_page_hears_of_what_it_watches_at_once_and_then_of_changes_only() -> None:
    async def story(house: House, page: ClientConnection) -> None:
        await say(page, watch={"/api/counted?a=1": 0.1})
        first = await hear(page)
        answer = {"status": 200, "body": {"count": 0, "query": "a=1"}}
        assert first == {"round": 1, "answers": {"/api/counted?a=1": answer}}
        await say(page, seen=1)
        house.heard.clear()
        await house.heard.wait()  # asked again, and nothing is new
        house.count = 7
        assert (await hear(page))["answers"]["/api/counted?a=1"]["body"]["count"] == 7

    told(story)


def test_a_page_that_asks_again_hears_everything_at_once() -> None:
    async def story(house: House, page: ClientConnection) -> None:
        await say(page, watch={"/api/counted": 60})
        first = await hear(page)
        await say(page, seen=1)
        await say(page, again=True)
        second = await hear(page)
        assert (second["round"], second["answers"]) == (2, first["answers"])

    told(story)


def test_a_page_that_has_not_shown_a_round_gets_no_other_and_nobody_is_asked_for_it() -> None:
    async def story(house: House, page: ClientConnection) -> None:
        await say(page, watch={"/api/counted": 0.1})
        await hear(page)
        house.count = 1
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.4):
                await hear(page)
        assert len(house.asked) == 1
        house.count = 2
        await say(page, seen=1)
        later = await hear(page)
        assert later["round"] == 2
        assert later["answers"]["/api/counted"]["body"]["count"] == 2, "what was between is skipped"

    told(story)


def test_the_application_is_asked_as_the_page_and_told_that_nobody_need_sit_there() -> None:
    async def story(house: House, page: ClientConnection) -> None:
        await say(page, watch={"/api/counted": 0.1})
        await hear(page)
        scope = house.scopes[0]
        assert scope[UNATTENDED] is True
        names = {name for name, _ in scope["headers"]}
        assert b"cookie" in names
        assert b"sec-websocket-key" not in names

    told(story)


def test_an_answer_that_is_no_json_and_a_refusal_are_told_as_such() -> None:
    async def story(house: House, page: ClientConnection) -> None:
        await say(page, watch={"/api/plain": 1, "/api/nothing": 1, "/api/large": 1})
        answers = (await hear(page))["answers"]
        assert answers["/api/plain"] == {"status": 200, "body": None}
        assert answers["/api/nothing"]["status"] == 404
        assert answers["/api/large"]["status"] == 413
        assert "too long" in answers["/api/large"]["body"]["reason"]

    told(story)


@pytest.mark.parametrize(
    "said",
    [
        "no JSON",
        '{"watch": 1}',
        '{"watch": {"/login": 1}}',
        json.dumps({"watch": {"/api/" + "x" * 70_000: 1}}),
    ],
    ids=["no JSON", "no paths", "no path of the API", "too much"],
)
def test_a_page_that_talks_nonsense_is_told_so_and_left(said: str) -> None:
    async def story(house: House, page: ClientConnection) -> None:
        await page.send(said)
        with pytest.raises(ConnectionClosed) as closed:
            await page.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == live.BAD

    told(story)


def test_the_socket_ends_with_the_session() -> None:
    async def story(house: House, page: ClientConnection) -> None:
        await say(page, watch={"/api/counted": 0.1})
        await hear(page)
        house.is_open = False
        await say(page, seen=1)
        with pytest.raises(ConnectionClosed) as closed:
            await page.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == live.UNAUTHORISED

    told(story)


@pytest.mark.parametrize(
    ("headers", "code"),
    [({}, live.UNAUTHORISED), ({**GUEST, "Origin": "http://evil.example"}, live.FOREIGN)],
    ids=["nobody", "another site's page"],
)
def test_a_stranger_is_turned_away(headers: dict[str, str], code: int) -> None:
    async def story() -> None:
        house = House()
        async with asyncio.timeout(SOON), house.served(), house.dial(headers) as page:
            with pytest.raises(ConnectionClosed) as closed:
                await page.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == code
            assert house.asked == []

    asyncio.run(story())
