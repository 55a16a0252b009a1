"""Reports of a log that has no lives; with them, the commands' story tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import BadSetting, UnknownTable
from penstock.pipelines.event_log import EventLog
from penstock.pipelines.event_log.asking import ask
from penstock.pipelines.reports import Report, made
from tests.pipelines.event_log.rows import LIVES, MESSAGES, frame, message, step, told

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_what_the_log_does_not_know_is_told(spark: SparkSession, tmp_path: Path) -> None:
    log = EventLog(str(tmp_path))
    with pytest.raises(BadSetting, match="there is no report weather; there are rates"):
        made(spark, log, ["weather"])
    with pytest.raises(UnknownTable):
        made(spark, log, ["rates"])
    log.add(frame(spark, [message(1)], MESSAGES))
    [retries] = made(spark, log, ["retries"])
    assert retries.note.startswith("the log has no messages' lives")


def test_a_log_of_lives_alone_is_reported_and_asked(spark: SparkSession, tmp_path: Path) -> None:
    log = EventLog(str(tmp_path))
    log.add_lives(frame(spark, [told(step("dead", 1, 2, queue="stock", reason="rejected"))], LIVES))
    rates, failures = made(spark, log, ["rates", "failures"])
    assert rates.note.startswith("the log has no events")
    assert failures.column("reason") == ["rejected"]
    assert ask(spark, log, "SELECT step FROM lives", 10) == (["step"], [("dead",)])


def test_a_column_of_a_report() -> None:
    assert Report("rates", "Events", ("at", "events"), [(1, 2), (3, 4)]).column("events") == [2, 4]
