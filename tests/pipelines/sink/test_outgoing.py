from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from penstock.client import Outgoing
from penstock.errors import BadSetting
from penstock.pipelines.options import SinkOptions
from penstock.pipelines.sink.outgoing import Fault, Rows

PAIRS = pa.map_(pa.string(), pa.string())
TYPED = "tests.pipelines.source.typed"


def rows(*names: str, **options: str) -> Rows:
    return Rows(SinkOptions.read({"url": "amqp://host", **options}), names)


def messages(table: dict[str, Any], **options: str) -> list[Outgoing | Fault]:
    batch = pa.record_batch(table)
    return list(rows(*table, **options).messages(batch, Fault, lambda content: f"id-{len(content)}"))


def contents(table: dict[str, Any], **options: str) -> list[bytes]:
    """What each row says."""
    said: list[bytes] = []

    def note(content: bytes) -> str:
        said.append(content)
        return "id"

    assert all(rows(*table, **options).messages(pa.record_batch(table), Fault, note))
    return said


def test_a_row_is_a_message_with_an_id_of_what_it_says() -> None:
    one, two = messages({"body": [b"x", b"y"]}, routing_key="q", exchange="e")

    assert isinstance(one, Outgoing)
    assert isinstance(two, Outgoing)
    assert (one.exchange, one.routing_key, one.body) == ("e", "q", b"x")
    assert one.properties.as_dict() == {"delivery_mode": 2, "message_id": "id-8"}
    assert two.properties.message_id == "id-8"


def test_what_a_row_says_is_all_that_a_message_has() -> None:
    table: dict[str, Any] = {
        "body": [b"x", b"y", b"x", b"x", b"x", b"kx"],
        "routing_key": ["k", "k", "l", "k", "k", ""],
        "exchange": ["e", "e", "e", "f", "e", "ek"],
        "type": ["t", "t", "t", "t", "u", "t"],
    }
    assert len(set(contents(table))) == 6
    assert len(set(contents({**table, **{name: [values[0]] * 6 for name, values in table.items()}}))) == 1
    # An id of its own needs none, and an id is not part of what is said.
    assert contents({**table, "message_id": ["m"] * 6}) == []
    assert contents({**table, "message_id": [None] * 6}) == contents(table)


def test_what_the_source_shows_can_be_written_again() -> None:
    (one,) = messages(
        {
            "position": [5],
            "body": ["text"],
            "message_id": ["m"],
            "routing_key": ["k"],
            "exchange": ["e"],
            "headers": pa.array([[("a", "1")]], pa.map_(pa.string(), pa.string())),
            "priority": pa.array([3], pa.int32()),
            "redelivered": [True],
        }
    )

    assert isinstance(one, Outgoing)
    assert (one.exchange, one.routing_key, one.body) == ("e", "k", b"text")
    assert one.properties.as_dict() == {
        "headers": {"a": "1"},
        "delivery_mode": 2,
        "priority": 3,
        "message_id": "m",
    }


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        ({}, {}),
        ({"headers": ['{"n":1,"traceparent":"old"}', None]}, {"n": 1}),
        ({"headers": pa.array([[("n", "1"), ("traceparent", "old")], None], PAIRS)}, {"n": "1"}),
    ],
    ids=["no headers", "JSON", "a map"],
)
def test_a_row_goes_on_with_its_trace(headers: dict[str, Any], told: dict[str, Any]) -> None:
    trace = {"traceparent": ["00-a-b-01", None], "tracestate": ["x=1", None]}
    one, two = messages({"body": [b"x", b"y"], **headers, **trace}, routing_key="q")

    assert isinstance(one, Outgoing)
    assert isinstance(two, Outgoing)
    assert one.properties.headers == {**told, "traceparent": "00-a-b-01", "tracestate": "x=1"}
    assert "headers" not in two.properties.as_dict()


@pytest.mark.parametrize("headers", ["{", "[]"])
def test_bad_headers_beside_a_trace_are_that_rows_alone(headers: str) -> None:
    trace = ["00-a-b-01", "00-a-b-01"]
    bad, good = messages(
        {"body": [b"x", b"y"], "headers": [headers, None], "traceparent": trace}, routing_key="q"
    )

    assert isinstance(bad, Fault)
    assert "JSON object" in bad.reason
    assert isinstance(good, Outgoing)


def test_bad_rows_are_told_by_number_and_the_others_are_messages() -> None:
    made = messages({"body": [b"x", None, b"y"], "routing_key": ["q", "q", None]})

    assert isinstance(made[0], Outgoing)
    assert made[1:] == [Fault(1, "body is null"), Fault(2, "exchange or routing_key is null")]


def test_a_moment_that_only_spark_knows_is_that_rows_alone() -> None:
    far = pa.array([0, 1_700_000_000_000_000_000, None], pa.timestamp("us", "UTC"))
    good, bad, other = messages({"body": [b"x"] * 3, "timestamp": far}, routing_key="q")

    assert isinstance(good, Outgoing)
    assert bad == Fault(1, "date value out of range")
    assert isinstance(other, Outgoing)


def test_an_address_that_amqp_cannot_hold_is_that_rows_alone() -> None:
    good, bad = messages({"body": [b"x", b"y"], "routing_key": ["q" * 255, "q" * 256]})

    assert isinstance(good, Outgoing)
    assert bad == Fault(1, "exchange and routing_key have no more than 255 bytes")


def test_typed_rows_go_to_their_events_name() -> None:
    (one,) = messages({"number": [1]}, schema_type=f"{TYPED}.OrderPlaced")

    assert isinstance(one, Outgoing)
    assert (one.routing_key, one.body) == ("OrderPlaced", b'{"number":1}')
    assert one.properties.type == "OrderPlaced"


@pytest.mark.parametrize(
    ("names", "options", "told"),
    [
        (("body",), {}, "nobody says where the messages go"),
        (("body", "colour"), {"routing_key": "q"}, "no column colour; there are position, body"),
        (("routing_key",), {}, "name that column `body`"),
        (("body",), {"routing_key": "q", "schema_type": "no.Type"}, "no.Type cannot be imported"),
    ],
)
def test_a_table_that_cannot_be_messages_is_refused(
    names: tuple[str, ...], options: dict[str, str], told: str
) -> None:
    with pytest.raises(BadSetting, match=told):
        rows(*names, **options)
