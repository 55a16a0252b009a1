"""What is to happen to a message that arrives in the redelivery queue. Pure.

    count 0 ─────────────► deliver at once, count 1
    rejected, count n ───► wait interval(n) ──► expired ──► deliver, count n+1
    count at its maximum ► keep among the dead letters

Decided by the newest death: brokers disagree on when x-first-death-* is written anew, and none on which
is newest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.messaging.headers import count_of, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.messaging.message import Death
    from penstock.messaging.redelivery.policy import RedeliveryPolicy

__all__ = ["COUNT", "QUEUE", "Abort", "Action", "Redeliver", "Wait", "decide"]

#: Orb's headers: the queue a message belongs to, and how often it was redelivered, as decimal text.
QUEUE: Final = "orb-queue"
COUNT: Final = "orb-redelivery-count"


@dataclass(frozen=True, slots=True)
class Redeliver:
    """Deliver it to its queue at once; it then has been redelivered `count` times."""

    queue: str
    count: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Let it wait for so many seconds; then it comes back here."""

    queue: str
    count: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Abort:
    """Keep it among the dead letters; `queue` is empty if nobody knows where it came from."""

    queue: str
    count: int
    reason: str


Action = Redeliver | Wait | Abort


def decide(
    headers: Mapping[str, Any], deaths: Sequence[Death], policy: RedeliveryPolicy, *, waiting_room: str
) -> Action:
    """What is to be done, by the message's headers and its deaths, newest first.

    Args:
        waiting_room: The name of the queue that messages wait in: who expires there has waited enough.
    """
    newest = deaths[0] if deaths else None
    has_waited = newest is not None and newest.queue == waiting_room
    belongs_to = text_of(headers, QUEUE)
    queue = belongs_to if has_waited or newest is None else newest.queue
    if not queue:
        return Abort("", 0, "redelivery does not know from which queue it came")
    # A count from another queue, in a message that somebody has passed on, says nothing about this one.
    count = count_of(headers, COUNT) if belongs_to in {"", queue} else 0
    if count >= policy.max_attempts:
        return Abort(queue, count, f"redelivery aborted after {count} attempts")
    if count == 0 or (newest is not None and newest.reason == "expired"):
        return Redeliver(queue, count + 1)
    return Wait(queue, count, policy.interval(count))
