"""What an application publishes and receives, whatever broker carries it.

Values only. The bytes of the body are made in events/, the properties of the wire in envelope.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import uuid4

from penstock.messaging.headers import ATTEMPTS, count_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["JSON", "Death", "Destination", "Heading", "Message", "Wishes"]

#: The content type of a body that nothing else is said about.
JSON: Final = "application/json"


def _new_id() -> str:
    return uuid4().hex


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message. Change one with `dataclasses.replace`; a copy with the same id is the same message."""

    body: bytes
    #: Idempotent consumers and the dead letters know the message by this.
    id: str = field(default_factory=_new_id)
    #: The event's name; empty is a message without a type.
    type: str = ""
    version: int = 1
    content_type: str = JSON
    headers: Mapping[str, Any] = field(default_factory=dict)
    correlation_id: str | None = None
    reply_to: str | None = None
    priority: int | None = None
    #: Seconds that it may wait in a queue, then it is a dead letter; None is for ever.
    expires_in: float | None = None
    #: Seconds before any queue gets it.
    delay: float = 0.0
    #: Seconds since the epoch; 0 until it is published, and whole seconds on the wire.
    timestamp: float = 0.0
    #: Messages of one group are handled one after another, where the broker can.
    group: str | None = None
    #: Whether it outlives the broker's restart.
    durable: bool = True
    #: Of other programs' messages, so that a copy is as good as the original.
    content_encoding: str | None = None
    app_id: str | None = None

    @property
    def attempts(self) -> int:
        """How often a handler failed on it before."""
        return count_of(self.headers, ATTEMPTS)


class Heading(NamedTuple):
    """What a message is, as far as it says so itself."""

    type: str
    version: int
    content_type: str


class Wishes(NamedTuple):
    """What a message asks of whoever handles it."""

    #: Where whoever sent it waits for a reply.
    reply_to: str | None = None
    #: Seconds that it may be in hand; then the broker takes it back.
    lease: float | None = None


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a message is published to: an exchange, and the key it routes by."""

    exchange: str
    key: str

    @classmethod
    def queue(cls, name: str) -> Destination:
        """One queue, and no other."""
        return cls("", name)

    def __str__(self) -> str:
        return f"{self.exchange}/{self.key}" if self.exchange else self.key


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """One entry of what the broker writes on a message that died in a queue."""

    queue: str
    #: rejected, expired, maxlen or delivery_limit.
    reason: str
    exchange: str
    keys: tuple[str, ...]
    #: How often it died there for that reason.
    count: int
    #: When first, in seconds since the epoch.
    at: float
