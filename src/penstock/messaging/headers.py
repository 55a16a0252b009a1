"""The headers that Penstock's applications write on a message, the same on every broker.

Strings and whole numbers only, so that any client in any language reads them. Knows names, not what is
done about them: who fails a message is in subscriptions/, who keeps it in dead_letters/.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ATTEMPTS",
    "CONSUMER",
    "DELAY",
    "ERROR",
    "ERROR_CLASS",
    "EXCHANGE",
    "EXPIRES_AT",
    "FAILURES",
    "FIRST_FAILURE",
    "GROUP",
    "KEY",
    "LAST_FAILURE",
    "LEASE",
    "QUEUE",
    "REASON",
    "REDRIVEN",
    "TRACE",
    "TYPE_VERSION",
    "carried",
    "count_of",
    "instant_of",
    "is_past",
    "text_of",
]

#: The version of the event's type, a whole number.
TYPE_VERSION: Final = "x-penstock-type-version"
#: How often a handler failed on the message, a whole number.
ATTEMPTS: Final = "x-penstock-attempts"
#: Why it is a dead letter, in a few words.
REASON: Final = "x-penstock-reason"
#: The queue that the handler took it from: a redriven message goes there and nowhere else.
QUEUE: Final = "x-penstock-queue"
#: Whose handler failed.
CONSUMER: Final = "x-penstock-consumer"
#: What the error said, and its class with its module.
ERROR: Final = "x-penstock-error"
ERROR_CLASS: Final = "x-penstock-error-class"
#: Where in the code it was raised.
TRACE: Final = "x-penstock-trace"
#: Seconds since the epoch, as text: the field type for fractions differs between clients.
FIRST_FAILURE: Final = "x-penstock-first-failure"
LAST_FAILURE: Final = "x-penstock-last-failure"
#: How often somebody took the message out of the dead letters and sent it once more.
REDRIVEN: Final = "x-penstock-redriven"
#: Where it was first published to: a copy goes straight to a queue, and would forget it.
EXCHANGE: Final = "x-penstock-exchange"
KEY: Final = "x-penstock-key"
#: When a message with a time to live is too old, in seconds since the epoch as text: a copy that only
#: carried the span would live it anew.
EXPIRES_AT: Final = "x-penstock-expires-at"
#: What one failed attempt writes, and the next one writes anew.
FAILURES: Final = (ATTEMPTS, CONSUMER, QUEUE, REASON, ERROR, ERROR_CLASS, TRACE, FIRST_FAILURE, LAST_FAILURE)

#: A Penstock broker holds a message with this header back for so many milliseconds.
DELAY: Final = "x-delay"
#: A Penstock broker gives messages of one group to one consumer at a time.
GROUP: Final = "x-group"
#: Seconds after which a Penstock broker takes it from whoever has it in hand: a beanstalk job's TTR.
LEASE: Final = "x-ttr"

#: What brokers write about a message's past, and what is meant for one journey. A copy that carried it would
#: be dropped without a word as going in circles by RabbitMQ before 4.0.1 (celery#9867), or wait again.
_STAYS_BEHIND: Final = ("x-death", "x-first-death-", "x-last-death-", "x-delivery-count", "x-acquired-count")
_ONE_JOURNEY: Final = frozenset({DELAY, "CC", "BCC"})


def carried(headers: Mapping[str, Any]) -> dict[str, Any]:
    """The headers that a copy of the message takes along."""
    return {name: value for name, value in headers.items() if name not in _ONE_JOURNEY and not is_past(name)}


def is_past(name: str) -> bool:
    """Whether brokers write a header of that name about a message's past."""
    return name.startswith(_STAYS_BEHIND)


def count_of(headers: Mapping[str, Any], name: str) -> int:
    """A header as a whole number, 0 when it is missing or no number: no message is worth a crash."""
    value = headers.get(name, 0)
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value[:18])
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def text_of(headers: Mapping[str, Any], name: str) -> str:
    """A header as text, empty when it is missing."""
    value = headers.get(name, "")
    return value if isinstance(value, str) else str(value)


def instant_of(headers: Mapping[str, Any], name: str) -> float | None:
    """A header as seconds since the epoch, None when it is missing or says no time."""
    try:
        found = float(text_of(headers, name))
    except ValueError:
        return None
    return found if isfinite(found) else None
