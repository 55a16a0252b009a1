"""Settling: what acks, nacks and rejects of a channel do to its ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.errors import UnknownDelivery
from penstock.server.amqp.errors import precondition
from penstock.wire.amqp.items import ACK, NACK

if TYPE_CHECKING:
    from penstock.server.amqp.channel import Channel
    from penstock.wiring.properties import Properties

__all__ = ["REASON_HEADER", "REQUEUE_HEADER", "TAG_HEADER", "Settling"]

#: What a message published to amq.penstock.reject says: which delivery, why, and whether it goes back. One
#: to amq.penstock.touch says which.
TAG_HEADER: Final = "x-delivery-tag"
REASON_HEADER: Final = "x-error"
REQUEUE_HEADER: Final = "x-requeue"


class Settling:
    """Settlements at once."""

    __slots__ = ("_channel",)

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def settle(self, item: Any) -> None:
        """Apply an ACK, NACK or REJECT item.

        Raises:
            ChannelFault: 406, nothing with that tag is in hand.
        """
        channel = self._channel
        ledger, now = channel.ledger, channel.session.broker.now
        try:
            if item[0] is ACK:
                ledger.ack(item[2], up_to=item[3])
            elif item[0] is NACK:
                self._nack(item[2], now, up_to=item[3], requeue=item[4])
            else:
                ledger.reject(item[2], now, requeue=item[3])
        except UnknownDelivery:
            self._forgive(item[2])

    def reject_with_error(self, headers: Properties) -> None:
        """Reject what the headers name, and keep what they say was wrong: basic.reject has no room for it.

        The delivery goes to the dead letters, with the text in the header x-death-error, or back to its
        queue if the headers ask for that.

        Raises:
            ChannelFault: 406, a header cannot be, or nothing with that tag is in hand.
        """
        tag, error = headers.get(TAG_HEADER), headers.get(REASON_HEADER)
        requeue = headers.get(REQUEUE_HEADER, False)
        if not (type(tag) is int and isinstance(error, str) and isinstance(requeue, bool)):
            wanted = f"{TAG_HEADER} a number, {REASON_HEADER} a text, {REQUEUE_HEADER} true or false"
            raise precondition(f"a rejection has headers: {wanted}")
        channel = self._channel
        try:
            channel.ledger.reject(tag, channel.session.broker.now, requeue=requeue, error=error)
        except UnknownDelivery:
            self._forgive(tag)

    def touch(self, headers: Properties) -> None:
        """Have the lease of what the headers name begin anew: its consumer is still at work on it.

        Raises:
            ChannelFault: 406, a header cannot be, or nothing with that tag is in hand.
        """
        tag, channel = headers.get(TAG_HEADER), self._channel
        if type(tag) is not int:
            raise precondition(f"a touch has a header: {TAG_HEADER} a number")
        # Who comes too late has a settlement to come, which is forgiven then.
        if tag not in channel.ledger.lapsed:
            try:
                channel.ledger.touch(tag, channel.session.broker.now)
            except UnknownDelivery:
                self._forgive(tag)

    def _nack(self, tag: int, now: float, *, up_to: bool, requeue: bool) -> None:
        """RabbitMQ 4.3: a nack blames nobody; before, it counted like a reject."""
        ledger = self._channel.ledger
        if self._channel.session.front.settings.nack_counts:
            ledger.reject(tag, now, up_to=up_to, requeue=requeue)
        else:
            ledger.nack(tag, now, up_to=up_to, requeue=requeue)

    def _forgive(self, tag: int) -> None:
        """Let pass who comes too late: the lease has ended, and the message may be another's by now."""
        if tag not in self._channel.ledger.lapsed:
            raise precondition(f"unknown delivery tag {tag}") from None
        del self._channel.ledger.lapsed[tag]
