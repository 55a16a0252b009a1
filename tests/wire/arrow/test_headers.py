from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from penstock.wire.amqp import CannotEncode
from penstock.wire.amqp.table import encode_table
from penstock.wire.arrow.headers import headers_from_json, headers_to_json


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (True, "true"),
        (-3, "-3"),
        (1.5, "1.5"),
        (float("nan"), "null"),
        (None, "null"),
        ("é", '"é"'),
        (b"text", '"text"'),
        (b"\xff\xfe", '"//4="'),
        (Decimal("1.25"), '"1.25"'),
        (datetime(2024, 1, 2, tzinfo=UTC), '"2024-01-02T00:00:00+00:00"'),
        ([1, {"a": b"x"}], '[1,{"a":"x"}]'),
    ],
)
def test_every_field_type_is_json(value: Any, shown: str) -> None:
    assert headers_to_json(encode_table({"h": value})) == f'{{"h":{shown}}}'


def test_a_name_that_is_no_text_is_mended() -> None:
    assert headers_to_json(encode_table({"x\udce9": 1})) == '{"x?":1}'


@pytest.mark.parametrize("raw", [b"", b"\0\0\0", b"\0\0\0\x09", b"\0\0\0\x03\x01a?"])
def test_a_table_that_cannot_be_read_is_nothing(raw: bytes) -> None:
    assert headers_to_json(raw) is None


def test_json_makes_headers() -> None:
    assert headers_from_json('{"a": 1, "b": [true, null], "c": {"d": "e"}}') == {
        "a": 1,
        "b": [True, None],
        "c": {"d": "e"},
    }


@pytest.mark.parametrize("text", ["", "[]", "3", "{", '{"a"', "[" * 100_000])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(CannotEncode, match="headers are a JSON object"):
        headers_from_json(text)
