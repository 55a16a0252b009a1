"""A client of the gateways as penstock.js is one, in Python: it comes again after a loss, and asks again."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from tests.examples.keno.town import SOON_S

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from websockets.asyncio.client import ClientConnection

#: Statuses that say that more is to come.
UNDER_WAY = 102
TAKEN = 202
#: The broker is away: the same request can be sent again.
AWAY = 503
AGAIN_IN = 0.3


class Player:
    """An empire's client."""

    def __init__(self, gateways: Sequence[str], token: str) -> None:
        self._gateways = list(gateways)
        self._token = token
        self._code = uuid4().hex
        self._ids = count(1)
        self._mark = ""
        self._waiting: dict[str, tuple[dict[str, Any], asyncio.Future[dict[str, Any]]]] = {}
        #: Those of them that a queue has taken: their replies will come.
        self._taken: set[str] = set()
        self._socket: ClientConnection | None = None
        self._sending: set[asyncio.Task[None]] = set()
        #: What was pushed, each once, by its id.
        self.pushed: dict[str, dict[str, Any]] = {}
        #: How often it had to come again.
        self.losses = -1

    async def ask(self, route: str, content: Any, *, room: str = "") -> dict[str, Any]:
        """The last reply to a request, however many gateways die meanwhile."""
        msg_id = str(next(self._ids))
        request = {
            "route": route,
            "msgId": msg_id,
            "clientCode": self._code,
            "content": content,
            "room": room,
        }
        reply: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[msg_id] = request, reply
        await self._send(request)
        async with asyncio.timeout(SOON_S):
            return await reply

    async def hears(self, route: str, **content: Any) -> dict[str, Any]:
        """What is pushed under a route, with this in it, at the latest soon."""
        async with asyncio.timeout(SOON_S):
            while True:
                for each in self.pushed.values():
                    if each["route"] == route and content.items() <= each["content"].items():
                        return each
                await asyncio.sleep(0.02)

    async def run(self) -> None:
        """Be connected, to one gateway or another."""
        for number in count():
            with suppress(OSError, WebSocketException, TimeoutError):
                await self._live(self._gateways[number % len(self._gateways)])
            self._socket = None
            await asyncio.sleep(0.1)

    async def _live(self, gateway: str) -> None:
        async with connect(gateway, open_timeout=5) as socket:
            opening = {"token": self._token, "mark": self._mark}
            await socket.send(
                json.dumps({"route": "/session/open", "clientCode": self._code, "content": opening})
            )
            opened = json.loads(await socket.recv())
            self._take(opened)
            self._socket = socket
            self.losses += 1
            # As penstock.js does: what is taken is asked again only if its reply may have been missed.
            is_whole = opened["content"].get("resumed") != "gap"
            for msg_id, (request, _) in list(self._waiting.items()):
                if not (is_whole and msg_id in self._taken):
                    await self._send(request)
            async for text in socket:
                self._take(json.loads(text))

    def _take(self, message: dict[str, Any]) -> None:
        content = message.get("content")
        self._mark = message.get("id") or (isinstance(content, dict) and content.get("mark")) or self._mark
        msg_id = message.get("msgId") or ""
        waiting = self._waiting.get(msg_id)
        if waiting is not None and message["status"] == TAKEN:
            self._taken.add(msg_id)
        elif waiting is not None and message["status"] == AWAY and not message.get("id"):
            asyncio.get_running_loop().call_later(AGAIN_IN, self._again, waiting[0])
        elif waiting is not None and message["status"] != UNDER_WAY:
            del self._waiting[msg_id]
            waiting[1].set_result(message)
        elif message.get("id") and message.get("route"):
            self.pushed.setdefault(message["id"], message)

    def _again(self, request: dict[str, Any]) -> None:
        if request["msgId"] in self._waiting:
            self._sending.add(task := asyncio.create_task(self._send(request)))
            task.add_done_callback(self._sending.discard)

    async def _send(self, request: dict[str, Any]) -> None:
        if self._socket is not None:
            with suppress(WebSocketException):
                await self._socket.send(json.dumps(request))


@asynccontextmanager
async def playing(gateways: Sequence[str], token: str) -> AsyncIterator[Player]:
    """A player, connected as long as the block lasts."""
    player = Player(gateways, token)
    running = asyncio.create_task(player.run())
    try:
        yield player
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
