"""Why messages die, and how a dead letter carries its history.

A message that is rejected, expires, does not fit or fails too often is dead for its queue. It goes
to the dead-letter home the queue's template names, with one record for each queue and reason it died
of, the latest first, as RabbitMQ counts them in x-death.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.wiring.message import Message

__all__ = ["Death", "Reason", "bury_with", "is_cycle"]


class Reason(Enum):
    """What a message died of; the values are RabbitMQ's words."""

    REJECTED = "rejected"
    EXPIRED = "expired"
    OVER_LENGTH = "maxlen"
    TOO_MANY_DELIVERIES = "delivery_limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """One queue and reason a message died of, however often."""

    queue: str
    reason: Reason
    #: The proxy and the destinations it had been sent to when it died here first.
    proxy: str
    destinations: tuple[str, ...]
    count: int = 1
    first_at: float
    last_at: float
    #: What the consumer said was wrong, the last time.
    error: str | None = None
    #: The time to live it had; the dead letter has none, so as not to expire again.
    expires_in: float | None = None


def bury_with(
    message: Message, queue: str, reason: Reason, now: float, error: str | None
) -> tuple[Death, ...]:
    """The message's deaths with this one on top, counted up if it died of the same here before."""
    before = next((d for d in message.deaths if d.queue == queue and d.reason is reason), None)
    if before is None:
        latest = Death(
            queue=queue,
            reason=reason,
            proxy=message.proxy,
            destinations=(message.destination, *message.terms.also),
            first_at=now,
            last_at=now,
            error=error,
            expires_in=message.terms.expires_in,
        )
    else:
        latest = replace(before, count=before.count + 1, last_at=now, error=error or before.error)
    return (latest, *(d for d in message.deaths if d is not before))


def is_cycle(queue: str, deaths: tuple[Death, ...]) -> bool:
    """Whether a dead letter on its way to this queue goes round by itself.

    It does if it died here before and no client rejected it since: RabbitMQ's rule. A cycle with a
    rejection in it is somebody's retry, and goes on.
    """
    for death in deaths:
        if death.reason is Reason.REJECTED:
            return False
        if death.queue == queue:
            return True
    return False
