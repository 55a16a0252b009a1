"""Subscription: an AMQP consumer's end of a wiring consumer: deliveries become frames on its channel."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from penstock.wire.amqp import DeliverEncoder
from penstock.wire.amqp.methods import BasicCancel

if TYPE_CHECKING:
    from penstock.server.amqp.bodies import LargeBody
    from penstock.server.amqp.channel import Channel
    from penstock.server.amqp.message import AmqpMessage
    from penstock.wiring import Delivery

__all__ = ["Subscription"]


class Subscription:
    """What the broker hands deliveries to."""

    __slots__ = ("_channel", "_encoder", "name")

    def __init__(self, channel: Channel, name: str) -> None:
        self._channel = channel
        self.name = name
        self._encoder = DeliverEncoder(channel.number, name, channel.session.frame_max)

    def deliver(self, delivery: Delivery) -> None:
        """Write the frames of a delivery; the session sends them when the turn ends."""
        session = self._channel.session
        out, encode = session.out, self._encoder.deliver
        tag = delivery.first_tag
        for reference in delivery.references:
            message = cast("AmqpMessage", reference.message)
            if message.large is None:
                encode(out, tag, message.route, message.frames, redelivered=reference.acquired > 1)
            else:
                self._deliver_large(tag, message, redelivered=reference.acquired > 1)
            tag += 1
        session.will_flush()

    def _deliver_large(self, tag: int, message: AmqpMessage, *, redelivered: bool) -> None:
        """Write the method and header; the body follows from its file."""
        channel, large = self._channel, cast("LargeBody", message.large)
        head: list[bytes] = []
        self._encoder.deliver(head, tag, message.route, message.frames, redelivered=redelivered)

        def lost() -> None:
            # Nobody can ever have it: it must not come back.
            if tag in channel.ledger.unsettled:
                channel.ledger.ack(tag)

        channel.session.send_large(channel.number, b"".join(head), large.hold(), lost)

    def cancelled(self) -> None:
        """The queue is gone: tell the client, if it can hear it."""
        if self._channel.session.hears_cancel:
            self._channel.send(BasicCancel(self.name, nowait=True))
