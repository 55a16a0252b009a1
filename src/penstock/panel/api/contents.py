"""A message as JSON: properties under AMQP's names, the payload as text or in base64, all of it or some."""

from __future__ import annotations

from base64 import b64encode
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from penstock.server.amqp.message import AmqpMessage

if TYPE_CHECKING:
    from penstock.wiring import Message

__all__ = ["Encoding", "message_told", "payload_of", "size_told"]

Encoding = Literal["auto", "base64"]
TEXT: Final = "string"
BASE64: Final = "base64"


def message_told(
    message: Message, *, encoding: Encoding = "auto", truncate: int | None = None
) -> dict[str, Any]:
    """One message; RabbitMQ's fields.

    Args:
        encoding: auto is text where it is UTF-8, else base64.
        truncate: how many bytes of the payload are wanted at most.
    """
    body = payload_of(message, truncate)
    text = None if encoding == BASE64 else _text(body, is_cut=truncate is not None and len(body) == truncate)
    return {
        "payload_bytes": message.size,
        "exchange": message.proxy,
        "routing_key": message.destination,
        "properties": _properties(message),
        "payload": b64encode(body).decode() if text is None else text,
        "payload_encoding": BASE64 if text is None else TEXT,
    }


def size_told(message: Message, truncate: int | None = None) -> int:
    """About how many bytes there are to tell, of a message whose payload is told up to `truncate`."""
    payload = message.size if truncate is None else min(message.size, truncate)
    if not isinstance(message, AmqpMessage):
        return payload
    # What is in the frames beside the body is properties and headers, which may be as long as a frame.
    return payload + len(message.frames) - (message.size if message.large is None else 0)


def payload_of(message: Message, most: int | None = None) -> bytes:
    """The payload, or the first bytes of it; of a large one no more is read than is wanted."""
    large = getattr(message, "large", None)
    if large is None or most is None:
        return bytes(message.body[:most])
    content = large.open()
    try:
        found: bytes = content.read(0, min(most, large.length))
        return found
    finally:
        content.close()


def _text(body: bytes, *, is_cut: bool) -> str | None:
    try:
        return body.decode()
    except UnicodeDecodeError as wrong:
        # The cut may have gone through a character.
        if is_cut and len(body) - wrong.start <= 3 and wrong.reason == "unexpected end of data":  # noqa: PLR2004
            return body[: wrong.start].decode()
        return None


def _properties(message: Message) -> dict[str, Any]:
    if not isinstance(message, AmqpMessage):
        return {"headers": dict(message.properties)} if message.properties else {}
    told: dict[str, Any] = dict(message.content.as_dict())
    at = told.get("timestamp")
    if isinstance(at, datetime):
        # RabbitMQ tells seconds.
        told["timestamp"] = int(at.timestamp())
    return told
