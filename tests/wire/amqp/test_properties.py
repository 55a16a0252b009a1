from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.wire.amqp.errors import CannotEncode, Malformed
from penstock.wire.amqp.properties import BasicProperties
from tests.wire.amqp.samples import property_values, tables

CASES: list[tuple[str, bytes, dict[str, Any]]] = [
    ("none", b"\x00\x00", {}),
    ("the first", b"\x80\x00\x01t", {"content_type": "t"}),
    ("the last", b"\x00\x04\x01c", {"cluster_id": "c"}),
    (
        "an octet between strings",
        b"\x94\x00\x01t\x02\x01i",
        {"content_type": "t", "delivery_mode": 2, "correlation_id": "i"},
    ),
    ("headers", b"\x20\x00\x00\x00\x00\x03\x01aV", {"headers": {"a": None}}),
    ("a moment", b"\x00\x40" + bytes(7) + b"\x05", {"timestamp": datetime(1970, 1, 1, 0, 0, 5, tzinfo=UTC)}),
    ("milliseconds", b"\x00\x40\xff" + bytes(7), {"timestamp": 0xFF << 56}),
    ("text that is not UTF-8", b"\x80\x00\x01\xff", {"content_type": "\udcff"}),
]


@pytest.mark.parametrize(("name", "raw", "values"), CASES, ids=[row[0] for row in CASES])
def test_a_property_list_both_ways(name: str, raw: bytes, values: dict[str, Any]) -> None:
    properties = BasicProperties.checked(raw)
    assert properties.as_dict() == values
    assert BasicProperties.of(**values).raw == raw
    for key, value in values.items():
        assert getattr(properties, key) == properties.get(key) == value


@given(values=property_values)
def test_all_properties_come_back_as_they_went(values: dict[str, Any]) -> None:
    properties = BasicProperties.checked(BasicProperties.of(**values).raw)
    assert properties.as_dict() == values
    assert all(properties.get(name) == values.get(name) for name in ("headers", "type", "priority", "app_id"))


@given(values=property_values, changes=property_values)
def test_replacing_is_an_update(values: dict[str, Any], changes: dict[str, Any]) -> None:
    properties = BasicProperties.of(**values)
    changes["message_id"] = None
    replaced = properties.replace(**changes)
    expected = {name: value for name, value in {**values, **changes}.items() if name != "message_id"}
    assert BasicProperties.checked(replaced.raw).as_dict() == expected
    assert properties.as_dict() == values


def test_what_is_not_there_is_none() -> None:
    properties = BasicProperties.of(priority=5)
    assert properties.headers is None
    assert properties.message_id is None
    assert properties.get("user_id") is None
    assert properties.get("headers") is None
    assert properties.priority == 5


@given(values=property_values, changes=tables)
def test_headers_can_be_set_without_touching_the_rest(
    values: dict[str, Any], changes: dict[str, Any]
) -> None:
    changed = BasicProperties.of(**values).with_headers(changes)
    assert changed.as_dict() == {**values, "headers": {**values.get("headers", {}), **changes}}


def test_untouched_headers_keep_their_types() -> None:
    # Given a header sent as a single octet, which Python would write as four
    properties = BasicProperties.checked(b"\x20\x00\x00\x00\x00\x04\x01ab\x05")
    # When another is set
    changed = properties.with_headers({"b": None})
    # Then the octet is an octet still
    assert changed.raw == b"\x20\x00\x00\x00\x00\x07\x01ab\x05\x01bV"


def test_headers_are_decoded_once() -> None:
    properties = BasicProperties.of(headers={"a": 1})
    assert properties.headers is properties.headers


BROKEN = [
    ("nothing", b""),
    ("half the flags", b"\x80"),
    ("more flags to follow", b"\x00\x01"),
    ("a flag of no property", b"\x00\x02"),
    ("text past the end", b"\x80\x00\x05t"),
    ("no text", b"\x80\x00"),
    ("bytes left over", b"\x80\x00\x01tx"),
    ("a moment cut short", b"\x00\x40\x00"),
    ("a broken header", b"\x20\x00\x00\x00\x00\x03\x01aZ"),
    ("headers past the end", b"\x20\x00\x00\x00\x00\x09\x01aV"),
]


@pytest.mark.parametrize(("name", "raw"), BROKEN, ids=[row[0] for row in BROKEN])
def test_what_cannot_be_read_is_malformed(name: str, raw: bytes) -> None:
    with pytest.raises(Malformed):
        BasicProperties.checked(raw)


def test_depth_is_limited() -> None:
    raw = BasicProperties.of(headers={"a": {"b": {}}}).raw
    BasicProperties.checked(raw, 3)
    with pytest.raises(Malformed):
        BasicProperties.checked(raw, 2)


@given(raw=st.binary(max_size=40))
def test_what_passes_the_check_never_raises_later(raw: bytes) -> None:
    try:
        properties = BasicProperties.checked(raw)
    except Malformed:
        return
    assert BasicProperties.of(**properties.as_dict()).as_dict() == properties.as_dict() or "nan" in repr(
        properties
    )


@pytest.mark.parametrize(
    "values",
    [{"priority": 256}, {"content_type": "x" * 256}, {"timestamp": -1}, {"unheard_of": 1}],
    ids=str,
)
def test_what_a_property_cannot_hold_cannot_be_encoded(values: dict[str, Any]) -> None:
    with pytest.raises(CannotEncode):
        BasicProperties.of(**values)


def test_it_shows_what_it_holds() -> None:
    assert repr(BasicProperties.of(priority=1)) == "<BasicProperties {'priority': 1}>"


def test_a_property_of_the_class_is_its_descriptor() -> None:
    assert BasicProperties.priority is BasicProperties.__dict__["priority"]
