"""How often a message came before, told in its headers: for queues that count (RabbitMQ's quorum queues).

The first delivery says nothing. From the second on, x-acquired-count says how often somebody had the message
before, and x-delivery-count how often somebody failed on it (rabbit_fifo_client.erl, 4.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from penstock.server.amqp.headers import long_entry, with_entries
from penstock.server.amqp.subscription import Subscription
from penstock.wiring.reference import Reference

if TYPE_CHECKING:
    from penstock.server.amqp.message import AmqpMessage
    from penstock.wiring import Delivery

__all__ = ["CountingSubscription", "counted"]


def counted(reference: Reference) -> Reference:
    """A reference as it is delivered: one that comes again stands for a message that says so."""
    if reference.acquired <= 1:
        return reference
    message = cast("AmqpMessage", reference.message)
    entries = {"x-acquired-count": long_entry("x-acquired-count", reference.acquired - 1)}
    if reference.failed:
        entries["x-delivery-count"] = long_entry("x-delivery-count", reference.failed)
    content = with_entries(message.content, entries)
    shown = Reference(message.shown_with(content), reference.sequence)
    shown.acquired = reference.acquired
    return shown


class CountingSubscription(Subscription):
    """A consumer of a queue that counts."""

    __slots__ = ()

    def deliver(self, delivery: Delivery) -> None:
        references = delivery.references
        if any(reference.acquired > 1 for reference in references):
            delivery = delivery._replace(references=[counted(reference) for reference in references])
        super().deliver(delivery)
