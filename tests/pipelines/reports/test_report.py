"""Reports of a log that has no lives; with them, the commands' story tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import BadSetting, UnknownTable
from penstock.pipelines.event_log import EventLog
from penstock.pipelines.reports import Report, made

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_what_the_log_does_not_know_is_told(spark: SparkSession, tmp_path: Path) -> None:
    log = EventLog(str(tmp_path))
    with pytest.raises(BadSetting, match="there is no report weather; there are rates"):
        made(spark, log, ["weather"])
    with pytest.raises(UnknownTable):
        made(spark, log, ["rates"])
    [retries] = made(spark, log, ["retries"])
    assert retries.note.startswith("the log has no messages' lives")


def test_a_column_of_a_report() -> None:
    assert Report("rates", "Events", ("at", "events"), [(1, 2), (3, 4)]).column("events") == [2, 4]
