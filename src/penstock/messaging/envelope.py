"""A message as AMQP carries it, and back: what goes into which property, and what into which header.

Pure. Reading raises nothing: whatever another program has sent is a message, and what makes no sense in it
is as good as not there.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from penstock.messaging.headers import DELAY, EXCHANGE, GROUP, KEY, LEASE, TYPE_VERSION, count_of, text_of
from penstock.messaging.message import JSON, Death, Destination, Heading, Message, Wishes
from penstock.messaging.stamping import is_plain, stamped
from penstock.wire.amqp import BasicProperties
from penstock.wire.amqp.identity import identity, kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "deaths_of",
    "delay_header",
    "heading_of",
    "maybe_origin",
    "message_of",
    "milliseconds",
    "properties_for",
    "wishes_of",
]

#: AMQP's delivery modes.
TRANSIENT: Final = 1
PERSISTENT: Final = 2


def properties_for(message: Message, now: float, further: Mapping[str, Any] | None = None) -> BasicProperties:
    """The properties of a message that is published now, with further headers on its way.

    Raises:
        CannotEncode: a header that AMQP cannot hold.
    """
    if not further and is_plain(message):
        return stamped(message, int(now), lambda name, time: _encoded(replace(message, id=name), time, {}))
    return _encoded(message, int(message.timestamp or now), further or {})


def _encoded(message: Message, time: int, further: Mapping[str, Any]) -> BasicProperties:
    headers = {TYPE_VERSION: message.version, **message.headers}
    if message.group is not None:
        headers[GROUP] = message.group
    headers.update(further)
    return BasicProperties.of(
        content_type=message.content_type,
        content_encoding=message.content_encoding,
        headers=headers,
        delivery_mode=PERSISTENT if message.durable else TRANSIENT,
        priority=message.priority,
        correlation_id=message.correlation_id,
        reply_to=message.reply_to,
        expiration=None if message.expires_in is None else str(milliseconds(message.expires_in)),
        message_id=message.id,
        timestamp=time,
        type=message.type or None,
        app_id=message.app_id,
    )


def delay_header(message: Message) -> dict[str, int]:
    """What makes a Penstock broker hold the message back."""
    return {DELAY: milliseconds(message.delay)}


def milliseconds(seconds: float) -> int:
    """Whole milliseconds, never fewer than asked for and never negative."""
    return max(0, ceil(round(seconds * 1000, 3)))


class _Kind(NamedTuple):
    """What messages of one kind have in common."""

    heading: Heading
    #: More of a Message's fields.
    common: dict[str, Any]
    wishes: Wishes


def heading_of(properties: BasicProperties) -> Heading:
    """What a message with these properties is. On the hot path of every typed handler."""
    kind = properties.kind or kind_of(properties.raw)
    return (_kinds.get(kind) or _remembered(kind, properties)).heading


def wishes_of(properties: BasicProperties) -> Wishes:
    """What a message with these properties asks for. On the hot path of every job."""
    kind = properties.kind or kind_of(properties.raw)
    return (_kinds.get(kind) or _remembered(kind, properties)).wishes


def message_of(properties: BasicProperties, body: bytes) -> Message:
    """The message that came with these properties."""
    kind, message_id, timestamp = identity(properties.raw)
    (name, version, content_type), common, _ = _kinds.get(kind) or _remembered(kind, properties)
    return Message(
        body=body,
        id=message_id,
        type=name,
        version=version,
        content_type=content_type,
        timestamp=float(timestamp),
        **common,
    )


#: Kinds that were read before. A producer that puts something of its own on each message fills it with what
#: never comes again; then it starts over.
_kinds: dict[bytes, _Kind] = {}
REMEMBERED: Final = 512


def _remembered(kind: bytes, properties: BasicProperties) -> _Kind:
    found = properties.as_dict()
    headers = found.get("headers") or {}
    group = headers.get(GROUP)
    heading = Heading(
        found.get("type") or "",
        count_of(headers, TYPE_VERSION) or 1,
        found.get("content_type") or JSON,
    )
    common = {
        # Shared by all messages of the kind, so nobody may change them.
        "headers": MappingProxyType(headers),
        "correlation_id": found.get("correlation_id"),
        "reply_to": found.get("reply_to"),
        "priority": found.get("priority"),
        "expires_in": _seconds(found.get("expiration")),
        "group": group if isinstance(group, str) else None,
        "durable": found.get("delivery_mode") == PERSISTENT,
        "content_encoding": found.get("content_encoding"),
        "app_id": found.get("app_id"),
    }
    if len(_kinds) >= REMEMBERED:
        _kinds.clear()
    wishes = Wishes(found.get("reply_to"), float(count_of(headers, LEASE)) or None)
    made = _kinds[kind] = _Kind(heading, common, wishes)
    return made


def maybe_origin(headers: Mapping[str, Any]) -> Destination | None:
    """Where a copy's first was published to, if it says so."""
    return Destination(text_of(headers, EXCHANGE), text_of(headers, KEY)) if KEY in headers else None


def deaths_of(headers: Mapping[str, Any]) -> tuple[Death, ...]:
    """What brokers have written about the message's deaths, newest first."""
    entries = headers.get("x-death")
    if not isinstance(entries, list):
        return ()
    return tuple(_death(entry) for entry in entries if isinstance(entry, dict))


def _death(entry: Mapping[str, Any]) -> Death:
    keys = entry.get("routing-keys")
    return Death(
        queue=text_of(entry, "queue"),
        reason=text_of(entry, "reason"),
        exchange=text_of(entry, "exchange"),
        keys=tuple(key for key in keys if isinstance(key, str)) if isinstance(keys, list) else (),
        count=count_of(entry, "count"),
        at=_instant(entry.get("time")),
    )


def _seconds(expiration: str | None) -> float | None:
    return int(expiration) / 1000 if expiration and expiration.isascii() and expiration.isdigit() else None


def _instant(value: Any) -> float:
    if isinstance(value, datetime):
        return value.timestamp()
    return float(value) if isinstance(value, int) else 0.0
