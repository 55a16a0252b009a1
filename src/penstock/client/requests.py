"""Request and reply (https://www.rabbitmq.com/docs/direct-reply-to): no queue is made for the answers."""

from __future__ import annotations

import asyncio
import uuid
from typing import TYPE_CHECKING, Any, Final

from penstock.client.delivery import Delivery
from penstock.client.publisher_channel import PublisherChannel
from penstock.client.publishing import SinglePublishing
from penstock.client.settling import Settling
from penstock.client.values import Outgoing
from penstock.errors import ClientError, NoReply
from penstock.wire.amqp.items import DELIVER
from penstock.wire.amqp.methods import BasicConsume

if TYPE_CHECKING:
    from penstock.client.bodies import LargeBody
    from penstock.client.connection import Connection
    from penstock.client.link import Link
    from penstock.clock import Clock
    from penstock.wire.amqp import BasicProperties

__all__ = ["Requests"]

#: The broker's name for "the channel this came on".
REPLY_TO: Final = "amq.rabbitmq.reply-to"


class Requests:
    """Requests over one channel of the publishing connection; answers find them by correlation id."""

    def __init__(self, link: Link, clock: Clock) -> None:
        self._link = link
        self._clock = clock
        self._channel: _RequestChannel | None = None

    def __repr__(self) -> str:
        return f"<Requests on {self._channel}>"

    async def ask(
        self,
        exchange: str,
        routing_key: str,
        body: bytes,
        properties: BasicProperties,
        timeout: float,  # noqa: ASYNC109 (a deadline of our own, by our own clock)
    ) -> Delivery:
        """Publish a request and wait for its reply.

        Raises:
            NoReply: none came in time.
            PublishError: the request did not arrive.
            NotConnected: the connection went, and the reply with it.
        """
        over = asyncio.get_running_loop().create_future()
        alarm = self._clock.call_at(self._clock.now() + timeout, _ring, over)
        asking = asyncio.ensure_future(self._ask(exchange, routing_key, body, properties, timeout))
        try:
            await asyncio.wait([over, asking], return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                return asking.result()
            raise NoReply(f"no reply to a request within {timeout:g} s")
        finally:
            alarm.cancel()
            asking.cancel()

    async def _ask(
        self, exchange: str, routing_key: str, body: bytes, properties: BasicProperties, within: float
    ) -> Delivery:
        self._link.start(is_known=True)
        connection = await self._link.ready()
        channel = self._channel
        if channel is None or not channel.is_open:
            channel = self._channel = _RequestChannel(connection)
        correlation = properties.correlation_id or uuid.uuid4().hex
        sent = properties.replace(correlation_id=correlation, reply_to=REPLY_TO)
        reply = channel.expect(correlation)
        try:
            published: asyncio.Future[None] = connection.loop.create_future()
            outgoing = Outgoing(exchange, routing_key, body, sent)
            channel.publish(SinglePublishing((outgoing,), self._clock.now() + within, published))
            await published
            return await reply
        finally:
            channel.forget(correlation)


class _RequestChannel(PublisherChannel):
    """A publisher channel that replies come back on."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._expected: dict[str, asyncio.Future[Delivery]] = {}
        #: Replies are not settled.
        self._settling = Settling(self.number, REPLY_TO, connection.counters, lambda: None)
        self._settling.lose()
        self.ask(BasicConsume(REPLY_TO, no_ack=True))

    def expect(self, correlation: str) -> asyncio.Future[Delivery]:
        """The reply to a request that is about to be sent."""
        reply: asyncio.Future[Delivery] = self.connection.loop.create_future()
        self._expected[correlation] = reply
        return reply

    def forget(self, correlation: str) -> None:
        """Nobody waits for that reply any more."""
        reply = self._expected.pop(correlation, None)
        if reply is not None:
            reply.cancel()

    def hand_over(self) -> None:
        arrived, self.arrived = self.arrived, []
        for _, _, args, _tag, properties, frames, _ in arrived:
            self._reply(Delivery(self._settling, 0, args, properties, frames))

    def whole(self, large: LargeBody) -> None:
        super().whole(large)
        head: Any = large.head
        if head[0] is DELIVER and not large.is_too_large:
            self._reply(Delivery(self._settling, 0, head[2], large.properties, b"", large.body))

    def _reply(self, delivery: Delivery) -> None:
        reply = self._expected.get(delivery.properties.correlation_id or "")
        if reply is not None and not reply.done():
            self.connection.counters.delivered += 1
            reply.set_result(delivery)

    def ended(self, error: ClientError) -> None:
        super().ended(error)
        for reply in self._expected.values():
            if not reply.done():
                reply.set_exception(error)


def _ring(over: asyncio.Future[None]) -> None:
    if not over.done():
        over.set_result(None)
