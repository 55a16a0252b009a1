"""What the gateway's tests share: a gateway on a broker, and a client that speaks its protocol."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from websockets.asyncio.client import connect

from penstock.clock import VirtualClock
from penstock.messaging import open_amqp_broker
from penstock.settings.address import Address
from penstock.workers.gateway import ClientRoute, Gateway, GatewaySettings, Limits, Policy, SessionTokens
from penstock.workers.gateway.client import Client
from penstock.workers.gateway.counters import Counters
from penstock.workers.gateway.pace import Pace
from penstock.workers.gateway.policy import open_rooms
from penstock.workers.gateway.session import Session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from websockets.asyncio.client import ClientConnection

    from penstock.messaging.amqp import AmqpBroker

#: Seconds after which something must be wrong.
SOON: Final = 60.0
TOKENS: Final = SessionTokens(b"a secret for tests, and no other" * 2)


def policy(**changed: Any) -> Policy:
    """Clients may ask for a chunk of the star map, and join planets' rooms."""
    routes = {"/starmap/getMapChunk": ClientRoute(queue="bg_starmap")}
    return Policy(
        **{"check_token": TOKENS, "routes": routes, "may_join": open_rooms(["planet:*"]), **changed}
    )


class Wire:
    """A client's line: what was written to it, and how much of that waits."""

    def __init__(self) -> None:
        self.is_open = True
        self.frames: list[bytes] = []
        self.unsent = 0
        self.closed: list[tuple[int, str]] = []

    def write(self, frame: bytes) -> None:
        self.frames.append(frame)

    def close(self, code: int, reason: str) -> None:
        self.closed.append((code, reason))

    @property
    def told(self) -> list[Any]:
        """The messages; a frame of these tests has a header of two bytes, or of four."""
        return [json.loads(frame[2 if frame[1] < 126 else 4 :]) for frame in self.frames]


def client_on(wire: Wire, user: int | str = 3, code: str = "", unsent: int = 1000) -> Client:
    return Client(
        Session(user_id=user),
        code,
        line=wire,
        pace=Pace(100, 100, 0.0),
        unsent=unsent,
        counters=Counters(),
    )


class Talk:
    """A client's side of a connection."""

    def __init__(self, socket: ClientConnection, code: str) -> None:
        self.socket = socket
        self.code = code
        self.opened: dict[str, Any] = {}

    async def send(self, route: str, content: Any = None, **more: Any) -> None:
        request = {"route": route, "clientCode": self.code, "content": content or {}, **more}
        await self.socket.send(json.dumps(request))

    async def next(self) -> Any:
        """What comes next, but for heartbeats."""
        while True:
            found = json.loads(await asyncio.wait_for(self.socket.recv(), SOON))
            if found.get("route") != "/gateway/heartbeat":
                return found

    async def ask(self, route: str, content: Any = None, **more: Any) -> Any:
        await self.send(route, content, **more)
        return await self.next()

    async def closed(self) -> tuple[int | None, str | None]:
        """How the gateway ended it."""
        await asyncio.wait_for(self.socket.wait_closed(), SOON)
        return self.socket.close_code, self.socket.close_reason


@asynccontextmanager
async def talk(
    port: int, user: int | str | None = 3, code: str = "c1", **opening: Any
) -> AsyncIterator[Talk]:
    """A client with a session; without one, if there is no user."""
    async with connect(f"ws://127.0.0.1:{port}/ws", compression=None, open_timeout=SOON) as socket:
        talking = Talk(socket, code)
        if user is not None:
            reply = await talking.ask("/session/open", {"token": TOKENS.issue(user), **opening})
            assert reply["status"] == 200, reply
            talking.opened = reply["content"]
        yield talking


@asynccontextmanager
async def opened_broker(url: str | None = None) -> AsyncIterator[AmqpBroker]:
    broker = await open_amqp_broker(url)
    try:
        yield broker
    finally:
        await broker.close()


@asynccontextmanager
async def gateway_on(
    broker: AmqpBroker, name: str = "a", decided: Policy | None = None, **limits: Any
) -> AsyncIterator[Gateway]:
    settings = GatewaySettings(address=Address("127.0.0.1", 0), name=name, limits=Limits(**limits))
    async with Gateway(broker, decided or policy(), settings) as gateway:
        yield gateway


def still_clock() -> VirtualClock:
    return VirtualClock(1_000_000.0)
