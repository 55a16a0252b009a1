"""How a message wants to be treated, in beanstalk's numbers, and back. Pure.

Priorities are those of Penstock's own beanstalk front: 255 of AMQP is 0, the most urgent, and none is 255.
What is less urgent still has no AMQP priority, so its number travels in a header, as the time to run does.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any, Final

from penstock.client.beanstalk.outgoing import DEFAULT_TTR
from penstock.messaging.beanstalk.envelope import Around
from penstock.messaging.headers import LEASE, count_of

if TYPE_CHECKING:
    from penstock.client.beanstalk import Job, JobFacts
    from penstock.messaging.message import Message

__all__ = ["PRIORITY", "around", "delay_of", "headers_of", "maybe_priority", "priority_of", "ttr_of"]

#: The number of a job that is less urgent than AMQP can say.
PRIORITY: Final = "x-beanstalk-priority"
#: What counts a job's past, where the server does: reserves before this one, and those that ended in silence.
ACQUIRED: Final = "x-acquired-count"
FAILED: Final = "x-delivery-count"
#: What AMQP's highest is.
HIGHEST: Final = 255
_LARGEST: Final = 2**32 - 1


def priority_of(message: Message) -> int:
    """The number of a message's priority; the lower is the more urgent."""
    if message.priority:
        return max(HIGHEST - message.priority, 0)
    return min(count_of(message.headers, PRIORITY), _LARGEST) or HIGHEST


def maybe_priority(number: int) -> int | None:
    """What AMQP calls it, if it has a word."""
    return HIGHEST - number if number < HIGHEST else None


def delay_of(message: Message) -> int:
    """Whole seconds: late is what a delay promises to be."""
    return min(max(ceil(message.delay), 0), _LARGEST)


def ttr_of(message: Message) -> int:
    """Seconds after which a silent worker has lost it."""
    return min(count_of(message.headers, LEASE), _LARGEST) or DEFAULT_TTR


def headers_of(facts: JobFacts) -> dict[str, Any]:
    """The headers that say what a server knows of a job, as far as it is not the usual."""
    told: dict[str, Any] = {}
    if facts.priority > HIGHEST:
        told[PRIORITY] = facts.priority
    if facts.ttr != DEFAULT_TTR:
        told[LEASE] = facts.ttr
    if facts.reserves > 1:
        told |= {ACQUIRED: facts.reserves - 1, FAILED: facts.failures}
    return told


def around(job: Job, now: float) -> Around:
    """What is known of a job that came now, beside what it says."""
    return Around(
        id=job.identity,
        priority=maybe_priority(job.facts.priority),
        put_at=float(int(now - job.facts.age)),
        headers=headers_of(job.facts),
    )
