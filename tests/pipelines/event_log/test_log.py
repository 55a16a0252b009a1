"""A log that is filled, asked and tended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import BadExpression, UnknownTable
from penstock.pipelines.event_log.log import LIVES, EventLog
from penstock.pipelines.event_log.views import register_views
from tests.pipelines.event_log.rows import LIVES as TOLD
from tests.pipelines.event_log.rows import MESSAGES, NOON, frame, message, step, told

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_events_are_filed_once_and_can_be_asked(spark: SparkSession, tmp_path: Path) -> None:
    # Given a log, to which a relay has published one event twice, and in the next batch once more
    log = EventLog(str(tmp_path / "log"))
    first = [message(number) for number in range(4)]
    log.add(frame(spark, [*first, first[0]], MESSAGES))
    again = message(0, arrived=NOON.replace(hour=13))
    late = message(9, "PriceChanged/v2", headers={"x-group": "g", "x-penstock-attempts": 3})
    log.add(frame(spark, [again, late, message(10, "", message_id=None)], MESSAGES))
    # When it is asked, by deltalake alone and by SQL
    assert list(log.counts()) == [
        ("2026-01-31", "", 1),
        ("2026-01-31", "OrderPlaced", 4),
        ("2026-01-31", "PriceChanged/v2", 1),
    ]
    log.add_lives(frame(spark, [told(step("acked", 1, 1, queue="mails"))], TOLD))
    assert list(log.counts(LIVES)) == [("2026-01-31", "acked", 1)]
    names = register_views(spark, log, {"OrderPlaced": "get_json_object(text, '$.id')"})
    # Then there is a view of each kind
    assert names == ["events", "latest_events", "events_orderplaced", "events_pricechanged_v2", "lives"]
    assert spark.table("events").where("type = ''").count() == 1
    rows = spark.sql("SELECT type, key, message_id, attempts FROM latest_events ORDER BY type, key").collect()
    assert [tuple(row) for row in rows] == [
        ("OrderPlaced", "0", "m3", 0),
        ("OrderPlaced", "1", "m1", 0),
        ("OrderPlaced", "2", "m2", 0),
        ("PriceChanged/v2", "g", "m9", 3),
    ]
    with pytest.raises(BadExpression, match="a key cannot be like that"):
        register_views(spark, log, {"OrderPlaced": "nowhere"})
    # And when time passes, what is too old goes
    day = 86400.0
    assert {
        name: done.expired for name, done in log.tend(now=NOON.timestamp() + day, keep=5 * day).items()
    } == {
        "events": 0,
        "lives": 0,
    }
    assert log.tend(now=NOON.timestamp() + 9 * day, keep=5 * day)["events"].expired == 6
    assert list(log.counts()) == []


def test_a_log_that_was_never_filled_is_told(tmp_path: Path) -> None:
    log = EventLog(str(tmp_path))
    with pytest.raises(
        UnknownTable, match=r"there is no event log at .*: `penstock event-log run` fills one"
    ):
        log.tables()
    assert not log.has(LIVES)
    assert log.tend(now=0.0) == {}
    assert (log.folder, EventLog("s3://b/log").folder) == (tmp_path, None)
