"""Messages become events."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from penstock.pipelines.event_log.events import COLUMNS, events
from tests.pipelines.event_log.rows import MESSAGES, NOON, frame, message

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


LATE = NOON.replace(day=1, hour=23, minute=59)


def test_a_message_is_filed_under_its_own_day_and_destination(spark: SparkSession) -> None:
    rows = [
        message(0),
        message(1, timestamp=None),
        message(
            2,
            exchange="",
            routing_key="retry",
            headers={"x-penstock-exchange": "shop", "x-penstock-key": "k"},
        ),
        message(3, exchange="", routing_key="retry", headers={"x-penstock-key": "queue"}),
        message(4, timestamp=LATE, arrived=LATE, headers={"other": 1}),
    ]
    made = events(frame(spark, rows, MESSAGES))
    assert tuple(made.columns) == COLUMNS
    found = made.selectExpr(
        "message_id", "exchange", "routing_key", "unix_seconds(at) - unix_seconds(arrived) AS lag", "day"
    )
    today = date(2026, 1, 31)
    assert [tuple(row) for row in found.orderBy("message_id").collect()] == [
        ("m0", "shop", "orders.0", -1, today),
        ("m1", "shop", "orders.1", 0, today),
        ("m2", "shop", "k", -1, today),
        ("m3", "", "queue", -1, today),
        ("m4", "shop", "orders.4", 0, date(2026, 1, 1)),
    ]
