"""The fourteen properties of basic content, kept as they came and decoded when somebody asks.

The layout is AMQP 0-9-1 §4.2.6.1: a word of flags, then the values of those that are there. What is kept is
that property list, not the class, weight and size before it. Knows names and types, not what a broker makes
of a delivery mode or a header.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Generic, TypedDict, TypeVar, overload

from penstock.wire.amqp.errors import CannotEncode, Malformed
from penstock.wire.amqp.table import (
    MAX_DEPTH,
    Table,
    decode_table,
    encode_table,
    instant,
    seconds_since_1970,
    short_text,
)
from penstock.wire.amqp.table_walk import check_table, patch_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime
    from typing import Self, Unpack

    from penstock.wire.amqp.table import Value

__all__ = ["PERSISTENT_MODE", "PROPERTY_NAMES", "BasicProperties", "PropertyValues"]

P = TypeVar("P")

#: The delivery mode of a message that survives a restart.
PERSISTENT_MODE: Final = 2
#: Two low bits are no property; the lowest would say that more flags follow, which no peer does.
_NO_PROPERTY: Final = 0b11


class PropertyValues(TypedDict, total=False):
    """The properties by name; None is one that is not there."""

    content_type: str | None
    content_encoding: str | None
    headers: Table | None
    delivery_mode: int | None
    priority: int | None
    correlation_id: str | None
    reply_to: str | None
    expiration: str | None
    message_id: str | None
    timestamp: datetime | int | None
    type: str | None
    user_id: str | None
    app_id: str | None
    cluster_id: str | None


# One row a kind: the position after a value, its reading, its writing.


def _after_text(raw: bytes, at: int, _depth: int) -> int:
    return at + 1 + raw[at]


def _text(raw: bytes, at: int) -> str:
    return raw[at + 1 : at + 1 + raw[at]].decode("utf-8", "surrogateescape")


def _octet(value: int) -> bytes:
    try:
        return bytes((value,))
    except ValueError as exc:
        raise CannotEncode(f"{value} does not fit an octet") from exc


_Kind = tuple["Callable[[bytes, int, int], int]", "Callable[[bytes, int], Any]", "Callable[[Any], bytes]"]
_TEXT: Final[_Kind] = (_after_text, _text, short_text)
_OCTET: Final[_Kind] = (lambda _raw, at, _depth: at + 1, lambda raw, at: raw[at], _octet)
_TABLE: Final[_Kind] = (check_table, lambda raw, at: decode_table(raw, at)[0], encode_table)
_TIMESTAMP: Final[_Kind] = (
    lambda _raw, at, _depth: at + 8,
    lambda raw, at: instant(int.from_bytes(raw[at : at + 8], "big")),
    seconds_since_1970,
)
#: In the order of the wire, the first property at the highest bit.
_KINDS: Final[dict[str, _Kind]] = {
    "content_type": _TEXT,
    "content_encoding": _TEXT,
    "headers": _TABLE,
    "delivery_mode": _OCTET,
    "priority": _OCTET,
    "correlation_id": _TEXT,
    "reply_to": _TEXT,
    "expiration": _TEXT,
    "message_id": _TEXT,
    "timestamp": _TIMESTAMP,
    "type": _TEXT,
    "user_id": _TEXT,
    "app_id": _TEXT,
    "cluster_id": _TEXT,
}
#: In the order of the wire.
PROPERTY_NAMES: Final = tuple(_KINDS)
_SHORT: Final = struct.Struct(">H")
_FLAGS: Final = {name: 1 << (15 - i) for i, name in enumerate(_KINDS)}
_ROWS: Final = [(name, _FLAGS[name], *kind) for name, kind in _KINDS.items()]


@lru_cache(maxsize=256)
def _steps(flags: int) -> list[Callable[[bytes, int, int], int]]:
    """What to step over, one by one; senders are content with a handful of combinations."""
    return [after for _, flag, after, _, _ in _ROWS if flags & flag]


def _places(raw: bytes) -> Iterator[tuple[str, int, Callable[[bytes, int], Any]]]:
    """Name, position and reader of each property that is there; the last item is ("", end, …)."""
    flags = raw[0] << 8 | raw[1]
    at = 2
    for name, flag, after, read, _ in _ROWS:
        if flags & flag:
            yield name, at, read
            at = after(raw, at, MAX_DEPTH)
    yield "", at, _text


class _Property(Generic[P]):
    """A property as an attribute: decoded when asked for, alone, and None if it is not there."""

    __slots__ = ("_flag", "_name")

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name
        self._flag = _FLAGS[name]

    @overload
    def __get__(self, content: None, _owner: type) -> Self: ...
    @overload
    def __get__(self, content: BasicProperties, _owner: type) -> P | None: ...
    def __get__(self, content: BasicProperties | None, _owner: type) -> Self | P | None:
        if content is None:
            return self
        return content.get(self._name) if content.flags & self._flag else None


class BasicProperties:
    """The properties of one content, as bytes until asked.

    Make one of bytes with `checked`, which refuses what cannot be read, or of values with `of`. Two contents
    with the same bytes may share one, so it never changes; `memo` is room for what its reader made of it.
    """

    __slots__ = ("_headers", "flags", "kind", "memo", "raw")

    content_type = _Property[str]()
    content_encoding = _Property[str]()
    headers = _Property[Table]()
    delivery_mode = _Property[int]()
    priority = _Property[int]()
    correlation_id = _Property[str]()
    reply_to = _Property[str]()
    expiration = _Property[str]()
    message_id = _Property[str]()
    timestamp = _Property["datetime | int"]()
    type = _Property[str]()
    user_id = _Property[str]()
    app_id = _Property[str]()
    cluster_id = _Property[str]()

    def __init__(self, raw: bytes, kind: bytes = b"") -> None:
        self.raw = raw
        #: What it has in common with others (identity.py), where somebody has found out; else empty.
        self.kind = kind
        self.flags = raw[0] << 8 | raw[1]
        self.memo: Any = None
        self._headers: Table | None = None

    def __repr__(self) -> str:
        return f"<BasicProperties {self.as_dict()}>"

    @classmethod
    def checked(cls, raw: bytes, depth: int = MAX_DEPTH) -> Self:
        """The properties in these bytes, once all are known to be readable; nothing raises later.

        Raises:
            Malformed: flags of no property, a value past the end, bytes left over, or a broken table.
        """
        at = 2
        try:
            for after in _steps(raw[0] << 8 | raw[1]):
                at = after(raw, at, depth)
        except IndexError as exc:
            raise Malformed("a property list ends too early") from exc
        if at != len(raw) or raw[1] & _NO_PROPERTY:
            raise Malformed("a property list does not fit its flags")
        return cls(raw)

    @classmethod
    def of(cls, **values: Unpack[PropertyValues]) -> Self:
        """Properties made of values.

        Raises:
            CannotEncode: a value its property cannot hold.
        """
        return cls(_encode(values))

    def get(self, name: str) -> Any:
        """One property by its name, None if it is not there."""
        if name == "headers":
            return self._maybe_headers()
        return next((read(self.raw, at) for found, at, read in _places(self.raw) if found == name), None)

    def as_dict(self) -> PropertyValues:
        """All that are there, decoded."""
        return {name: read(self.raw, at) for name, at, read in _places(self.raw) if name}  # type: ignore[return-value]

    def replace(self, **changes: Unpack[PropertyValues]) -> Self:
        """A copy with some properties set anew; None takes one away.

        Raises:
            CannotEncode: a value its property cannot hold.
        """
        return type(self)(_encode(changes, self._encoded()))

    def with_headers(self, changes: Mapping[str, Value]) -> Self:
        """A copy with some headers set anew; all others keep their bytes, hence their types.

        Raises:
            CannotEncode: a value no field type holds.
        """
        encoded = self._encoded()
        encoded["headers"] = patch_table(encoded.get("headers", b"\0\0\0\0"), changes)
        return type(self)(_encode({}, encoded))

    def _maybe_headers(self) -> Table | None:
        # Kept, since routing by headers and dead-lettering ask again; the other values cost less than a slot.
        if self._headers is None and self.flags & _FLAGS["headers"]:
            self._headers = next(
                read(self.raw, at) for name, at, read in _places(self.raw) if name == "headers"
            )
        return self._headers

    def _encoded(self) -> dict[str, bytes]:
        places = [(name, at) for name, at, _ in _places(self.raw)]
        return {name: self.raw[at:end] for (name, at), (_, end) in pairwise(places)}


def _encode(values: Mapping[str, Any], encoded: Mapping[str, bytes] | None = None) -> bytes:
    """The property list of these values, and of those already encoded that they do not replace."""
    unknown = values.keys() - _KINDS.keys()
    if unknown:
        raise CannotEncode(f"no property is called {', '.join(sorted(unknown))}")
    # On the path of every publish: one pass, in the order of the list.
    flags, parts = 0, [b""]
    kept = encoded or {}
    for name, flag, _, _, write in _ROWS:
        if name in values:
            value = values[name]
            if value is None:
                continue
            parts.append(write(value))
        elif name in kept:
            parts.append(kept[name])
        else:
            continue
        flags |= flag
    parts[0] = _SHORT.pack(flags)
    return b"".join(parts)
