"""What the store keeps, column by column, as plain tuples.

They are given to SQLite as they are, so their order is the order of the named queries in sql/. A
plain row leaves out what almost every message and reference does not have: to write and delete a
message of 100 bytes takes 5.3 µs of CPU that way, and 7.6 with all columns. Nothing here knows a
database.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple, TypeAlias

__all__ = [
    "END",
    "Change",
    "Definition",
    "Expiry",
    "Found",
    "FullMessage",
    "FullReference",
    "Line",
    "Move",
    "PlainMessage",
    "PlainReference",
    "Raw",
    "Removal",
    "Span",
    "Standing",
    "Taking",
]

#: Beyond every sequence there can be.
END: Final = 2**63 - 1


class Standing(IntEnum):
    """How a stored reference stands. Whoever holds it in memory need not say so here.

    A reference that has left its line for good (its delay ran out, it was kicked, or it was released
    with another priority) stays DELAYED, due in the past: READY means "fetch finds it in its line".
    """

    READY = 0
    DELAYED = 1
    BURIED = 2
    #: Ready, and written only because memory was full: void after the next start. Its message must be
    #: one of this run, with a row of its own.
    OVERFLOWED = 3


#: kind, key, value: opaque to the store.
Definition: TypeAlias = tuple[str, str, bytes]
#: id, front, content, proxy, destination, length: a message in one queue, with nothing special to it.
PlainMessage: TypeAlias = tuple[int, int, bytes, str, str, int]
#: id, front, content, proxy, destination, length, extra, file, copies (the queues it is stored in).
FullMessage: TypeAlias = tuple[int, int, bytes, str, str, int, bytes | None, str | None, int]
#: queue, priority, sequence, message: ready, never handed out, never expiring.
PlainReference: TypeAlias = tuple[int, int, int, int]
#: queue, priority, sequence, message, standing, due_at, expires_at, acquired, failed, redelivered, error,
#: remarks.
FullReference: TypeAlias = tuple[
    int, int, int, int, int, float, float | None, int, int, int, str | None, bytes | None
]
#: priority, standing, due_at, expires_at, acquired, failed, redelivered, error, remarks as they are now;
#: then queue, priority, sequence as it is stored.
Change: TypeAlias = tuple[
    int, int, float, float | None, int, int, int, str | None, bytes | None, int, int, int
]
#: queue, priority, sequence, message: the reference goes, and with its last one the message.
Removal: TypeAlias = tuple[int, int, int, int]
#: queue, priority, first, below: whatever is READY or OVERFLOWED there.
Span: TypeAlias = tuple[int, int, int, int]
#: to queue or reader, from queue or reader, priority, first, last: references change hands.
Move: TypeAlias = tuple[int, int, int, int, int]
#: reader, position, count, priority, sequence, arrived_at, home: positions given to neighbours in a line, and
#: the queue or reader under which they stand.
Taking: TypeAlias = tuple[int, int, int, int, int, float, int]
#: sequence, content, proxy, destination; whether somebody had it in hand before; whether its content tells
#: all, in the form of the front that was asked for.
Raw: TypeAlias = tuple[int, bytes, str, str, int, int]
#: expires_at, priority, sequence: a place in the order of expiry.
Expiry: TypeAlias = tuple[float, int, int]


class Line(NamedTuple):
    """What stands in a queue under one priority."""

    queue: int
    priority: int
    #: How many `fetch` would find.
    ready: int
    #: How many `aside` would find.
    aside: int
    #: The highest sequence in use.
    last: int


class Found(NamedTuple):
    """A reference as it is stored, with its message."""

    priority: int
    sequence: int
    message: int
    standing: int
    due_at: float
    expires_at: float | None
    acquired: int
    failed: int
    redelivered: int
    error: str | None
    remarks: bytes | None
    front: int
    content: bytes
    proxy: str
    destination: str
    length: int
    extra: bytes | None
    file: str | None
    #: In how many queues the message is stored.
    copies: int
