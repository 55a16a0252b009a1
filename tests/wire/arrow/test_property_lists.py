from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.wire.amqp import BasicProperties
from penstock.wire.amqp.properties import PropertyValues
from penstock.wire.arrow.property_lists import columns_of

NAMES = list(PropertyValues.__annotations__)
TEXTS = st.text(max_size=20)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(NAMES, TEXTS),
    "headers": st.dictionaries(TEXTS, st.integers(0, 100) | TEXTS, max_size=3),
    "delivery_mode": st.integers(0, 255),
    "priority": st.integers(0, 255),
    "timestamp": st.integers(0, 2**64 - 1),
}


def shown(properties: BasicProperties, name: str) -> Any:
    """A value as a column has it."""
    value = properties.get(name)
    match value:
        case str():
            return value.encode()
        case datetime():
            return int(value.timestamp())
        case dict():
            return BasicProperties.of(headers=value).raw[2:]
        case _:
            return value


@given(st.lists(st.fixed_dictionaries({}, optional=VALUES), max_size=5), st.sets(st.sampled_from(NAMES)))
def test_columns_hold_what_the_lists_say(found: list[dict[str, Any]], wanted: set[str]) -> None:
    lists = [BasicProperties.of(**values) for values in found]
    columns = columns_of([each.raw for each in lists], sorted(wanted))
    assert columns == {name: [shown(each, name) for each in lists] for name in sorted(wanted)}


GOOD = BasicProperties.of(
    content_type="text/plain",
    headers={"a": 1},
    priority=3,
    message_id="id",
    timestamp=datetime(2024, 1, 1, tzinfo=UTC),
    app_id="app",
).raw


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x80",
        # A text, an octet, a table and a timestamp that are not there.
        b"\x80\x00",
        b"\x08\x00",
        b"\x20\x00\x00\x00",
        b"\x00\x40\x00",
        # A text and a table that are longer than what is left.
        b"\x80\x00\x05ab",
        b"\x20\x00\xff\xff\xff\xff",
        *(GOOD[:cut] for cut in range(len(GOOD))),
    ],
    ids=lambda raw: raw.hex() or "nothing",
)
def test_a_list_that_cannot_be_read_has_no_properties(raw: bytes) -> None:
    assert columns_of([raw, GOOD], NAMES)["message_id"] == [None, b"id"]
    assert all(column[0] is None for column in columns_of([raw, GOOD], NAMES).values())


@given(st.lists(st.binary(max_size=40)))
def test_no_bytes_raise(lists: list[bytes]) -> None:
    columns = columns_of(lists, NAMES)
    assert {len(column) for column in columns.values()} == {len(lists)}


def test_what_comes_after_the_last_that_is_wanted_is_not_looked_at() -> None:
    # The app-id is longer than the list: nobody asked for it.
    broken = b"\x80\x08\x01x\xff"
    assert columns_of([broken], ["content_type"]) == {"content_type": [b"x"]}
    assert columns_of([broken], ["content_type", "app_id"]) == {"content_type": [None], "app_id": [None]}
