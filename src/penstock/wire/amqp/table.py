"""Field tables and arrays, both ways, in RabbitMQ's dialect of the field types.

AMQP 0-9-1 §4.2.5.5 and the field types that RabbitMQ and its clients really use (the standard and its
implementers differ: https://www.rabbitmq.com/amqp-0-9-1-errata). Knows values and bytes, not what the
names in a table mean.
"""

from __future__ import annotations

import struct
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from penstock.wire.amqp.errors import CannotEncode, Malformed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "MAX_DEPTH",
    "Table",
    "Value",
    "decode_table",
    "encode_entry",
    "encode_table",
    "ended",
    "instant",
    "nested",
    "seconds_since_1970",
    "short_text",
]

#: What a field can hold. A tuple is written as a list is.
Value = bool | int | float | Decimal | str | bytes | datetime | dict[str, "Value"] | list["Value"] | None
Table = dict[str, Value]

#: Tables within tables. RabbitMQ has no limit but its heap; Python has its stack. Nobody needs ten.
MAX_DEPTH: Final = 32
#: The last second a datetime can hold. Milliseconds sent as seconds are common and lie beyond it.
_LAST_SECOND: Final = 253_402_300_799

_LENGTH: Final = struct.Struct(">I")
#: The first integer that needs more than 32 bits.
_INT_END: Final = 2**31
_INT: Final = struct.Struct(">i")
_INT64: Final = struct.Struct(">q")
_DECIMAL: Final = struct.Struct(">Bi")
_DOUBLE: Final = struct.Struct(">d")
_TIMESTAMP: Final = struct.Struct(">Q")

if TYPE_CHECKING:
    Reader = Callable[[bytes, int, int], tuple[Value, int]]


# Reading: one function a type, (data, position, depth left) -> (value, position after it).


def instant(seconds: int) -> datetime | int:
    """A timestamp as a moment, or as the bare number where no calendar reaches."""
    return datetime.fromtimestamp(seconds, UTC) if seconds <= _LAST_SECOND else seconds


def _fixed(layout: str) -> Reader:
    packed = struct.Struct(layout)

    def read(data: bytes, at: int, _depth: int) -> tuple[Value, int]:
        return packed.unpack_from(data, at)[0], at + packed.size

    return read


def _read_bool(data: bytes, at: int, _depth: int) -> tuple[Value, int]:
    return data[at] != 0, at + 1


def _read_decimal(data: bytes, at: int, _depth: int) -> tuple[Value, int]:
    scale, digits = _DECIMAL.unpack_from(data, at)
    return Decimal(digits).scaleb(-scale), at + 5


def _read_timestamp(data: bytes, at: int, _depth: int) -> tuple[Value, int]:
    return instant(_TIMESTAMP.unpack_from(data, at)[0]), at + 8


def _read_bytes(data: bytes, at: int, _depth: int) -> tuple[bytes, int]:
    end = at + 4 + _LENGTH.unpack_from(data, at)[0]
    return data[at + 4 : end], end


def _read_text(data: bytes, at: int, depth: int) -> tuple[Value, int]:
    raw, end = _read_bytes(data, at, depth)
    try:
        return raw.decode(), end
    except UnicodeDecodeError:  # §4.2.5.3: a long string is octets; clients put binary in 'S'
        return raw, end


def _read_void(_data: bytes, at: int, _depth: int) -> tuple[Value, int]:
    return None, at


def _read_array(data: bytes, at: int, depth: int) -> tuple[Value, int]:
    at, end = nested(data, at, depth)
    values: list[Value] = []
    while at < end:
        value, at = _READERS[data[at]](data, at + 1, depth - 1)
        values.append(value)
    return values, ended(at, end)


def _read_table(data: bytes, at: int, depth: int) -> tuple[Table, int]:
    at, end = nested(data, at, depth)
    table: Table = {}
    while at < end:
        name_end = at + 1 + data[at]
        name = data[at + 1 : name_end].decode("utf-8", "surrogateescape")
        table[name], at = _READERS[data[name_end]](data, name_end + 1, depth - 1)
    return table, ended(at, end)


def nested(data: bytes, at: int, depth: int) -> tuple[int, int]:
    """Where the entries of the table or array at `at` begin and end."""
    if depth <= 0:
        raise Malformed("tables nest too deep")
    start = at + 4
    end = start + _LENGTH.unpack_from(data, at)[0]
    if end > len(data):
        raise Malformed("a table is longer than what holds it")
    return start, end


def ended(at: int, end: int) -> int:
    """`end`, if the entries came to exactly that."""
    if at != end:
        raise Malformed("a field runs past the end of its table")
    return end


_READERS: Final[dict[int, Reader]] = {
    ord("t"): _read_bool,
    ord("b"): _fixed(">b"),
    ord("B"): _fixed(">B"),
    ord("s"): _fixed(">h"),
    ord("u"): _fixed(">H"),
    ord("I"): _fixed(">i"),
    ord("i"): _fixed(">I"),
    ord("l"): _fixed(">q"),
    ord("L"): _fixed(">q"),  # signed too: rabbitmq-server issue 1093
    ord("f"): _fixed(">f"),
    ord("d"): _fixed(">d"),
    ord("D"): _read_decimal,
    ord("S"): _read_text,
    ord("x"): _read_bytes,
    ord("T"): _read_timestamp,
    ord("A"): _read_array,
    ord("F"): _read_table,
    ord("V"): _read_void,
}


def decode_table(data: bytes, at: int = 0, depth: int = MAX_DEPTH) -> tuple[Table, int]:
    """The table whose length stands at `at`, and the position after it.

    Raises:
        Malformed: an unknown type, a field past the end, or too many levels.
    """
    try:
        return _read_table(data, at, depth)
    except KeyError as exc:
        raise Malformed(f"unknown field type {exc.args[0]:#04x}") from exc
    except (IndexError, struct.error) as exc:
        raise Malformed("a table ends too early") from exc


# Writing: the type follows from the Python value, and is the one RabbitMQ's clients expect for it.


def short_text(text: str) -> bytes:
    """A short string: one octet of length, then UTF-8 (§4.2.5.3).

    Raises:
        CannotEncode: over 255 bytes.
    """
    raw = text.encode("utf-8", "surrogateescape")
    if len(raw) > 255:
        raise CannotEncode(f"at most 255 bytes of UTF-8 fit a short string, not {len(raw)}")
    return bytes((len(raw),)) + raw


def _long(raw: bytes) -> bytes:
    return _LENGTH.pack(len(raw)) + raw


def _write_int(value: int) -> bytes:
    is_small = -_INT_END <= value < _INT_END
    try:
        return b"I" + _INT.pack(value) if is_small else b"l" + _INT64.pack(value)
    except struct.error as exc:
        raise CannotEncode("an integer of more than 64 bits") from exc


def _write_decimal(value: Decimal) -> bytes:
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or len(digits) + max(exponent, 0) > 10:
        raise CannotEncode(f"decimal {value} does not fit 32 bits")
    scale = max(0, -exponent)
    try:
        return b"D" + _DECIMAL.pack(scale, int(value.scaleb(scale)))
    except struct.error as exc:
        raise CannotEncode(f"decimal {value} does not fit 32 bits") from exc


def _write_datetime(value: datetime) -> bytes:
    if value.tzinfo is None:
        raise CannotEncode("a moment without a time zone is a different moment elsewhere")
    return b"T" + seconds_since_1970(value)


def seconds_since_1970(value: datetime | int) -> bytes:
    """A timestamp's eight octets (§4.2.5.4): whole POSIX seconds.

    Raises:
        CannotEncode: before 1970.
    """
    seconds = value if isinstance(value, int) else int(value.timestamp())
    try:
        return seconds.to_bytes(8, "big")
    except OverflowError as exc:
        raise CannotEncode(f"no timestamp holds {value}") from exc


def _write_array(values: Sequence[Value]) -> bytes:
    return b"A" + _long(b"".join(map(_write_value, values)))


def encode_entry(name: str, value: Value) -> bytes:
    """One name and its value, as they stand in a table."""
    return short_text(name) + _write_value(value)


def encode_table(table: Mapping[str, Value]) -> bytes:
    """A table with its length in front.

    Raises:
        CannotEncode: a name or value that no field type holds.
    """
    return _long(b"".join([encode_entry(name, value) for name, value in table.items()]))


_WRITERS: Final[dict[type, Callable[..., bytes]]] = {
    bool: lambda value: b"t\x01" if value else b"t\x00",
    int: _write_int,
    float: lambda value: b"d" + _DOUBLE.pack(value),
    Decimal: _write_decimal,
    str: lambda value: b"S" + _long(value.encode("utf-8", "surrogateescape")),
    bytes: lambda value: b"x" + _long(value),
    datetime: _write_datetime,
    dict: lambda value: b"F" + encode_table(value),
    list: _write_array,
    tuple: _write_array,
    type(None): lambda _value: b"V",
}


def _write_value(value: Value) -> bytes:
    write = _WRITERS.get(type(value))
    if write is None:
        raise CannotEncode(f"no AMQP field type for {type(value).__name__}")
    return write(value)
