"""The questions, on rows that can be counted by hand."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions as F  # noqa: N812  as Spark's own manual has it

from penstock.pipelines.event_log.lives import lives
from penstock.pipelines.reports.queries import failures, lead_times, rates, retries, span_for, within
from tests.pipelines.event_log.rows import LIVES, NOON, frame, step, told

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize(
    ("seconds", "span"),
    [(0, "second"), (200, "second"), (201, "minute"), (86400, "10 minutes"), (1e9, "day")],
)
def test_a_time_is_counted_in_as_many_spans_as_can_be_seen(seconds: float, span: str) -> None:
    assert span_for(seconds)[1] == span


def test_rates(spark: SparkSession) -> None:
    rows = [
        (NOON + timedelta(seconds=second), kind)
        for second, kind in ((0, "a"), (59, "a"), (60, "b"), (61, "a"))
    ]
    made = within(
        spark.createDataFrame(rows, "at timestamp, type string"), NOON.timestamp(), NOON.timestamp() + 61
    )
    found = rates(made, 60).withColumn("at", F.unix_seconds("at") - int(NOON.timestamp())).collect()
    assert [tuple(row) for row in found] == [(0, "a", 2, 2 / 60), (60, "b", 1, 1 / 60)]


def test_retries_failures_and_lead_times(spark: SparkSession) -> None:
    # Given two messages: one is acked by two consumers, by one of them as a copy; the other dies
    steps = [
        step("published", 1, 0),
        step("delivered", 1, 0.5, queue="mails", attempt=1),
        step("published", 1, 1, exchange="", routing_key="mails"),
        step("delivered", 1, 2, queue="mails", attempt=1),
        step("acked", 1, 2.5, queue="mails"),
        step("delivered", 1, 0.1, queue="stock", attempt=1),
        step("acked", 1, 0.25, queue="stock"),
        step("delivered", 1, 0.1, queue="stock", attempt=4, message_id=None),
        step("published", 2, 0),
        step("dead", 2, 1, queue="stock", reason="expired"),
        step("dead", 2, 1, queue="mails", reason="rejected: this"),
        step("dead", 3, 1, queue="mails", reason="rejected: that"),
        step("unroutable", 3, 1),
    ]
    rows = lives(frame(spark, [told(*steps)], LIVES)).cache()
    # Then each question has its answer
    assert [tuple(row)[:3] for row in retries(rows).collect()] == [
        ("mails", 1, 1),
        ("mails", 2, 1),
        ("stock", 1, 1),
        ("stock", 4, 1),
    ]
    assert [tuple(row)[:4] for row in failures(rows).collect()] == [
        ("rejected", "mails", "OrderPlaced", 2),
        ("expired", "stock", "OrderPlaced", 1),
        ("unroutable", "shop", "OrderPlaced", 1),
    ]
    assert [tuple(row) for row in lead_times(rows).collect()] == [
        ("shop · OrderPlaced", "mails", 1, 2.5, 2.5, 2.5, 2.5),
        ("shop · OrderPlaced", "stock", 1, 0.25, 0.25, 0.25, 0.25),
    ]
    rows.unpersist()
