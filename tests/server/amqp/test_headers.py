from __future__ import annotations

import pytest

from penstock.server.amqp.headers import long_entry, table_array_entry, with_entries
from penstock.wire.amqp import BasicProperties
from penstock.wire.amqp.table import encode_entry

FULL = BasicProperties.of(
    content_type="text/plain",
    content_encoding="gzip",
    headers={"a": 1, "b": "x"},
    delivery_mode=2,
    message_id="id",
)


@pytest.mark.parametrize(
    "content",
    [
        BasicProperties.of(),
        BasicProperties.of(message_id="id"),
        BasicProperties.of(content_encoding="gzip", headers={"a": 1}),
        FULL,
    ],
    ids=repr,
)
def test_only_the_headers_change(content: BasicProperties) -> None:
    changed = with_entries(content, {"new": encode_entry("new", "value")})
    assert changed.as_dict() == content.as_dict() | {"headers": (content.headers or {}) | {"new": "value"}}
    BasicProperties.checked(changed.raw)


def test_a_header_is_replaced_and_another_taken_away() -> None:
    changed = with_entries(FULL, {"a": encode_entry("a", "other"), "b": b""})
    assert changed.headers == {"a": "other"}


def test_headers_that_stay_keep_their_types() -> None:
    # A short integer: Python would write a long one.
    content = BasicProperties(b"\x20\x00\x00\x00\x00\x05\x01as\x00\x07")
    assert content.headers == {"a": 7}
    assert b"\x01as\x00\x07" in with_entries(content, {"b": encode_entry("b", 1)}).raw


def test_a_long_is_long_however_small() -> None:
    changed = with_entries(FULL, {"n": long_entry("n", 1)})
    assert changed.headers == {"a": 1, "b": "x", "n": 1}
    assert changed.raw.count(b"\x01nl\x00\x00\x00\x00\x00\x00\x00\x01") == 1


def test_an_array_of_tables() -> None:
    tables = [encode_entry("x", 1) + encode_entry("y", "z"), b""]
    changed = with_entries(BasicProperties.of(), {"list": table_array_entry("list", tables)})
    assert changed.headers == {"list": [{"x": 1, "y": "z"}, {}]}
