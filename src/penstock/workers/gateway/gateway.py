"""The WebSocket gateway: composition, its start and end, and its heartbeat.

Any number of gateways share a broker. Each has a pipe of its own on the channel ps_websocket, so each hears
all that is for clients; all of them take from fg_websocket. See history.py for what a client gets that comes
again.

The server is `websockets`' own on uvloop. Side by side it needed 28 ms of the processor for a broadcast to
2,000 clients when a frame is serialised once for all, against 35 ms with its own broadcast and 38 ms beneath
uvicorn. picows, which is compiled, needed 22 ms: no reason to leave the library that is known best.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Final

from websockets.asyncio.server import serve

from penstock.clock import sleep
from penstock.errors import CannotListen, ClientError
from penstock.workers.fan import FanExchange
from penstock.workers.fan.channels import pipe_topology
from penstock.workers.gateway.client import frame_of
from penstock.workers.gateway.clients import Clients
from penstock.workers.gateway.counters import Counters
from penstock.workers.gateway.desk import Desk
from penstock.workers.gateway.envelope import Reply
from penstock.workers.gateway.hearing import TICK, Hearing
from penstock.workers.gateway.history import History
from penstock.workers.gateway.pages import State, is_websocket, maybe_page
from penstock.workers.gateway.replying import Replying
from penstock.workers.gateway.settings import REPLIES, WEBSOCKET, GatewaySettings
from penstock.workers.gateway.welcoming import NO_SESSION, Welcome
from penstock.workers.jobs import Jobs

if TYPE_CHECKING:
    from ssl import SSLContext
    from typing import Self

    from websockets.asyncio.server import Server, ServerConnection
    from websockets.http11 import Request, Response

    from penstock.messaging.amqp import AmqpBroker
    from penstock.workers.gateway.policy import Policy

__all__ = ["Gateway"]

log = logging.getLogger(__name__)

HEARTBEAT: Final = "/gateway/heartbeat"
#: Seconds that a ping may take, and between two of them: with both, a peer that is gone is known within 40.
PING: Final = 20.0
#: Seconds for a farewell.
FAREWELL: Final = 5.0
#: Messages in hand beyond the history: what one read may bring before the oldest go.
SLACK: Final = 2_000
#: Characters beyond the largest request that are still answered rather than cut off.
LEEWAY: Final = 4
#: Seconds that the history may take to come back at the start.
LOADING: Final = 10.0
BACKLOG: Final = 4096
#: Heartbeats that are sent in one go: a few milliseconds' worth.
AT_ONCE: Final = 200


class Gateway:
    """A gateway: `async with Gateway(broker, policy) as gateway`."""

    def __init__(
        self,
        broker: AmqpBroker,
        policy: Policy,
        settings: GatewaySettings | None = None,
        *,
        tls: SSLContext | None = None,
    ) -> None:
        self.settings = settings = settings or GatewaySettings()
        self.counters = Counters()
        self.clients = Clients()
        limits = settings.limits
        self._broker = broker
        self._policy = policy
        self._tls = tls
        self._fan = FanExchange(broker)
        self._history = History(each=limits.history, in_all=limits.history_in_all, lasts=limits.history_lasts)
        self._hearing = Hearing(self.clients, self._history, self.counters, broker.clock)
        self._jobs = Jobs(broker)
        desk = Desk(
            policy,
            self._jobs,
            clients=self.clients,
            history=self._history,
            limits=limits,
            counters=self.counters,
        )
        self._welcome = Welcome(desk, self.clients, limits=limits, counters=self.counters, clock=broker.clock)
        self._server: Server | None = None
        self._opened = AsyncExitStack()

    def __repr__(self) -> str:
        return f"<Gateway {self.settings.pipe}: {self.counters}>"

    @property
    def port(self) -> int:
        """Where it listens."""
        if self._server is None:
            return self.settings.address.port
        found: int = next(iter(self._server.sockets)).getsockname()[1]
        return found

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    # Start and end

    async def start(self) -> None:
        """Listen to the channels, and then to clients.

        Raises:
            CannotListen: the address is taken, or none of this machine's.
            ClientError: the broker is away, or has something else by a name of ours.
        """
        async with AsyncExitStack() as opened:
            for queue in (REPLIES, *self._policy.queues):
                await self._jobs.declare(queue)
            await self._begin_hearing(opened)
            replying = Replying(self._broker)
            opened.push_async_callback(replying.stop)
            await replying.start()
            await self._begin_listening(opened)
            beating = asyncio.create_task(self._beat(), name="gateway's heartbeat")
            opened.callback(beating.cancel)
            self._opened = opened.pop_all()

    async def stop(self) -> None:
        """Say farewell to all clients; what was kept for them stays for the next gateway of this name."""
        await self._opened.aclose()

    async def _begin_hearing(self, opened: AsyncExitStack) -> None:
        limits = self.settings.limits
        pipe = pipe_topology(self.settings.pipe, (WEBSOCKET, *self.settings.channels))
        await self._broker.initialize(pipe)
        opened.callback(self._broker.client.forget, *pipe.queues)
        opened.callback(self._history.give_back)
        prefetch = limits.history_in_all + SLACK
        subscribed = await self._broker.subscribe(
            self.settings.pipe, self._hearing.receive, prefetch=prefetch
        )
        opened.push_async_callback(subscribed.cancel)
        # What was in the pipe before comes before this does: then the history is whole, and clients may come.
        await self._fan.publish(WEBSOCKET, {"route": TICK})
        try:
            async with asyncio.timeout(LOADING):
                while not self._history.mark:  # noqa: ASYNC110  seldom, and short
                    await asyncio.sleep(0.005)
        except TimeoutError:
            log.warning("%s: the history is not there yet; clients may be told of gaps", self.settings.pipe)

    async def _begin_listening(self, opened: AsyncExitStack) -> None:
        host, port = self.settings.address
        try:
            self._server = server = await serve(
                self._welcome.receive,
                host or None,
                port,
                process_request=self._judge,
                ssl=self._tls,
                # The same bytes go to all, and 5,000 compressors would be 1.5 GB.
                compression=None,
                max_size=self.settings.limits.request * LEEWAY,
                max_queue=4,
                ping_interval=PING,
                ping_timeout=PING,
                close_timeout=FAREWELL,
                server_header=None,
                backlog=BACKLOG,
            )
        except OSError as exc:
            raise CannotListen(
                f"{self.settings.address} cannot be listened on: {exc}", setting="listen"
            ) from exc
        opened.push_async_callback(self._end_listening, server)

    async def _end_listening(self, server: Server) -> None:
        server.close()
        await server.wait_closed()
        await self._welcome.all_closed()
        self._server = None

    def _judge(self, connection: ServerConnection, request: Request) -> Response | None:
        self.counters.connected = len(self.clients)
        state = State(
            counters=self.counters,
            has_room=self._welcome.count < self.settings.limits.connections,
            is_connected=self._broker.client.is_connected,
        )
        page = maybe_page(request, self.settings.origins, state)
        if page is not None and is_websocket(request):
            self.counters.turned_away += 1
        return page

    # Heartbeat

    async def _beat(self) -> None:
        heard = self.counters.heard
        while True:
            await sleep(self._broker.clock, self.settings.limits.heartbeat)
            await self._beat_once()
            if heard == self.counters.heard:
                await self._tick()
            heard = self.counters.heard

    async def _beat_once(self) -> None:
        """Tell all clients that we live, and the newest mark. Browsers do not see a WebSocket's own pings."""
        now = self._broker.clock.now()
        self._history.expire(now)
        self.counters.connected = len(self.clients)
        frame = frame_of(Reply(route=HEARTBEAT, content={"mark": self._history.mark}))
        for number, client in enumerate(self.clients, 1):
            if client.session.until <= now:
                client.close(NO_SESSION, "the session is over: log in again")
            else:
                client.send(frame)
            if number % AT_ONCE == 0:
                # A heartbeat is in no hurry: whoever has something to say comes in between.
                await asyncio.sleep(0)
        log.info("%s: %s", self.settings.pipe, self.counters)

    async def _tick(self) -> None:
        """Nobody has said anything: a mark that is young lets a client resume anywhere."""
        try:
            await self._fan.publish(WEBSOCKET, {"route": TICK})
        except ClientError as exc:
            log.warning("%s: the broker is away: %s", self.settings.pipe, exc)
