"""The AMQP adapter of the Broker port: RabbitMQ, a Penstock server, or a broker in this process.

Turns messages into what penstock.client sends, and back. Delays are the broker's own on Penstock; elsewhere a
detour that delays.py knows, declared when it is first needed.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from penstock.client import Outgoing
from penstock.clock import SystemClock, sleep
from penstock.errors import ClientError, PublishError, PublishLost, PublishRefused, PublishTimeout
from penstock.messaging.delays import DelayLadder
from penstock.messaging.doctor import demand_portable
from penstock.messaging.envelope import delay_header, properties_for
from penstock.messaging.headers import EXCHANGE, KEY
from penstock.messaging.leases import Leases
from penstock.messaging.received import AmqpReceived
from penstock.messaging.tracing import marked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.client import Client, ServerInfo
    from penstock.clock import Clock
    from penstock.messaging.message import Destination, Message
    from penstock.messaging.port import Delays, Received, Subscribed, Topology

__all__ = ["AmqpBroker"]

#: What a Penstock broker calls itself; it keeps delays by itself.
PENSTOCK: Final = "Penstock"


class AmqpBroker:
    """A broker that speaks AMQP 0-9-1, behind the Broker port."""

    def __init__(self, client: Client, *, clock: Clock | None = None, delays: Delays | None = None) -> None:
        self.client = client
        self._clock = clock or SystemClock()
        self._delays = delays or DelayLadder()
        self._known = client.server
        self._leases = Leases(self._clock)
        #: Ways of delayed messages that are declared already: where they begin, and where they end.
        self._laid: set[tuple[str, str, str]] = set()

    def __repr__(self) -> str:
        return f"<AmqpBroker {self.product} {'.'.join(map(str, self.version))}, {self.client!r}>"

    # What it is

    @property
    def product(self) -> str:
        return self._server.product

    @property
    def version(self) -> tuple[int, ...]:
        return self._server.version

    @property
    def _server(self) -> ServerInfo:
        """What answered last: while nobody does, it is still the same broker that we wait for."""
        now = self.client.server
        if now.product:
            self._known = now
        return self._known

    @property
    def clock(self) -> Clock:
        return self._clock

    @property
    def is_connected(self) -> bool:
        return self.client.is_connected

    # What it does

    async def initialize(self, topology: Topology) -> None:
        # Some mistakes end the whole connection, others are taken without a word: told before they are made.
        demand_portable(topology, self._server)
        await self.client.declare(*topology.exchanges, *topology.queues, *topology.bindings)

    async def publish(
        self,
        message: Message,
        to: Destination,
        *,
        timeout: float | None = None,  # noqa: ASYNC109  by the broker's clock
    ) -> None:
        if message.delay <= 0:
            await self.client.publish(self._direct(message, to), timeout)
            return
        until = self._until(timeout)
        outgoing = await self._delayed(message, to, until)
        await self.client.publish(outgoing, until - self._clock.now())

    async def publish_many(
        self,
        messages: Sequence[tuple[Message, Destination]],
        *,
        timeout: float | None = None,  # noqa: ASYNC109  by the broker's clock
    ) -> list[PublishError | None]:
        refused: dict[int, PublishError | None] = {}
        outgoing: list[Outgoing] = []
        until = self._until(timeout)
        for position, (message, to) in enumerate(messages):
            try:
                outgoing.append(
                    self._direct(message, to)
                    if message.delay <= 0
                    else await self._delayed(message, to, until)
                )
            except ClientError:
                raise
            except Exception as exc:  # noqa: BLE001  an endless delay, say: no reason to keep back the others
                refused[position] = PublishRefused(f"it has no place on the wire: {exc}", is_final=True)
        done = iter(await self.client.publish_many(outgoing, until - self._clock.now()))
        if not refused:
            return list(done)
        return [refused[each] if each in refused else next(done) for each in range(len(messages))]

    async def subscribe(
        self,
        queue: str,
        receive: Callable[[list[Received]], None],
        *,
        prefetch: int,
        pool: int = 1,
        any_size: bool = False,
    ) -> Subscribed:
        def take(received: list[Any]) -> None:
            self._hold(received)
            receive(received)

        return await self.client.consume(
            queue, take, prefetch=prefetch, pool=pool, any_size=any_size, delivery=AmqpReceived
        )

    async def fetch(self, queue: str) -> Received | None:
        received = cast("AmqpReceived | None", await self.client.get(queue, AmqpReceived))
        self._hold([] if received is None else [received])
        return received

    async def depth(self, queue: str) -> int | None:
        state = await self.client.queue_state(queue)
        return None if state is None else state.messages

    async def close(self) -> None:
        self._leases.close()
        await self.client.close()

    # How

    def _hold(self, received: list[AmqpReceived]) -> None:
        # Elsewhere a lease is a header like any other.
        if self._server.product == PENSTOCK:
            self._leases.hold(received)

    def _until(self, timeout: float | None) -> float:
        return self._clock.now() + (self.client.settings.publish_timeout if timeout is None else timeout)

    def _direct(self, message: Message, to: Destination) -> Outgoing:
        message = marked(message, to)
        return Outgoing(to.exchange, to.key, message.body, properties_for(message, self._clock.now()))

    async def _delayed(self, message: Message, to: Destination, until: float) -> Outgoing:
        message, now = marked(message, to), self._clock.now()
        if self.product == PENSTOCK:
            further = delay_header(message)
            return Outgoing(to.exchange, to.key, message.body, properties_for(message, now, further))
        detour = self._delays.detour(message.delay, to)
        way = (detour.to.exchange, to.exchange, "" if to.exchange else to.key)
        if way not in self._laid:
            await self._lay(detour.topology, until)
            self._laid.add(way)
        # On the way a time to live would run out early, and the message arrive before its time.
        timeless = replace(message, expires_in=None)
        # And it forgets where it was published to; a copy knows better already.
        origin = {} if KEY in message.headers else {EXCHANGE: to.exchange, KEY: to.key}
        properties = properties_for(timeless, now, {**detour.headers, **origin})
        return Outgoing(detour.to.exchange, detour.to.key, message.body, properties)

    async def _lay(self, topology: Topology, until: float) -> None:
        # A broker that does not answer is waited for longer than a publish may take.
        laying = asyncio.ensure_future(self.initialize(topology))
        over = asyncio.ensure_future(sleep(self._clock, until - self._clock.now()))
        try:
            await asyncio.wait([laying, over], return_when=asyncio.FIRST_COMPLETED)
            if not laying.done():
                raise PublishTimeout("not sent in time: the way of a delayed message is not laid yet")
            laying.result()
        except PublishError:
            raise
        except ClientError as exc:
            raise PublishLost(f"the way of a delayed message cannot be laid: {exc}") from exc
        finally:
            laying.cancel()
            over.cancel()
