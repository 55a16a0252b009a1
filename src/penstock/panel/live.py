"""The live socket: a page names the API's paths that it watches, and gets the answers that have changed.

    page:   {"watch": {"/api/overview": 1, "/api/nodes": 5}}     path → seconds between two looks
    server: {"round": 1, "answers": {"/api/overview": {"status": 200, "body": …}, …}}
    page:   {"seen": 1}
    page:   {"again": true}     it has changed something: everything is looked at now, and told

Each path is asked of the application itself, with what the page has shown at the door: who may see what is
decided in one place. No round follows before the page has shown the last one, and what has not changed is not
sent: a slow page skips rounds, and nothing is ever queued for it.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

import msgspec
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocketDisconnect, WebSocketState

from penstock.clock import SystemClock
from penstock.panel.entering import is_own_page
from penstock.panel.watched import Answer, Watched

if TYPE_CHECKING:
    from starlette.types import Message, Scope
    from starlette.websockets import WebSocket

    from penstock.clock import Clock

__all__ = ["SOCKETS", "UNATTENDED", "Live"]

#: In the scope of a request that a page makes by itself: nobody sits there, so it keeps no session alive.
UNATTENDED: Final = "penstock.unattended"
#: Of what is shown at the door, all that tells who asks and where.
SHOWN: Final = frozenset({b"authorization", b"cookie", b"host", b"x-forwarded-for", b"x-forwarded-proto"})
#: Characters that a page says at a time.
SAID_MOST: Final = 64 * 1024
#: Bytes of one answer; what is longer is read a page at a time.
ANSWER_MOST: Final = 8 * 1024 * 1024
#: Seconds in which a page must have shown a round.
SEEN_IN: Final = 120.0

#: RFC 6455 §7.4.2 leaves 4000 to 4999 to us: what was said makes no sense, nobody known, another's page.
BAD: Final = 4400
UNAUTHORISED: Final = 4401
FOREIGN: Final = 4403

_log = logging.getLogger(__name__)


class Said(msgspec.Struct):
    """What a page says: one or another."""

    watch: dict[str, float] | None = None
    seen: int = -1
    again: bool = False


class Live:
    """Serves the sockets of all pages."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()

    async def serve(self, websocket: WebSocket) -> None:
        """One page, until it goes."""
        await websocket.accept()
        page = _Page(websocket, self._clock)
        if not is_own_page(websocket):
            await page.close(FOREIGN, "another site's page")
        elif (await page.ask("/api/whoami")).status != 200:  # noqa: PLR2004 (HTTP's OK)
            await page.close(UNAUTHORISED, "log in first")
        else:
            await page.run()


class _Page:
    """One open page."""

    def __init__(self, websocket: WebSocket, clock: Clock) -> None:
        self._websocket = websocket
        self._clock = clock
        self._watched = Watched()
        self._heard = asyncio.Event()
        self._round = 0
        self._seen = 0

    async def run(self) -> None:
        """Listen and tell, until one of them ends."""
        tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._tell())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            for result in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(result, Exception) and not isinstance(result, WebSocketDisconnect):
                    _log.error("a page's live socket ended: %s: %s", type(result).__name__, result)
        await self.close(1000, "")

    async def close(self, code: int, reason: str) -> None:
        """Say why, if anybody is still there."""
        if self._websocket.application_state is WebSocketState.CONNECTED:
            with suppress(RuntimeError, WebSocketDisconnect):
                await self._websocket.close(code, reason)

    async def _listen(self) -> None:
        while True:
            text = await self._websocket.receive_text()
            try:
                said = msgspec.json.decode(text if len(text) <= SAID_MOST else "", type=Said)
                if said.watch is not None:
                    self._watched.change(said.watch, self._clock.now())
            except (msgspec.MsgspecError, ValueError) as error:
                await self.close(BAD, str(error)[:100])
                return
            if said.again:
                self._watched.again(self._clock.now())
            self._seen = max(self._seen, said.seen)
            self._heard.set()

    async def _tell(self) -> None:
        while True:
            await self._until_due()
            answers = {path: await self.ask(path) for path in self._watched.due(self._clock.now())}
            if any(answer.status == 401 for answer in answers.values()):  # noqa: PLR2004 (HTTP's Unauthorized)
                await self.close(UNAUTHORISED, "the session is over")
                return
            news = {path: answer for path, answer in answers.items() if self._watched.is_news(path, answer)}
            if news:
                self._round += 1
                said = msgspec.json.encode({"round": self._round, "answers": news})
                await self._websocket.send_text(said.decode())
                async with asyncio.timeout(SEEN_IN):
                    await self._until_seen()

    async def _until_due(self) -> None:
        while True:
            self._heard.clear()
            next_at = self._watched.next_at()
            wait = None if next_at is None else next_at - self._clock.now()
            if wait is not None and wait <= 0:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await self._heard.wait()

    async def _until_seen(self) -> None:
        while self._seen < self._round:
            self._heard.clear()
            await self._heard.wait()

    async def ask(self, path: str) -> Answer:
        """What the application answers to the page's user."""
        scope = self._websocket.scope
        reply = _Reply()
        await scope["app"](_inner(scope, path), _nothing, reply.take)
        return reply.answer()


class _Reply:
    """Gathers one answer of the application."""

    def __init__(self) -> None:
        self._status = 500
        self._kind = b""
        self._body = bytearray()

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            headers = {name.lower(): value for name, value in message["headers"]}
            self._kind = headers.get(b"content-type", b"")
        elif len(self._body) <= ANSWER_MOST:
            self._body += message.get("body", b"")

    def answer(self) -> Answer:
        if len(self._body) > ANSWER_MOST:
            return Answer(
                413, msgspec.Raw(b'{"reason":"the answer is too long: ask for fewer columns or a page"}')
            )
        is_json = self._kind.startswith(b"application/json")
        return Answer(self._status, msgspec.Raw(bytes(self._body) if is_json and self._body else b"null"))


def _inner(scope: Scope, path: str) -> dict[str, Any]:
    """The request that a page would make of that path by itself."""
    told = urlsplit(path)
    return {
        "type": "http",
        "asgi": scope["asgi"],
        "http_version": "1.1",
        "method": "GET",
        "scheme": "https" if scope["scheme"] == "wss" else "http",
        "path": unquote(told.path),
        "raw_path": told.path.encode(),
        "query_string": told.query.encode(),
        "root_path": "",
        "headers": [(name, value) for name, value in scope["headers"] if name in SHOWN],
        "client": scope["client"],
        "server": scope["server"],
        "state": scope.get("state", {}),
        UNATTENDED: True,
    }


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


SOCKETS: Final = (WebSocketRoute("/live", Live().serve),)
