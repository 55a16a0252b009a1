from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from penstock.wire.amqp import BasicProperties
from penstock.wire.amqp.content import content_frames
from penstock.wire.arrow import ALL_COLUMNS, FramedRows, friendly, friendly_schema
from tests.wire.arrow.support import PLAIN, rows, travelled

MOMENT = datetime(2024, 2, 29, 12, tzinfo=UTC)
FULL = BasicProperties.of(
    message_id="m-1",
    type="order.created",
    content_type="application/json",
    content_encoding="gzip",
    correlation_id="c-1",
    reply_to="answers",
    app_id="shop",
    user_id="guest",
    priority=9,
    delivery_mode=2,
    expiration="60000",
    timestamp=MOMENT,
    headers={"attempt": 2},
).raw


def column(name: str, *properties: bytes, **columns: Any) -> list[Any]:
    return friendly(travelled(rows(*properties, **columns)), [name]).column(0).to_pylist()  # type: ignore[no-any-return]


def test_a_message_with_everything() -> None:
    [row] = friendly(travelled(rows(FULL, exchanges=["amq.topic"])), ALL_COLUMNS).to_pylist()
    assert row == {
        "position": 1,
        "body": b"body",
        "exchange": "amq.topic",
        "routing_key": "orders",
        "message_id": "m-1",
        "type": "order.created",
        "content_type": "application/json",
        "content_encoding": "gzip",
        "correlation_id": "c-1",
        "reply_to": "answers",
        "app_id": "shop",
        "user_id": "guest",
        "priority": 9,
        "delivery_mode": 2,
        "expiration": "60000",
        "timestamp": MOMENT,
        "headers": '{"attempt":2}',
        "redelivered": False,
        "arrived": datetime(1970, 1, 1, 0, 0, 1, 500_000, tzinfo=UTC),
    }


def test_a_message_with_nothing_has_nulls() -> None:
    [row] = friendly(travelled(rows(PLAIN)), ALL_COLUMNS).to_pylist()
    assert [name for name, value in row.items() if value is not None] == [
        "position",
        "body",
        "exchange",
        "routing_key",
        "redelivered",
        "arrived",
    ]


def test_columns_come_in_the_order_in_which_they_are_wanted() -> None:
    batch = friendly(travelled(rows(FULL)), ["type", "position"])
    assert batch.schema == friendly_schema(["type", "position"])
    assert batch.to_pylist() == [{"type": "order.created", "position": 1}]


def test_rows_keep_their_order_whether_their_properties_repeat_or_not() -> None:
    others = [BasicProperties.of(message_id=f"m-{number}").raw for number in range(3)]
    assert column("message_id", *others) == ["m-0", "m-1", "m-2"]
    assert column("message_id", others[2], PLAIN, others[2], others[0]) == ["m-2", None, "m-2", "m-0"]


@pytest.mark.parametrize(
    ("name", "raw", "expected"),
    [
        ("type", b"\x00\x20\x02\xff\xfe", "��"),
        ("type", b"\x00\x20\x00", ""),
        ("type", b"\x00\x20\x09short", None),
        # Milliseconds sent as seconds, and the last number there is.
        ("timestamp", BasicProperties.of(timestamp=1_700_000_000_000).raw, None),
        ("timestamp", BasicProperties.of(timestamp=2**64 - 1).raw, None),
        # A table with a field of a type that does not exist.
        ("headers", b"\x20\x00\x00\x00\x00\x03\x01a?", None),
    ],
)
def test_nothing_in_a_message_fails_a_range(name: str, raw: bytes, expected: str | None) -> None:
    assert column(name, raw, FULL)[0] == expected
    assert column(name, raw, FULL)[1] is not None


def test_a_name_that_is_no_text_is_mended() -> None:
    assert column("routing_key", PLAIN, PLAIN, routing_keys=["x\udce9", "b"]) == ["x�", "b"]


def test_no_rows_have_all_columns_too() -> None:
    batch = friendly(travelled(rows()), ALL_COLUMNS)
    assert (batch.num_rows, batch.schema) == (0, friendly_schema(ALL_COLUMNS))


def test_a_column_that_there_is_not_is_a_mistake() -> None:
    with pytest.raises(KeyError, match="colour"):
        friendly(travelled(rows(PLAIN)), ["colour"])


@pytest.mark.parametrize("ids", [("m-1", "m-2"), ("m-1", "m-20")], ids=["of one shape", "of several"])
def test_a_batch_of_frames_is_as_friendly(ids: tuple[str, ...]) -> None:
    contents = [
        (BasicProperties.of(message_id=name, headers={"n": 1}, priority=2, timestamp=MOMENT), name.encode())
        for name in ids
    ]
    count = len(contents)
    framed = FramedRows(
        positions=range(1, count + 1),
        exchanges=[""] * count,
        routing_keys=["orders"] * count,
        frames=[content_frames(1, properties, body, 0) for properties, body in contents],
        redelivered=[False] * count,
        arrived=[1.5] * count,
    )
    packed = rows(*(properties.raw for properties, _ in contents), bodies=[body for _, body in contents])
    expected = friendly(travelled(packed), ALL_COLUMNS)
    assert friendly(travelled(framed), ALL_COLUMNS).equals(expected)
