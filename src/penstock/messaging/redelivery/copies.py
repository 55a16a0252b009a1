"""The copy of a message that redelivery publishes for an action, and where it goes. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from penstock.messaging import headers as names
from penstock.messaging.message import Destination, Message
from penstock.messaging.redelivery.decision import COUNT, QUEUE, Abort, Redeliver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.messaging.message import Death
    from penstock.messaging.redelivery.decision import Action
    from penstock.messaging.redelivery.topology import RedeliveryNames

__all__ = ["EXPIRATION", "copy_for"]

#: How long it waits, in milliseconds as text: what Orb calls the message's expiration header.
EXPIRATION: Final = "expiration"
#: What Penstock writes when a consumer has said why it rejects.
DEATH_ERROR: Final = "x-death-error"


def copy_for(
    action: Action, message: Message, deaths: Sequence[Death], to: RedeliveryNames, now: float
) -> tuple[Message, Destination]:
    """The message as it goes on, without what brokers wrote about its deaths, and where it goes."""
    headers = names.carried(message.headers)
    headers.pop(EXPIRATION, None)
    headers |= _remembered(message, deaths, now)
    if action.queue:
        headers |= {QUEUE: action.queue, COUNT: str(action.count)}
    if isinstance(action, Redeliver):
        return replace(message, headers=headers, delay=0.0), Destination.queue(action.queue)
    if isinstance(action, Abort):
        headers |= _dead(action, message)
        return replace(message, headers=headers, delay=0.0), Destination.queue(to.dead_letters)
    headers[EXPIRATION] = str(round(action.seconds * 1000))
    return replace(message, headers=headers, delay=action.seconds), Destination.queue(to.wait)


def _remembered(message: Message, deaths: Sequence[Death], now: float) -> dict[str, Any]:
    """What a copy would forget: where the message was published to, and when it failed first and last."""
    kept = {names.FIRST_FAILURE: f"{now:.3f}"} if names.FIRST_FAILURE not in message.headers else {}
    if not deaths:
        return kept
    newest = deaths[0]
    if newest.reason != "expired":
        kept[names.LAST_FAILURE] = f"{now:.3f}"
        # Only the first time it is still known; afterwards it came straight to its queue.
        if names.KEY not in message.headers:
            kept |= {names.EXCHANGE: newest.exchange, names.KEY: newest.keys[0] if newest.keys else ""}
    return kept


def _dead(action: Abort, message: Message) -> dict[str, Any]:
    error = names.text_of(message.headers, DEATH_ERROR) or names.text_of(message.headers, names.ERROR)
    return {
        names.CONSUMER: names.text_of(message.headers, names.CONSUMER) or action.queue,
        names.QUEUE: action.queue,
        names.REASON: action.reason,
        names.ERROR: error or action.reason,
        # It was delivered once before it was ever redelivered.
        names.ATTEMPTS: action.count + 1,
    }
