"""One connection from its first frame to its last: a session, then requests one after another."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from websockets.exceptions import ConnectionClosed, ConnectionClosedError
from websockets.protocol import State

from penstock.errors import RequestRefused
from penstock.workers.gateway.client import Client, frame_of
from penstock.workers.gateway.envelope import Reply, Request, read_request
from penstock.workers.gateway.pace import Pace

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

    from penstock.clock import Clock
    from penstock.workers.gateway.clients import Clients
    from penstock.workers.gateway.counters import Counters
    from penstock.workers.gateway.desk import Desk
    from penstock.workers.gateway.settings import Limits

__all__ = ["NO_SESSION", "TOO_MANY", "SocketLine", "Welcome"]

log = logging.getLogger(__name__)

#: Close codes of our own (RFC 6455 §7.4.2); they end as HTTP's statuses do.
NO_SESSION: Final = 4401
TOO_MANY: Final = 4429

#: What a request is that could not be read.
_NONE: Final = Request(route="/")


class SocketLine:
    """A WebSocket as a client's line: whole frames go to the transport as they are.

    Args:
        socket: The WebSocket.
        closing: Where farewells are noted until they are over.
    """

    __slots__ = ("_closing", "_socket", "_transport")

    def __init__(self, socket: ServerConnection, closing: set[asyncio.Task[None]]) -> None:
        self._socket = socket
        self._transport = socket.transport
        self._closing = closing

    @property
    def is_open(self) -> bool:
        return self._socket.state is State.OPEN

    @property
    def unsent(self) -> int:
        return self._transport.get_write_buffer_size()

    def write(self, frame: bytes) -> None:
        self._transport.write(frame)

    def close(self, code: int, reason: str) -> None:
        # Whoever does not listen hears it late, or never: nobody waits for that.
        task = asyncio.create_task(self._socket.close(code, reason), name="gateway's farewell")
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


class Welcome:
    """Receives connections."""

    def __init__(
        self, desk: Desk, clients: Clients, *, limits: Limits, counters: Counters, clock: Clock
    ) -> None:
        self._desk = desk
        self._clients = clients
        self._limits = limits
        self._counters = counters
        self._clock = clock
        self._closing: set[asyncio.Task[None]] = set()
        #: Connections, with and without a session.
        self.count = 0

    def __repr__(self) -> str:
        return f"<Welcome to {self._clients!r}, {len(self._closing)} closing>"

    async def receive(self, socket: ServerConnection) -> None:
        """Have a connection until it ends."""
        self.count += 1
        try:
            client = await self._maybe_client(socket)
            if client is None:
                self._counters.turned_away += 1
                return
            try:
                async for text in socket:
                    await self._hear(client, text)
            finally:
                client.is_closing = True
                self._clients.remove(client)
                for task in client.waiting:
                    task.cancel()
        except ConnectionClosedError as exc:
            # With a farewell of either side, it ended as it should.
            self._counters.died += exc.rcvd is None and exc.sent is None
        finally:
            self.count -= 1

    # A session

    async def _maybe_client(self, socket: ServerConnection) -> Client | None:
        request = _NONE
        try:
            async with asyncio.timeout(self._limits.open_within):
                request = read_request(await socket.recv(), self._limits.request)
                session, opening = await self._desk.let_in(request)
                rooms = await self._desk.rooms_of(session, opening)
        except TimeoutError:
            await socket.close(NO_SESSION, "no session was opened in time")
            return None
        except RequestRefused as refused:
            await self._turn_away(socket, request, refused)
            return None
        except ConnectionClosed:
            return None
        client = Client(
            session,
            request.client_code,
            line=SocketLine(socket, self._closing),
            pace=Pace(self._limits.pace, self._limits.burst, self._clock.now()),
            unsent=self._limits.unsent,
            counters=self._counters,
        )
        self._desk.open(client, request, opening, rooms)
        return client

    async def _turn_away(self, socket: ServerConnection, request: Request, refused: RequestRefused) -> None:
        line = SocketLine(socket, self._closing)
        if line.is_open:
            line.write(frame_of(Reply.to(request, refused.status, message=str(refused))))
        code = TOO_MANY if refused.status == 429 else NO_SESSION  # noqa: PLR2004  as HTTP's
        await socket.close(code, str(refused)[:100])

    # Requests

    async def _hear(self, client: Client, text: str | bytes) -> None:
        self._counters.requests += 1
        request = _NONE
        try:
            self._demand_pace(client)
            request = read_request(text, self._limits.request)
            if self._desk.waits(request):
                self._wait(client, request)
                return
        except RequestRefused as refused:
            self._refuse(client, request, refused)
        else:
            await self._reply(client, request)

    async def _reply(self, client: Client, request: Request) -> None:
        try:
            client.tell(await self._desk.deal_with(client, request))
        except RequestRefused as refused:
            self._refuse(client, request, refused)
        except Exception:
            log.exception("%s: a request for %s failed", client, request.route)
            told = "something went wrong here; the operator's log tells what"
            client.tell(Reply.to(request, 500, message=told))

    def _refuse(self, client: Client, request: Request, refused: RequestRefused) -> None:
        self._counters.refused += 1
        client.tell(Reply.to(request, refused.status, message=str(refused)))

    def _wait(self, client: Client, request: Request) -> None:
        """Have it replied to while the client asks for other things."""
        if len(client.waiting) >= self._limits.waiting:
            raise RequestRefused(f"{self._limits.waiting} answers are waited for: one at a time", status=429)
        task = asyncio.create_task(self._reply(client, request), name="gateway's answer")
        client.waiting.add(task)
        task.add_done_callback(client.waiting.discard)

    def _demand_pace(self, client: Client) -> None:
        if client.pace.takes(self._clock.now()):
            client.hurried = 0
            return
        client.hurried += 1
        if client.hurried > self._limits.burst:
            client.close(TOO_MANY, "too many requests, again and again")
        raise RequestRefused(f"more than {self._limits.pace:g} requests a second: slow down", status=429)

    # Ends

    async def all_closed(self) -> None:
        """Return when the farewells are over."""
        await asyncio.gather(*self._closing, return_exceptions=True)
