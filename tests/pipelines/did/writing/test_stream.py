from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable

from penstock.errors import PipelineError
from penstock.pipelines.declared.progress import Progress
from penstock.pipelines.did.writing.stream import CutSource, CutStream, OneCut
from penstock.pipelines.source.door import Door

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

ALL = ReadAllAvailable()


class Desk:
    """Says what it was told to."""

    def __init__(self) -> None:
        self.answer: Any = {"cuts": [], "operations": 0, "waiting": 0}
        self.asked: list[int] = []

    def due(self, position: int) -> str:
        self.asked.append(position)
        return self.answer if isinstance(self.answer, str) else json.dumps(self.answer)


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def stream(desk: Desk) -> Iterator[CutStream]:
    door = Door(desk.due)
    source = CutSource({"door": door.path})
    assert (source.name(), source.schema()) == ("penstock-cuts", "cut LONG")
    yield source.streamReader(source.schema())
    door.close()


def test_nothing_due_is_nothing_new(stream: CutStream, desk: Desk) -> None:
    start = {"position": 30, "cuts": [7, 8]}
    desk.answer = {"cuts": [], "operations": 0, "waiting": 5}
    assert stream.latestOffset(start, ALL) == start
    assert desk.asked == [30]
    assert stream.reportLatestOffset() == {"position": 35}


def test_an_offset_counts_operations_and_names_the_cuts_of_its_batch(stream: CutStream, desk: Desk) -> None:
    desk.answer = {"cuts": [9, 12], "operations": 11, "waiting": 4}
    end = stream.latestOffset(stream.initialOffset(), ALL)
    assert end == {"position": 11, "cuts": [9, 12], "rows": 11}
    assert stream.reportLatestOffset() == {"position": 15}


def test_what_was_written_along_is_a_batch_without_cuts(
    spark: SparkSession, desk: Desk, tmp_path: Path
) -> None:
    answers = iter(
        [{"cuts": [4], "operations": 2, "waiting": 3}, {"cuts": [], "operations": 3, "waiting": 0}]
    )
    seen: list[tuple[list[int], int]] = []

    def due(position: int) -> str:
        return json.dumps(next(answers, {"cuts": [], "operations": 0, "waiting": 0}) | {"asked": position})

    door = Door(due)
    spark.dataSource.register(CutSource)
    rows = spark.readStream.format("penstock-cuts").option("door", door.path).load()
    query = (
        rows.writeStream.foreachBatch(
            lambda batch, number: seen.append(([row.cut for row in batch.collect()], number))
        )
        .option("checkpointLocation", str(tmp_path))
        .start()
    )
    query.processAllAvailable()
    query.stop()
    door.close()
    assert seen == [([4], 0), ([], 1)]
    last = query.lastProgress
    assert last is not None
    assert json.loads(last["sources"][0]["endOffset"]) == {"position": 5, "cuts": [], "rows": 3}


def test_each_cut_is_a_row_and_a_task_and_a_repeated_batch_has_the_same(
    stream: CutStream, desk: Desk
) -> None:
    start, end = stream.initialOffset(), {"position": 11, "cuts": [9, 12]}
    partitions = stream.partitions(start, end)
    assert [each.value for each in partitions] == [9, 12]
    rows = [row for each in partitions for batch in stream.read(each) for row in batch.to_pylist()]
    assert rows == [{"cut": 9}, {"cut": 12}]
    assert desk.asked == []
    stream.commit(end)


def test_a_partition_is_its_number() -> None:
    assert OneCut(7).value == 7


@pytest.mark.parametrize(
    ("answer", "told"),
    [("the database is away", "the database is away"), ("", "cannot say which cuts are due")],
)
def test_what_goes_wrong_in_the_driver_is_told(
    stream: CutStream, desk: Desk, answer: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_HIDE_TRACEBACK", "")
    desk.answer = answer
    with pytest.raises(PipelineError, match=told):
        stream.latestOffset(stream.initialOffset(), ALL)


def test_a_driver_that_is_gone_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_HIDE_TRACEBACK", "")
    with pytest.raises(PipelineError, match="does not answer at /nowhere"):
        CutStream("/nowhere").latestOffset({"position": 0, "cuts": []}, ALL)


def test_a_pipelines_rows_and_its_lag_are_operations() -> None:
    told = {
        "batchId": 1,
        "batchDuration": 500,
        "numInputRows": 2,
        "durationMs": {"addBatch": 400},
        "sources": [
            {
                "startOffset": {"position": 6, "cuts": [1, 2]},
                "endOffset": {"position": 17, "cuts": [9, 12], "rows": 11},
                "latestOffset": {"position": 20},
            }
        ],
    }
    found = Progress.read(told)
    assert found is not None
    assert (found.rows, found.lag) == (11, 3)
