"""The steps of a message's road through the application, and `kill -9` between any two of them.

In the order they are taken: the business change is committed, a relay claims its row, publishes it, has it
confirmed, marks it and commits; the message is delivered, its inbox row written, the change made, the next
message added, all committed, and the delivery acked. Each name below is the last thing that was done.
"""

from __future__ import annotations

import asyncio
import functools
import os
import signal
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from penstock.client.publisher_channel import PublisherChannel
from penstock.client.receiving import ReceivingChannel
from penstock.messaging.amqp import AmqpBroker
from penstock.messaging.subscriptions.settling import Settling
from penstock.messaging.subscriptions.subscription import Subscription
from penstock.outbox.claims import LockedClaims
from penstock.outbox.inbox import Inbox
from penstock.outbox.outbox import Outbox
from penstock.outbox.relay import Relay
from penstock.outbox.statements import Settling as Marking

if TYPE_CHECKING:
    from collections.abc import Callable


class Step(NamedTuple):
    """A call before or after which the application ends."""

    owner: type
    name: str
    is_before: bool = False
    #: Whether this call, by its arguments and what it returned, is one; some are about nothing.
    counts: Callable[[Any, Any], object] = lambda _arguments, _answer: True


def _flushed(arguments: Any, _answer: Any) -> bool:
    """It is in the socket as well."""
    arguments[0].connection.flush()
    return True


STEPS: Final[dict[str, Step]] = {
    # A new order, or the next message of a handler.
    "added to the outbox": Step(Outbox, "_execute"),
    # Made by the application itself, see Shop.placed.
    "business committed": Step(object, ""),
    "claimed": Step(LockedClaims, "_take", counts=lambda _, rows: rows),
    "about to publish": Step(AmqpBroker, "publish_many", is_before=True),
    "published": Step(PublisherChannel, "publish", counts=_flushed),
    "confirmed": Step(AmqpBroker, "publish_many"),
    "marked relayed": Step(Marking, "settle"),
    "relay committed": Step(Relay, "relay_once", counts=lambda _, relayed: relayed.count),
    "delivered": Step(Subscription, "_receive", is_before=True),
    "put aside": Step(Subscription, "_receive"),
    "inbox row written": Step(Inbox, "_insert"),
    # Made by the application itself, see Shop.changed.
    "changed": Step(object, ""),
    "handler committed": Step(Settling, "worked", is_before=True),
    "ack decided": Step(Settling, "worked"),
    "acked": Step(ReceivingChannel, "say_settled", counts=_flushed),
}


def die() -> None:
    """`kill -9`, by ourselves: nothing else happens."""
    os.kill(os.getpid(), signal.SIGKILL)


class Fate:
    """Where this life of the application ends; nowhere without a step."""

    def __init__(self, step: str = "", nth: int = 1) -> None:
        self._step = step
        self._left = nth

    def reach(self, step: str) -> None:
        """That much is done."""
        if step == self._step:
            self._left -= 1
            if not self._left:
                die()

    def seal(self) -> None:
        """Have the library's own steps reach it, too."""
        step = STEPS.get(self._step)
        if step is None or not step.name:
            return
        call = getattr(step.owner, step.name)

        def before(arguments: tuple[Any, ...]) -> None:
            if step.is_before and step.counts(arguments, None):
                self.reach(self._step)

        def after(arguments: tuple[Any, ...], answer: Any) -> Any:
            if not step.is_before and step.counts(arguments, answer):
                self.reach(self._step)
            return answer

        @functools.wraps(call)
        def plain(*arguments: Any, **named: Any) -> Any:
            before(arguments)
            return after(arguments, call(*arguments, **named))

        @functools.wraps(call)
        async def awaited(*arguments: Any, **named: Any) -> Any:
            before(arguments)
            return after(arguments, await call(*arguments, **named))

        setattr(step.owner, step.name, awaited if asyncio.iscoroutinefunction(call) else plain)
