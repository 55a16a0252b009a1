"""The client: everything an application asks of a broker, over connections that come back by themselves.

Composition only: each verb is carried out where its noun lives. Use it on one event loop; another thread
goes through `penstock.client.sync`.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from penstock.client.consumption import Consumption
from penstock.client.control import Control
from penstock.client.counters import Counters
from penstock.client.delivery import Delivery
from penstock.client.desired import Desired
from penstock.client.links import Links
from penstock.client.publisher import Publisher
from penstock.client.receiving import GetChannel
from penstock.client.requests import Requests
from penstock.client.road import Road
from penstock.client.values import ServerInfo
from penstock.clock import SystemClock
from penstock.errors import NotConnected
from penstock.wire.amqp import BasicProperties

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from penstock.client.dialing import Dial
    from penstock.client.run import Run
    from penstock.client.settings import ClientSettings
    from penstock.client.values import Outgoing, Queue, QueueState, Thing
    from penstock.clock import Clock
    from penstock.errors import PublishError
    from penstock.wire.amqp.table import Table

__all__ = ["Client"]

log = logging.getLogger(__name__)

#: Seconds for the broker to hear our farewell, however little time is left.
FAREWELL_IN: Final = 0.5


class Client:
    """A connected application; made by `connect`."""

    def __init__(
        self, urls: Sequence[str], dial: Dial | None, settings: ClientSettings, clock: Clock | None
    ) -> None:
        self.settings = settings
        self.counters = Counters()
        self.clock = clock or SystemClock()
        #: Called when a connection has come or gone, the broker has blocked or unblocked us, or a consumer
        #: has come or gone.
        self.on_change: list[Callable[[], None]] = []
        self._road = Road(urls, dial, settings, self.counters)
        self._links = Links(self._road, settings, self.counters, self.clock)
        self._links.on_change = self._changed
        self._desired = Desired()
        self._control = Control(self._links.main, self._desired, settings)
        self._links.main.prepare = self._control.restore
        self._publisher = Publisher(self._links.publishing, settings, self.counters, self.clock)
        self._publisher.on_change = self._changed
        self._requests = Requests(self._links.publishing, self.clock)
        self._consumptions: list[Consumption] = []

    def __repr__(self) -> str:
        return f"<Client of {self._road}, {len(self._consumptions)} consumptions, {self._publisher}>"

    async def open(self) -> None:
        """Connect for the first time; `connect` does it."""
        self._links.main.start()
        await self._links.main.ready()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # Publishing

    def publish(self, outgoing: Outgoing, timeout: float | None = None) -> asyncio.Future[None]:
        """Publish a message: await it, and the broker has it.

        A future and no coroutine: gathering many makes no task for each, which would cost more than the
        message.

        Raises:
            Unroutable: no queue takes it.
            PublishRefused: the broker would not keep it.
            PublishTimeout: no confirm in time; it may or may not have arrived.
            PublishLost: the connection went first; it may or may not have arrived.
            NotConnected: there is no connection, and none will come.
            CannotEncode: it has no place on the wire.
        """
        return self._publisher.publish(outgoing, timeout)

    async def publish_many(
        self,
        outgoings: Sequence[Outgoing],
        timeout: float | None = None,  # noqa: ASYNC109 (a deadline of our own, by our own clock)
    ) -> list[PublishError | None]:
        """Publish messages in order, in one write; what became of each, None where the broker has it.

        One that has no place on the wire counts as refused; then it is more than one write.
        """
        return await self._publisher.publish_many(outgoings, timeout)

    async def request(
        self,
        exchange: str,
        routing_key: str,
        body: bytes,
        properties: BasicProperties | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 (likewise)
    ) -> Delivery:
        """Publish a request; the reply to it, which needs no settling."""
        within = self.settings.publish_timeout if timeout is None else timeout
        return await self._requests.ask(
            exchange, routing_key, body, properties or BasicProperties.of(), within
        )

    # Wiring

    async def declare(self, *things: Thing) -> None:
        """Make exchanges, queues and bindings, now and after every loss."""
        await self._control.declare(things)

    async def withdraw(self, *things: Thing, only_if_idle: bool = False) -> None:
        """Remove them, and do not make them again; queues, if asked, only when empty and unused.

        Raises:
            BrokerRefused: 406, a queue is not idle. RabbitMQ has no such condition for quorum queues, and
                ends the connection.
        """
        await self._control.withdraw(things, only_if_idle=only_if_idle)

    def forget(self, *things: Thing) -> None:
        """Let them be: they stay at the broker as they are, and are not made again after a loss."""
        self._desired.discard(things)

    async def purge(self, queue: str | Queue) -> int:
        """Drop what waits in a queue; how many messages that were."""
        return await self._control.purge(queue)

    async def queue_state(self, queue: str | Queue) -> QueueState | None:
        """How full a queue is; None if there is none of that name."""
        return await self._control.state(queue)

    def queue_name(self, queue: str | Queue) -> str:
        """What the broker calls a queue at the moment."""
        return self._desired.name_of(queue)

    # Consuming

    async def consume(
        self,
        queue: str | Queue,
        receive: Callable[[list[Delivery]], None],
        *,
        prefetch: int = 100,
        pool: int = 1,
        exclusive: bool = False,
        arguments: Table | None = None,
        any_size: bool = False,
        delivery: type[Delivery] = Delivery,
    ) -> Consumption:
        """Have messages delivered until the consumption is cancelled.

        Args:
            queue: Whose messages.
            receive: Called with what has come in one read. It runs on the I/O path, so it only hands over.
            prefetch: Messages in hand, on each channel; 0 is no limit.
            pool: How many channels consume.
            exclusive: Nobody else may consume from the queue.
            arguments: For the broker, x-priority for one.
            any_size: Take messages beyond `max_body`, too, which are otherwise rejected unseen.
            delivery: A class with more verbs, if the receiver wants one; no wrapper is as cheap.
        """
        return await self._begin(
            pool,
            queue,
            receive,
            prefetch=prefetch,
            exclusive=exclusive,
            arguments=arguments,
            any_size=any_size,
            delivery=delivery,
        )

    async def consume_runs(
        self, queue: str | Queue, receive: Callable[[list[Run]], None], *, prefetch: int
    ) -> Consumption:
        """Have messages delivered as their frames, of any size, for who takes and settles many together.

        Args:
            queue: Whose messages.
            receive: As of `consume`. In a flood a read waits for more, some milliseconds.
            prefetch: Messages in hand; 0 is no limit.
        """
        return await self._begin(1, queue, receive, prefetch=prefetch, any_size=True, in_runs=True)

    async def _begin(self, pool: int, queue: str | Queue, receive: Any, **how: Any) -> Consumption:
        links = self._links.place(pool, is_exclusive=self._desired.is_exclusive(queue))
        consumption = Consumption(
            queue,
            receive,
            **how,
            settings=self.settings,
            clock=self.clock,
            desired=self._desired,
            control=self._control,
            changed=self._changed,
        )
        await consumption.begin(links)
        self._consumptions = [each for each in self._consumptions if not each.is_over]
        self._consumptions.append(consumption)
        return consumption

    async def get(self, queue: str | Queue, delivery: type[Delivery] = Delivery) -> Delivery | None:
        """One message of a queue, if one waits there; `delivery` is as of `consume`."""
        try:
            async with asyncio.timeout(self.settings.answer_timeout):
                connection = await self._links.main.ready()
                return await GetChannel(connection, self._desired.name_of(queue), delivery).get()
        except TimeoutError as exc:
            raise NotConnected("the broker did not answer in time") from exc

    # State

    @property
    def server(self) -> ServerInfo:
        """What the broker says it is; nothing while there is no connection."""
        connection = self._links.main.connection
        return connection.server if connection is not None else ServerInfo()

    @property
    def is_connected(self) -> bool:
        """Whether all connections that are needed are there."""
        return self._links.are_up

    @property
    def blocked_reason(self) -> str | None:
        """Why the broker takes no publishes, if it does not."""
        connection = self._links.publishing.connection
        return connection.blocked_reason if connection is not None else None

    def _changed(self) -> None:
        for callback in self.on_change:
            try:
                callback()
            except Exception:
                log.exception("%s: a callback of on_change failed", self)

    async def close(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 (what is waited for)
        """Take no more publishes and no more messages, wait until all are settled, and say farewell."""
        loop = asyncio.get_running_loop()
        until = loop.time() + (self.settings.close_timeout if timeout is None else timeout)
        self._publisher.close()
        with suppress(TimeoutError):
            async with asyncio.timeout_at(until):
                await asyncio.gather(*[consumption.cancel() for consumption in self._consumptions])
        while not self._is_settled and loop.time() < until:  # noqa: ASYNC110 (seldom, and short)
            await asyncio.sleep(0.005)
        self._publisher.stop()
        await self._links.close(max(until - loop.time(), FAREWELL_IN))

    @property
    def _is_settled(self) -> bool:
        return self._publisher.is_idle and not any(each.in_hand for each in self._consumptions)
