"""The copy of a failed message: the same message, with what is known of the failure in its headers. Pure."""

from __future__ import annotations

import traceback
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from penstock.messaging import headers as names

if TYPE_CHECKING:
    from penstock.messaging.message import Destination, Message
    from penstock.messaging.subscriptions.failure import Failure

__all__ = ["LONGEST_ERROR", "dead_copy", "forwarded_copy", "maybe_expires_at", "retried_copy", "slim_copy"]

#: Characters. All headers together must fit one frame, of which the least is 4 KiB (AMQP 0-9-1 §4.2.3) and
#: the usual 128 KiB.
LONGEST_ERROR: Final = 1024
LONGEST_TRACE: Final = 8192
#: Characters of the error in a copy that has no room for more.
SLIM_ERROR: Final = 100


def retried_copy(failure: Failure, origin: Destination, after: float) -> Message:
    """The copy that comes back to the same queue after so many seconds."""
    message = failure.message
    expires_at = maybe_expires_at(message, failure.at)
    headers = _headers(failure, origin)
    if expires_at is None:
        return replace(message, id=_id(message), headers=headers, delay=after)
    # The time to live counts from when the message was made, however often it is copied.
    headers[names.EXPIRES_AT] = f"{expires_at:.3f}"
    left = max(expires_at - failure.at - after, 0.0)
    return replace(message, id=_id(message), headers=headers, delay=after, expires_in=left)


def forwarded_copy(failure: Failure, origin: Destination) -> Message:
    """The copy that goes somewhere else."""
    return retried_copy(failure, origin, 0.0)


def dead_copy(failure: Failure, origin: Destination, reason: str) -> Message:
    """The copy that goes to the dead letters: kept on disk, without a time to live, and at once."""
    return replace(
        failure.message,
        id=_id(failure.message),
        headers=_headers(failure, origin) | {names.REASON: reason},
        delay=0.0,
        expires_in=None,
        durable=True,
    )


def slim_copy(copy: Message) -> Message:
    """The copy with fewer words about the failure, for a message whose own headers fill a frame almost."""
    headers = dict(copy.headers)
    headers.pop(names.TRACE, None)
    headers[names.ERROR] = names.text_of(headers, names.ERROR)[:SLIM_ERROR]
    return replace(copy, headers=headers)


def maybe_expires_at(message: Message, now: float) -> float | None:
    """When the message is too old, if ever."""
    told = names.instant_of(message.headers, names.EXPIRES_AT)
    if told is not None or message.expires_in is None:
        return told
    return (message.timestamp or now) + message.expires_in


def _id(message: Message) -> str:
    # Another program's message may have none; from here on it needs one to be told apart.
    return message.id or uuid4().hex


def _headers(failure: Failure, origin: Destination) -> dict[str, Any]:
    error = failure.error
    carried = names.carried(failure.message.headers)
    carried.pop(names.REASON, None)
    return carried | {
        names.ATTEMPTS: failure.attempts,
        names.CONSUMER: failure.consumer,
        names.QUEUE: failure.queue,
        names.ERROR: _written(str(error)[:LONGEST_ERROR]),
        names.ERROR_CLASS: f"{type(error).__module__}.{type(error).__qualname__}",
        names.TRACE: _written("".join(traceback.format_exception(error))[-LONGEST_TRACE:]),
        names.FIRST_FAILURE: f"{failure.first_at:.3f}",
        names.LAST_FAILURE: f"{failure.at:.3f}",
        names.EXCHANGE: origin.exchange,
        names.KEY: origin.key,
    }


def _written(text: str) -> str:
    """The text without what no encoding has: half a surrogate pair, from a file name or another's bytes."""
    return text.encode(errors="replace").decode()
