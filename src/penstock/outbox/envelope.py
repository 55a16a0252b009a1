"""A message as a row of the outbox, and back.

What people look for in the table has a column of its own; the rest is one MessagePack array, which keeps
bytes bytes and costs a microsecond. On the path of every `add`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from penstock.errors import OutboxError
from penstock.messaging import Destination, Message

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COLUMNS", "Row", "row_of"]


class Envelope(msgspec.Struct, array_like=True):
    """What a message has beside its columns. New fields come last, with a default."""

    version: int
    content_type: str
    headers: dict[str, Any]
    correlation_id: str | None
    reply_to: str | None
    priority: int | None
    expires_in: float | None
    delay: float
    timestamp: float
    group: str | None
    durable: bool
    content_encoding: str | None = None
    app_id: str | None = None


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Envelope).decode


def row_of(
    message: Message, to: Destination, *, priority: int, now: float, relayed: int = 0
) -> dict[str, Any]:
    """The columns of a new row.

    Raises:
        OutboxError: a header has a value that no broker could carry.
    """
    try:
        envelope = _encode(
            Envelope(
                message.version,
                message.content_type,
                message.headers if type(message.headers) is dict else dict(message.headers),
                message.correlation_id,
                message.reply_to,
                message.priority,
                message.expires_in,
                message.delay,
                message.timestamp,
                message.group,
                message.durable,
                message.content_encoding,
                message.app_id,
            )
        )
    except (TypeError, OverflowError) as exc:
        raise OutboxError(f"message {message.id} cannot be kept: {exc}") from exc
    return {
        "id": message.id,
        "type": message.type,
        "exchange": to.exchange,
        "key": to.key,
        "priority": priority,
        "body": message.body,
        "envelope": envelope,
        "added_at": now,
        "relayed": relayed,
        "attempts": 0,
        "relayed_at": now if relayed else None,
    }


#: What a Row is read from, in its order.
COLUMNS = (
    "sequence",
    "id",
    "type",
    "exchange",
    "key",
    "priority",
    "body",
    "envelope",
    "added_at",
    "attempts",
)


class Row(NamedTuple):
    """A row as the relay and replays read it."""

    sequence: int
    id: str
    type: str
    exchange: str
    key: str
    priority: int
    body: bytes
    envelope: bytes
    added_at: float
    attempts: int

    @classmethod
    def of(cls, values: Sequence[Any]) -> Row:
        """The row that was read from COLUMNS."""
        return cls._make(values)

    @property
    def destination(self) -> Destination:
        """Where it was meant to go."""
        return Destination(self.exchange, self.key)

    def message(self, now: float) -> Message:
        """The message as it is to be published now: what it waited here counts as delay."""
        kept = _decode(self.envelope)
        return Message(
            body=bytes(self.body),
            id=self.id,
            type=self.type,
            version=kept.version,
            content_type=kept.content_type,
            headers=kept.headers,
            correlation_id=kept.correlation_id,
            reply_to=kept.reply_to,
            priority=kept.priority,
            expires_in=kept.expires_in,
            delay=max(0.0, self.added_at + kept.delay - now) if kept.delay else 0.0,
            timestamp=kept.timestamp or self.added_at,
            group=kept.group,
            durable=kept.durable,
            content_encoding=kept.content_encoding,
            app_id=kept.app_id,
        )
