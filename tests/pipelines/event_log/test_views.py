"""What views are called, and what they make of odd headers; what else they show is in test_log.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.messaging.headers import ATTEMPTS
from penstock.pipelines.event_log.events import events
from penstock.pipelines.event_log.views import shown, view_name
from tests.pipelines.event_log.rows import MESSAGES, frame, message

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize(
    ("kind", "name"),
    [("OrderPlaced", "events_orderplaced"), ("a.b/v2", "events_a_b_v2"), ("-Größe-", "events_gr_e")],
)
def test_a_view_of_a_type(kind: str, name: str) -> None:
    assert view_name(kind) == name


def test_a_header_that_is_no_number_spoils_no_view(spark: SparkSession) -> None:
    said: list[Any] = [3, "2", "often", 99_999_999_999, 1.5, [1]]
    rows = [message(number, headers={ATTEMPTS: value}) for number, value in enumerate(said)]
    found = shown(events(frame(spark, rows, MESSAGES))).select("attempts").collect()
    assert [row.attempts for row in found] == [3, 2, 0, 0, 0, 0]
