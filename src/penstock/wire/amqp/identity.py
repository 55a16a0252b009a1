"""What makes a message this one, apart from what it has in common with its kind.

A producer's property lists differ in message id and timestamp and in nothing else. Who reads many of them
reads the rest once: `identity` gives it as bytes to remember it by. The layout is that of properties.py; the
list has been checked there.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

__all__ = ["MESSAGE_ID", "TIMESTAMP", "TIME_SIZE", "Identity", "id_place", "identity", "kind_of"]

#: The flags of what stands before the message id, in the order of the wire (AMQP 0-9-1 §4.2.6.1), and kinds.
_TEXT, _TABLE, _OCTET = range(3)
_BEFORE: Final = (
    (1 << 15, _TEXT),  # content type
    (1 << 14, _TEXT),  # content encoding
    (1 << 13, _TABLE),  # headers
    (1 << 12, _OCTET),  # delivery mode
    (1 << 11, _OCTET),  # priority
    (1 << 10, _TEXT),  # correlation id
    (1 << 9, _TEXT),  # reply to
    (1 << 8, _TEXT),  # expiration
)
MESSAGE_ID: Final = 1 << 7
TIMESTAMP: Final = 1 << 6
#: Bytes of a timestamp.
TIME_SIZE: Final = 8


class Identity(NamedTuple):
    """A property list taken apart."""

    #: All but the two, as bytes.
    kind: bytes
    #: Empty if there is none.
    message_id: str
    #: Seconds since 1970, 0 if there is none.
    timestamp: int


@lru_cache(maxsize=256)
def _steps(flags: int) -> tuple[int, ...]:
    return tuple(kind for flag, kind in _BEFORE if flags & flag)


def id_place(raw: bytes) -> int:
    """Where the message id stands, or would."""
    return _start(raw, raw[0] << 8 | raw[1])


def kind_of(raw: bytes) -> bytes:
    """What a property list has in common with those of its kind."""
    flags = raw[0] << 8 | raw[1]
    start = _start(raw, flags)
    end = start
    if flags & MESSAGE_ID:
        end += 1 + raw[start]
    return raw[:start] + raw[end + TIME_SIZE :] if flags & TIMESTAMP else raw[:start] + raw[end:]


def identity(raw: bytes) -> Identity:
    """The property list in these bytes, taken apart."""
    flags = raw[0] << 8 | raw[1]
    start = _start(raw, flags)
    end, message_id, timestamp = start, "", 0
    if flags & MESSAGE_ID:
        end += 1 + raw[start]
        message_id = raw[start + 1 : end].decode("utf-8", "surrogateescape")
    if flags & TIMESTAMP:
        timestamp = int.from_bytes(raw[end : end + TIME_SIZE], "big")
        end += TIME_SIZE
    return Identity(raw[:start] + raw[end:], message_id, timestamp)


def _start(raw: bytes, flags: int) -> int:
    at = 2
    for kind in _steps(flags):
        if kind == _TEXT:
            at += 1 + raw[at]
        elif kind == _TABLE:
            at += 4 + int.from_bytes(raw[at : at + 4], "big")
        else:
            at += 1
    return at
