"""A dead letter as it is read from a message that arrived among the dead letters. Pure.

Applications that use Penstock write all about the failure into headers; a broker that has dead-lettered a
message by itself says where and why in x-death. Other programs may write anything at all: whatever it is,
it is kept.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from penstock.messaging import headers as names
from penstock.messaging.dead_letters.record import DeadLetter
from penstock.messaging.texts import clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.messaging.message import Death, Message

__all__ = ["LARGEST", "RETRY_OF", "UNKNOWN", "read"]

#: The consumer of a message of which nothing is known.
UNKNOWN: Final = "unknown"
#: A message that was edited says in place of which one it was sent.
RETRY_OF: Final = "x-penstock-retry-of"
#: Where Orb's messages have their id.
WATERMILL_ID: Final = "_watermill_message_uuid"
#: What Penstock writes when a consumer has said why it rejects.
DEATH_ERROR: Final = "x-death-error"

#: What an integer column of a database holds.
LARGEST: Final = 2**31 - 1
#: Characters of a name. Two of them, at four bytes each, are one entry of an index: PostgreSQL's has 2704.
LONGEST_NAME: Final = 300
SHORTENED: Final = 200

#: The broker's word → what a person reads.
_BROKERS_REASONS: Final = {
    "rejected": "a consumer rejected it without saying why",
    "expired": "it waited longer than it may",
    "maxlen": "its queue was full",
    "delivery_limit": "it was delivered as often as its queue allows",
}


def read(
    message: Message, deaths: Sequence[Death], now: float, consumers: Mapping[str, str] | None = None
) -> DeadLetter:
    """The dead letter in a message that arrived now.

    Args:
        message: As it arrived.
        deaths: Where and why it died, by the broker, newest first.
        now: Stands in for times that it does not tell.
        consumers: Queue → the consumer that handles it, for what the broker has dead-lettered.
    """
    headers = message.headers
    newest = deaths[0] if deaths else None
    queue = newest.queue if newest else names.text_of(headers, names.QUEUE)
    reason = (newest.reason if newest else names.text_of(headers, names.REASON)) or "failed"
    first = deaths[-1] if deaths else None
    return DeadLetter(
        consumer=_name(_consumer(headers, queue, consumers or {})),
        message_id=_name(_id(message, deaths)),
        queue=clean(queue),
        body=bytes(message.body),
        type=clean(message.type),
        version=_small(message.version),
        content_type=clean(message.content_type),
        content_encoding=_maybe_clean(message.content_encoding),
        app_id=_maybe_clean(message.app_id),
        headers=dict(headers),
        correlation_id=_maybe_clean(message.correlation_id),
        reply_to=_maybe_clean(message.reply_to),
        priority=message.priority,
        published_at=message.timestamp,
        exchange=clean(_told(headers, names.EXCHANGE, first.exchange if first else "")),
        key=clean(_told(headers, names.KEY, first.keys[0] if first and first.keys else "")),
        reason=clean(reason),
        error=clean(_error(headers, reason)),
        error_class=clean(names.text_of(headers, names.ERROR_CLASS)),
        trace=clean(names.text_of(headers, names.TRACE)),
        attempts=_small(names.count_of(headers, names.ATTEMPTS) or (newest.count if newest else 0)),
        first_failure=names.instant_of(headers, names.FIRST_FAILURE) or _earliest(deaths) or now,
        last_failure=_latest(headers, newest) or now,
        redriven=_small(names.count_of(headers, names.REDRIVEN)),
        retry_of=_maybe_clean(names.text_of(headers, RETRY_OF) or None),
    )


def _maybe_clean(text: str | None) -> str | None:
    return None if text is None else clean(text)


def _name(text: str) -> str:
    """The text as an index can hold it; of one that is too long the beginning, and what tells it apart."""
    name = clean(text)
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[:SHORTENED]}…{sha256(name.encode()).hexdigest()[:32]}"


def _small(number: int) -> int:
    """The number, or the largest that an integer column holds: anybody can write a header."""
    return min(number, LARGEST)


def _consumer(headers: Mapping[str, Any], queue: str, consumers: Mapping[str, str]) -> str:
    told = names.text_of(headers, names.CONSUMER)
    # Headers of an earlier failure, in another queue, say nothing about who failed now.
    is_about_this = names.text_of(headers, names.QUEUE) in {"", queue}
    return (told if is_about_this else "") or consumers.get(queue, "") or queue or UNKNOWN


def _id(message: Message, deaths: Sequence[Death]) -> str:
    """Its id, or one that is the same when the same message arrives once more."""
    told = message.id or names.text_of(message.headers, WATERMILL_ID)
    if told:
        return told
    known = (
        message.body,
        sorted(map(repr, names.carried(message.headers).items())),
        message.timestamp,
        tuple(deaths),
    )
    return "nameless-" + sha256(repr(known).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def _error(headers: Mapping[str, Any], reason: str) -> str:
    told = names.text_of(headers, DEATH_ERROR) or names.text_of(headers, names.ERROR)
    return told or _BROKERS_REASONS.get(reason, reason)


def _told(headers: Mapping[str, Any], name: str, otherwise: str) -> str:
    return names.text_of(headers, name) if name in headers else otherwise


def _earliest(deaths: Sequence[Death]) -> float:
    return min((death.at for death in deaths if death.at > 0), default=0.0)


def _latest(headers: Mapping[str, Any], newest: Death | None) -> float:
    told = names.instant_of(headers, names.LAST_FAILURE) or 0.0
    return max(told, newest.at if newest else 0.0)
