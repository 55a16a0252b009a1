"""A dead letter: a message that somebody could not handle, with all that is known about why. A value.

It has everything that is needed to send the message once more; nothing else needs to be kept for that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from penstock.messaging.dead_letters.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.wiring.properties import Properties

__all__ = ["DEAD", "REDRIVEN", "RETRIED", "STATES", "DeadLetter", "Group", "group_of"]

#: It waits for somebody to do something about it.
DEAD: Final = "dead"
#: It was sent to its consumer once more, and has not come back.
REDRIVEN: Final = "redriven"
#: Another message, edited, was sent in its place.
RETRIED: Final = "retried"
STATES: Final = (DEAD, REDRIVEN, RETRIED)


def group_of(consumer: str, mark: str, type_: str) -> str:
    """The name of the group of a consumer, an error and a type, in twelve characters that can be typed."""
    return sha256(f"{consumer}\0{mark}\0{type_}".encode("utf-8", "surrogatepass")).hexdigest()[:12]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """One message that one consumer could not handle; consumer and message id together are its name."""

    consumer: str
    message_id: str
    #: Where it goes when it is redriven; empty if nobody knows.
    queue: str = ""
    body: bytes = b""
    #: How many bytes the body has, where only its beginning is here.
    whole: int | None = None
    type: str = ""
    version: int = 1
    content_type: str = ""
    content_encoding: str | None = None
    app_id: str | None = None
    headers: Mapping[str, Any] = field(default_factory=dict)
    correlation_id: str | None = None
    reply_to: str | None = None
    priority: int | None = None
    #: When it was published, in seconds since the epoch, as are all times here; 0 if it does not say.
    published_at: float = 0.0
    #: Where it was published to.
    exchange: str = ""
    key: str = ""
    #: Why it is here: failed, or the broker's word: rejected, expired, maxlen, delivery_limit.
    reason: str = ""
    error: str = ""
    error_class: str = ""
    trace: str = ""
    attempts: int = 0
    first_failure: float = 0.0
    last_failure: float = 0.0
    #: How often it was redriven, and when last.
    redriven: int = 0
    redriven_at: float | None = None
    state: str = DEAD
    #: The message that this one was sent in place of, and the one that was sent in place of this.
    retry_of: str | None = None
    retried_as: str | None = None

    @property
    def size(self) -> int:
        """How many bytes the body has."""
        return len(self.body) if self.whole is None else self.whole

    @property
    def fingerprint(self) -> str:
        """What the errors of a group have in common."""
        return fingerprint(self.error_class, self.error, self.reason)

    @property
    def group(self) -> str:
        """The group it belongs to."""
        return group_of(self.consumer, self.fingerprint, self.type)

    @property
    def properties(self) -> Properties:
        """What a selector may ask about: the message's headers, and over them what is written down here."""
        return {
            **self.headers,
            "consumer": self.consumer,
            "message_id": self.message_id,
            "queue": self.queue,
            "type": self.type,
            "version": self.version,
            "content_type": self.content_type,
            "correlation_id": self.correlation_id,
            "priority": self.priority,
            "exchange": self.exchange,
            "key": self.key,
            "reason": self.reason,
            "error": self.error,
            "error_class": self.error_class,
            "attempts": self.attempts,
            "first_failure": self.first_failure,
            "last_failure": self.last_failure,
            "redriven": self.redriven,
            "state": self.state,
            "size": self.size,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Dead letters with the same consumer, type and kind of error."""

    group: str
    consumer: str
    type: str
    #: Of the one that failed last.
    error_class: str
    error: str
    reason: str
    count: int
    first_failure: float
    last_failure: float
    #: How many of them were redriven before and have come back.
    returned: int
