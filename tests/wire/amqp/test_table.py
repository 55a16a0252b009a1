from __future__ import annotations

import math
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given

from penstock.wire.amqp.errors import CannotEncode, Malformed
from penstock.wire.amqp.table import decode_table, encode_table, instant, seconds_since_1970, short_text
from tests.wire.amqp.samples import tables

# Type and value as they lie on the wire, what they are in Python, and whether Python writes them so.
FIELDS: list[tuple[str, bytes, Any, bool]] = [
    ("true", b"t\x01", True, True),
    ("false", b"t\x00", False, True),
    ("any other octet is true", b"t\x07", True, False),
    ("signed octet", b"b\xff", -1, False),
    ("octet", b"B\xff", 255, False),
    ("signed short", b"s\xff\xfe", -2, False),
    ("short", b"u\xff\xfe", 65534, False),
    ("signed int, the usual one", b"I\xff\xff\xff\xff", -1, True),
    ("the lowest that fits it", b"I\x80\x00\x00\x00", -(2**31), True),
    ("the highest that fits it", b"I\x7f\xff\xff\xff", 2**31 - 1, True),
    ("int", b"i\xff\xff\xff\xff", 2**32 - 1, False),
    ("long, when more is needed", b"l\x00\x00\x00\x00\x80\x00\x00\x00", 2**31, True),
    ("the lowest of all", b"l\x80\x00\x00\x00\x00\x00\x00\x00", -(2**63), True),
    ("L is signed too", b"L\xff\xff\xff\xff\xff\xff\xff\xff", -1, False),
    ("float", b"f\x3f\xc0\x00\x00", 1.5, False),
    ("double", b"d\x3f\xf8\x00\x00\x00\x00\x00\x00", 1.5, True),
    ("decimal", b"D\x02\x00\x00\x01\x3a", Decimal("3.14"), True),
    ("negative decimal", b"D\x01\xff\xff\xff\xfb", Decimal("-0.5"), True),
    ("text", b"S\x00\x00\x00\x03n\xc3\xa9", "né", True),
    ("text that is not UTF-8", b"S\x00\x00\x00\x02\xff\xfe", b"\xff\xfe", False),
    ("bytes", b"x\x00\x00\x00\x02\xff\xfe", b"\xff\xfe", True),
    ("moment", b"T\x00\x00\x00\x00\x5e\x0b\xe1\x00", datetime(2020, 1, 1, tzinfo=UTC), True),
    ("milliseconds taken for seconds", b"T\x00\x00\x01\x9b\x00\x00\x00\x00", 0x19B_0000_0000, False),
    ("void", b"V", None, True),
    ("empty array", b"A\x00\x00\x00\x00", [], True),
    ("array of two types", b"A\x00\x00\x00\x03t\x01V", [True, None], True),
    ("empty table", b"F\x00\x00\x00\x00", {}, True),
    ("table in table", b"F\x00\x00\x00\x03\x01aV", {"a": None}, True),
]


def table_of(entry: bytes) -> bytes:
    return len(entry).to_bytes(4, "big") + entry


@pytest.mark.parametrize(("name", "raw", "value", "is_written_so"), FIELDS, ids=[row[0] for row in FIELDS])
def test_a_field_both_ways(name: str, raw: bytes, value: Any, is_written_so: bool) -> None:  # noqa: FBT001
    raw = table_of(b"\x01k" + raw)
    table, end = decode_table(b"before" + raw + b"after", 6)
    assert table == {"k": value}
    assert type(table["k"]) is type(value)
    assert end == 6 + len(raw)
    if is_written_so:
        assert encode_table({"k": value}) == raw


@given(table=tables)
def test_a_table_comes_back_as_it_went(table: dict[str, Any]) -> None:
    raw = encode_table(table)
    assert decode_table(raw) == (table, len(raw))


def test_a_tuple_is_written_as_a_list() -> None:
    assert encode_table({"k": (1, 2)}) == encode_table({"k": [1, 2]})  # type: ignore[dict-item]


def test_names_that_are_not_utf8_survive() -> None:
    raw = table_of(b"\x01\xffV")
    assert encode_table(decode_table(raw)[0]) == raw


BROKEN = [
    ("nothing", b""),
    ("half a length", b"\x00\x00"),
    ("longer than what holds it", b"\x00\x00\x00\x09\x01a"),
    ("unknown type", table_of(b"\x01aZ")),
    ("name past the end", table_of(b"\x09a")),
    ("no type", table_of(b"\x01a")),
    ("number past the end", table_of(b"\x01aI\x00")),
    ("text past the end", table_of(b"\x01aS\x00\x00\x00\x09x")),
    ("array past the end", table_of(b"\x01aA\x00\x00\x00\x09V")),
    ("array whose value runs over", table_of(b"\x01aA\x00\x00\x00\x02s\x00") + b"\x00"),
]


@pytest.mark.parametrize(("name", "raw"), BROKEN, ids=[row[0] for row in BROKEN])
def test_a_broken_table_is_malformed(name: str, raw: bytes) -> None:
    with pytest.raises(Malformed):
        decode_table(raw)


def nested(levels: int) -> bytes:
    raw = table_of(b"")
    for _ in range(levels - 1):
        raw = table_of(b"\x01kF" + raw)
    return raw


def test_depth_is_limited() -> None:
    decode_table(nested(4), depth=4)
    with pytest.raises(Malformed, match="deep"):
        decode_table(nested(5), depth=4)
    with pytest.raises(Malformed, match="deep"):
        decode_table(nested(10_000))


UNENCODABLE: list[tuple[str, Any]] = [
    ("too large an integer", 2**63),
    ("too small an integer", -(2**63) - 1),
    ("decimal with too many digits", Decimal(12345678901)),
    ("decimal beyond 32 bits", Decimal(2**31)),
    ("decimal with too large an exponent", Decimal("1e20")),
    ("decimal with too many places", Decimal("1e-256")),
    ("no number", Decimal("nan")),
    ("a moment nowhere", datetime(2020, 1, 1)),  # noqa: DTZ001
    ("a moment before 1970", datetime(1969, 1, 1, tzinfo=UTC)),
    ("an object", object()),
]


@pytest.mark.parametrize(("name", "value"), UNENCODABLE, ids=[row[0] for row in UNENCODABLE])
def test_what_no_field_type_holds_cannot_be_encoded(name: str, value: Any) -> None:
    with pytest.raises(CannotEncode):
        encode_table({"k": value})


def test_a_short_string_has_at_most_255_bytes() -> None:
    assert short_text("é" * 127) == b"\xfe" + "é".encode() * 127
    with pytest.raises(CannotEncode):
        short_text("é" * 128)


def test_a_timestamp_may_be_a_bare_number() -> None:
    assert seconds_since_1970(5) == bytes(7) + b"\x05"
    assert instant(2**63) == 2**63


def test_infinities_travel() -> None:
    assert decode_table(encode_table({"k": math.inf}))[0] == {"k": math.inf}
