"""Channels that messages come in on: one consumer each, or one `get`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, ClassVar

from penstock.client.channel import Channel
from penstock.client.delivery import Delivery
from penstock.client.settling import Settling
from penstock.wire.amqp import DeliverArgs
from penstock.wire.amqp.items import DELIVER, GET_OK
from penstock.wire.amqp.methods import BasicGet, ConfirmSelect

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from penstock.client.bodies import LargeBody
    from penstock.client.connection import Connection
    from penstock.errors import ClientError
    from penstock.wire.amqp import BasicProperties
    from penstock.wire.amqp.methods import BasicGetEmpty, BasicGetOk

__all__ = ["ConsumerChannel", "GetChannel", "ReceivingChannel"]

log = logging.getLogger(__name__)


class ReceivingChannel(Channel):
    """A channel whose messages are settled on it, and which may leave when all are."""

    def __init__(self, connection: Connection, queue: str) -> None:
        super().__init__(connection)
        self.settling = Settling(
            self.number, queue, connection.counters, lambda: connection.will_settle(self)
        )
        self.settling.round_trip = self._round_trip
        self._is_retired = False

    def say_settled(self) -> None:
        if self.is_open:
            self.settling.frames(self.connection.out)
            self._maybe_leave()

    def retire(self) -> None:
        """Nothing more will come: close as soon as nothing is in hand."""
        self._is_retired = True
        self._maybe_leave()

    def _maybe_leave(self) -> None:
        if self._is_retired and not self.settling.in_hand and not self._asked:
            self.close()

    def _round_trip(self) -> asyncio.Future[Any]:
        if self.is_open:
            self.settling.frames(self.connection.out)
        # It changes nothing here, where nobody publishes, and every broker answers it in its turn.
        asked = self.ask(ConfirmSelect())
        asked.add_done_callback(lambda _: self._maybe_leave())
        return asked

    def close(self) -> None:
        if self.is_open:
            self.settling.frames(self.connection.out)
            super().close()

    def ended(self, error: ClientError) -> None:
        self.settling.lose()

    def take_in(self, count: int) -> None:
        """So many messages are in hand now, whoever settles them."""
        self.settling.in_hand += count
        self.connection.counters.delivered += count

    def pass_by(self, tag: int, large: LargeBody) -> None:
        """A message beyond the limit goes to the queue's dead letters, unseen."""
        self.connection.counters.too_large += 1
        log.error("%s: rejected a message of %d bytes from %r", self, large.size, self.settling.queue)
        self.settling.reject(tag, requeue=False)


class ConsumerChannel(ReceivingChannel):
    """A channel with one consumer: what arrives in a read is handed over in one list."""

    def __init__(
        self,
        connection: Connection,
        queue: str,
        receive: Callable[[list[Any]], None],
        on_end: Callable[[ClientError | None], None],
        delivery: type[Delivery] = Delivery,
    ) -> None:
        """`on_end` is called when the channel is gone, or with None when only the consumer is."""
        super().__init__(connection, queue)
        self._delivery = delivery
        self._receive = receive
        self._on_end = on_end

    def hand_over(self) -> None:
        arrived, self.arrived = self.arrived, []
        settling, delivery = self.settling, self._delivery
        deliveries = [
            delivery(settling, tag, args, properties, frames)
            for _, _, args, tag, properties, frames, _ in arrived
        ]
        self.give(deliveries, len(deliveries))

    def whole(self, large: LargeBody) -> None:
        head = large.head
        if head[0] is not DELIVER:
            return
        self.hand_over()  # what came before it goes before it
        if large.is_too_large:
            self.take_in(1)
            self.pass_by(head[3], large)
        else:
            made = self._delivery(self.settling, head[3], head[2], large.properties, b"", large.body)
            self.give([made], 1)

    def give(self, deliveries: list[Any], count: int) -> None:
        """Hand over so many messages, in whatever they come."""
        if count:
            self.take_in(count)
            try:
                self._receive(deliveries)
            except Exception:
                # They stay in hand, as those of any receiver that does not settle them.
                log.exception("%s: the receiver failed to take %d messages", self, count)

    def cancelled(self, tag: str) -> None:
        self._on_end(None)

    def ended(self, error: ClientError) -> None:
        super().ended(error)
        self._on_end(error)


class GetChannel(ReceivingChannel):
    """A channel for one basic.get, which leaves when the message is settled."""

    def __init__(self, connection: Connection, queue: str, delivery: type[Delivery] = Delivery) -> None:
        super().__init__(connection, queue)
        self._delivery = delivery

    async def get(self) -> Delivery | None:
        """A message, or None if there is none."""
        try:
            answer: Delivery | BasicGetEmpty | None = await self.ask(BasicGet(self.settling.queue))
        except BaseException:
            self.close()  # an answer that still comes goes back into the queue
            raise
        self.retire()
        return answer if isinstance(answer, Delivery) else None

    def _got(self, item: Any) -> None:
        self._deliver(item[2], item[3], item[4], None)

    def whole(self, large: LargeBody) -> None:
        if large.head[0] is not GET_OK:
            return
        if large.is_too_large:
            self.take_in(1)
            self.pass_by(large.head[2].delivery_tag, large)
            self.answered(None)
        else:
            self._deliver(large.head[2], large.properties, b"", large.body)

    def _deliver(
        self, method: BasicGetOk, properties: BasicProperties, frames: bytes, body: bytes | None
    ) -> None:
        args = DeliverArgs("", method.redelivered, method.exchange, method.routing_key)
        self.take_in(1)
        self.answered(self._delivery(self.settling, method.delivery_tag, args, properties, frames, body))

    ITEMS: ClassVar = {**Channel.ITEMS, GET_OK: _got}
