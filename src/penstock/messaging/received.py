"""A message that came over AMQP, behind the port's Received: read only as far as it is asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.messaging.envelope import deaths_of, heading_of, maybe_origin, message_of, wishes_of
from penstock.messaging.headers import count_of
from penstock.messaging.message import Destination

if TYPE_CHECKING:
    from penstock.client import Delivery
    from penstock.messaging.message import Death, Heading, Message, Wishes

__all__ = ["AmqpReceived"]


class AmqpReceived:
    """A delivery of penstock.client."""

    __slots__ = ("_delivery", "_message")

    def __init__(self, delivery: Delivery) -> None:
        self._delivery = delivery
        self._message: Message | None = None

    def __repr__(self) -> str:
        return f"<AmqpReceived {self.message.type} {self.message.id} from {self.queue!r}>"

    @property
    def message(self) -> Message:
        if self._message is None:
            self._message = message_of(self._delivery.properties, self._delivery.body)
        return self._message

    @property
    def heading(self) -> Heading:
        return heading_of(self._delivery.properties)

    @property
    def type(self) -> str:
        return self.heading.type

    @property
    def wishes(self) -> Wishes:
        return wishes_of(self._delivery.properties)

    @property
    def body(self) -> bytes:
        return self._delivery.body

    @property
    def queue(self) -> str:
        return self._delivery.queue

    @property
    def destination(self) -> Destination:
        delivery = self._delivery
        return maybe_origin(self.message.headers) or Destination(delivery.exchange, delivery.routing_key)

    @property
    def redelivered(self) -> bool:
        return self._delivery.redelivered

    @property
    def is_lost(self) -> bool:
        return self._delivery.is_lost

    @property
    def delivery_count(self) -> int:
        return count_of(self.message.headers, "x-delivery-count")

    @property
    def deaths(self) -> tuple[Death, ...]:
        return deaths_of(self.message.headers)

    def ack(self) -> None:
        self._delivery.ack()

    async def ack_for_certain(self) -> bool:
        return await self._delivery.ack_for_certain()

    def reject(self) -> None:
        self._delivery.reject(requeue=False)

    def requeue(self) -> None:
        self._delivery.nack(requeue=True)
