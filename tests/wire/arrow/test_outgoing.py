from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest

from penstock.wire.amqp import BasicProperties, CannotEncode
from penstock.wire.arrow import ALL_COLUMNS, friendly, outgoing_batch, read_outgoing
from tests.wire.arrow.support import rows, travelled

PERSISTENT = BasicProperties.of(delivery_mode=2).raw


def batch(**columns: Any) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(columns)


def sent(**columns: Any) -> BasicProperties:
    """The properties of the one row of a table that travels."""
    found = read_outgoing(outgoing_batch(batch(body=["x"], routing_key=["q"], **columns)))
    return BasicProperties.checked(found.properties[0])


def test_the_least_that_a_table_can_say() -> None:
    found = read_outgoing(outgoing_batch(batch(body=[b"a", b"b"]), "amq.topic", "key"))
    assert found == (["amq.topic"] * 2, ["key"] * 2, [PERSISTENT] * 2, [b"a", b"b"])


def test_columns_say_it_row_by_row() -> None:
    found = read_outgoing(outgoing_batch(batch(body=["é", ""], routing_key=["a", "b"], exchange=["x", ""])))
    assert found == (["x", ""], ["a", "b"], [PERSISTENT] * 2, ["é".encode(), b""])


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("message_id", "m-1", "m-1"),
        ("priority", 7, 7),
        # As pandas has a number in a column with gaps.
        ("priority", 7.0, 7),
        ("delivery_mode", 1, 1),
        ("timestamp", datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)),
        ("timestamp", datetime(2024, 1, 1, 0, 0, 0, 999_999), datetime(2024, 1, 1, tzinfo=UTC)),  # noqa: DTZ001 (such tables are usual)
        ("headers", '{"a":[1]}', {"a": [1]}),
        ("type", None, None),
    ],
)
def test_properties_are_columns(name: str, value: Any, expected: Any) -> None:
    assert sent(**{name: [value]}).get(name) == expected


def test_a_moment_in_nanoseconds_is_a_moment() -> None:
    moments = pa.array([1_700_000_000_123_456_789], pa.timestamp("ns"))
    assert sent(timestamp=moments).timestamp == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


def test_what_was_read_can_be_written() -> None:
    raw = BasicProperties.of(message_id="m", headers={"a": 1}, delivery_mode=1).raw
    table = friendly(travelled(rows(raw, raw)), ALL_COLUMNS)
    assert read_outgoing(outgoing_batch(table)) == ([""] * 2, ["orders"] * 2, [raw] * 2, [b"body"] * 2)


def test_who_cannot_pack_properties_sends_them_as_they_are() -> None:
    found = read_outgoing(batch(body=["x"], routing_key=["q"], message_id=["m"]))
    assert BasicProperties.checked(found.properties[0]).message_id == "m"


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"routing_key": ["q"]}, "name that column `body`"),
        ({"body": ["x"]}, "a column `routing_key` is missing"),
        ({"body": ["x"], "routing_key": ["q"], "colour": ["red"]}, "no column colour"),
        ({"body": ["x", None], "routing_key": ["q", "q"]}, "row 1: body is bytes or a text, not None"),
        ({"body": [3], "routing_key": ["q"]}, "row 0: body is bytes or a text, not 3"),
        ({"body": ["x"], "routing_key": pa.array([None], pa.string())}, "row 0: routing_key is a text"),
        ({"body": ["x"], "routing_key": ["q"], "priority": [256]}, "row 0: 256 does not fit an octet"),
        ({"body": ["x"], "routing_key": ["q"], "priority": ["high"]}, "row 0: invalid literal"),
        ({"body": ["x"], "routing_key": ["q"], "message_id": ["i" * 256]}, "row 0: at most 255 bytes"),
        ({"body": ["x"], "routing_key": ["q"], "message_id": [5]}, "row 0"),
        ({"body": ["x"], "routing_key": ["q"], "headers": ["[]"]}, "row 0: headers are a JSON object"),
        ({"body": ["x"], "routing_key": ["q"], "timestamp": [datetime(1960, 1, 1, tzinfo=UTC)]}, "row 0"),
        (
            {"body": ["x"], "routing_key": ["q"], "properties": pa.array([None], pa.binary())},
            "row 0: properties is",
        ),
    ],
)
def test_what_no_message_holds_is_refused_with_its_row(columns: dict[str, Any], complaint: str) -> None:
    with pytest.raises(CannotEncode, match=complaint):
        outgoing_batch(batch(**columns))
    with pytest.raises(CannotEncode, match=complaint):
        read_outgoing(batch(**columns))


def test_headers_too_deep_to_be_written_are_refused() -> None:
    deep: Any = 1
    for _ in range(900):
        deep = {"a": deep}
    with pytest.raises(CannotEncode, match="row 0"):
        sent(headers=[json.dumps(deep)])


KEYS = pa.array(["q"] * 2)


@pytest.mark.parametrize(
    "body",
    [
        # A few bytes of which each may stand for megabytes.
        pa.array(["x"] * 2).dictionary_encode(),
        pa.array(["x"] * 2, pa.string_view()),
        pa.RunEndEncodedArray.from_arrays(pa.array([2], pa.int32()), pa.array(["x"])),
        pa.array([["x"]] * 2),
        pa.nulls(2),
    ],
    ids=lambda body: str(body.type),
)
def test_a_broker_takes_no_body_that_may_be_larger_than_it_looks(body: pa.Array) -> None:
    with pytest.raises(CannotEncode, match="column body is sent as plain Arrow"):
        read_outgoing(pa.record_batch([KEYS, body], ["routing_key", "body"]))


def test_a_broker_takes_no_offsets_that_point_elsewhere() -> None:
    offsets = pa.py_buffer(memoryview(pa.array([0, 1_000_000, 2], pa.int32()).buffers()[1]))
    wild = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"xy")])
    with pytest.raises(CannotEncode, match="contradicts itself"):
        read_outgoing(pa.record_batch([KEYS, wild], ["routing_key", "body"]))


def test_names_may_repeat_without_being_sent_again() -> None:
    keys = pa.array(["q", None, "q"]).dictionary_encode().fill_null("r")
    found = read_outgoing(pa.record_batch([keys, pa.array(["a", "b", "c"])], ["routing_key", "body"]))
    assert found.routing_keys == ["q", "r", "q"]
