from __future__ import annotations

from typing import Any

import pytest

from penstock.pipelines.declared.progress import Metrics, Progress


def told(**changes: Any) -> dict[str, Any]:
    """As Spark describes a batch, with what is not looked at left out."""
    source = {"startOffset": {"position": 20}, "endOffset": {"position": 30}, "latestOffset": None}
    usual = {"batchId": 2, "batchDuration": 500, "durationMs": {"addBatch": 400}, "numInputRows": 10}
    return usual | {"sources": [source]} | changes


def read(**changes: Any) -> Progress:
    progress = Progress.read(told(**changes))
    assert progress is not None
    return progress


def source(start: Any, end: Any, latest: Any) -> dict[str, Any]:
    return {"startOffset": start, "endOffset": end, "latestOffset": latest}


def test_a_batch_is_read_from_what_spark_tells() -> None:
    progress = read()
    assert progress == Progress(batch=2, rows=10, seconds=0.5, lag=None)
    assert progress.rows_per_second == 20.0


@pytest.mark.parametrize(
    ("sources", "lag"),
    [
        ([source({"position": 0}, {"position": 30}, {"position": 45})], 15),
        ([source(None, {"offset": 30, "timestamp": 9}, {"offset": 31})], 1),
        ([source(1, 5, 5), source(1, 5, 8)], 3),
        ([source(1, 5, 4)], 0),
        ([source({"logOffset": 1}, {"logOffset": 2}, {"logOffset": 2})], None),
    ],
)
def test_lag_is_how_far_the_source_is_ahead_if_it_tells(
    sources: list[dict[str, Any]], lag: int | None
) -> None:
    assert read(sources=sources).lag == lag


def test_rows_that_spark_did_not_count_are_told_by_the_positions() -> None:
    assert read(numInputRows=0).rows == 10
    assert read(numInputRows=0, sources=[source(None, 7, None)]).rows == 7
    assert read(numInputRows=0, sources=[source(None, None, None)]).rows == 0


def test_a_source_whose_rows_stand_for_many_says_for_how_many() -> None:
    end = {"position": 30, "rows": 12}
    assert read(numInputRows=2, sources=[source({"position": 18}, end, None)]).rows == 12


def test_a_look_that_found_nothing_is_no_batch() -> None:
    assert Progress.read(told(durationMs={"latestOffset": 3})) is None


def test_a_batch_that_took_no_time_has_no_speed() -> None:
    assert Progress(batch=1, rows=1, seconds=0.0).rows_per_second == 0.0


def test_metrics_add_up_and_tell_the_last_batch() -> None:
    first = Progress(batch=0, rows=10, seconds=1.0, lag=5)
    second = Progress(batch=1, rows=5, seconds=0.5, lag=0)
    before = Metrics(failures=1, set_aside=2)
    assert before.after(first).after(second) == Metrics(
        batches=2, rows=15, rows_per_second=10.0, seconds=0.5, lag=0, failures=1, set_aside=2
    )
    assert before.batches == 0
