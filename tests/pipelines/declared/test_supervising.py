"""Real queries in the session that all tests of pipelines share."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from penstock.errors import BadPipeline, ColumnsChanged, PipelineRunning
from penstock.pipelines.declared import Delta, Files, Parquet, Pipeline, Rate
from penstock.pipelines.declared.place import Place
from penstock.pipelines.declared.status import State, read_status
from penstock.pipelines.tables.reading import read_delta
from tests.pipelines.declared.threads import plainly, supervised, write_threads

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession


def counted(rows: DataFrame) -> DataFrame:
    return rows.select("value")


def test_pipelines_run_until_they_are_asked_to_stop(spark: SparkSession, tmp_path: Path) -> None:
    # Given one that never ends by itself
    source = Rate(rows_per_batch=5)
    endless = Pipeline(name="endless", source=source, sink=Parquet(tmp_path / "out"), transform=counted)
    supervisor = supervised(tmp_path / "data", spark, endless, once=False)
    place = Place(tmp_path / "data", "endless")
    ends: dict[str, State] = {}
    thread = threading.Thread(target=lambda: ends.update(supervisor.run()))
    thread.start()
    # When it has done a batch, and nobody else can run it meanwhile
    while supervisor.metrics()["endless"].batches < 1:
        thread.join(0.05)
    assert read_status(place).state is State.RUNNING
    with pytest.raises(PipelineRunning):
        supervised(tmp_path / "data", spark, endless).run()
    # Then it stops when it is asked to, after a whole batch
    supervisor.stop()
    thread.join()
    assert ends == {"endless": State.STOPPED}
    assert read_status(place).state is State.STOPPED
    values = sorted(row.value for row in spark.read.parquet(str(tmp_path / "out")).collect())
    assert values == list(range(len(values)))
    # A batch that was done in the moment of the stop is in the table, and Spark never tells of it.
    assert len(values) - supervisor.metrics()["endless"].rows in (0, 5)


def test_after_a_reset_plain_files_get_what_comes_and_keep_what_they_have(
    spark: SparkSession, tmp_path: Path
) -> None:
    # Given a pipeline that has written two batches
    source = write_threads(tmp_path / "threads", "1.json", range(2))
    write_threads(tmp_path / "threads", "2.json", range(2, 4))
    plain = Pipeline(name="threads", source=source, sink=Parquet(tmp_path / "out"), transform=plainly)
    assert supervised(tmp_path / "data", spark, plain).run() == {"threads": State.DONE}
    # When it is reset, and other files are there
    Place(tmp_path / "data", "threads").forget()
    for file in (tmp_path / "threads").iterdir():
        file.unlink()
    write_threads(tmp_path / "threads", "3.json", range(1, 6))
    assert supervised(tmp_path / "data", spark, plain).run() == {"threads": State.DONE}
    # Then nothing is missing, and what came again is there twice, as the reset says
    found = sorted(row.id for row in spark.read.parquet(str(tmp_path / "out")).collect())
    assert found == [0, 1, 1, 2, 2, 3, 3, 4, 5]


def test_nothing_starts_if_one_cannot(spark: SparkSession, tmp_path: Path) -> None:
    good = Pipeline(name="good", source=Rate(), sink=Parquet(tmp_path / "out"), transform=counted)
    bad = replace(good, name="bad", source=Files(tmp_path / "nowhere", "id LONG"))
    with pytest.raises(BadPipeline, match="pipeline bad: there is no folder"):
        supervised(tmp_path / "data", spark, good, bad).run()
    assert read_status(Place(tmp_path / "data", "good")).state is State.NEVER_RUN


def test_columns_may_be_added_between_two_runs_but_not_changed(spark: SparkSession, tmp_path: Path) -> None:
    # Given a table of a first run
    source = write_threads(tmp_path / "threads", "1.json", range(3))
    before = Pipeline(name="threads", source=source, sink=Delta(tmp_path / "out"), transform=plainly)
    assert supervised(tmp_path / "data", spark, before).run() == {"threads": State.DONE}
    # When a column has another type, Then it does not even start
    changed = replace(before, transform=lambda rows: rows.selectExpr("CAST(id AS STRING) AS id", "title"))
    with pytest.raises(ColumnsChanged, match="pipeline threads: column id is string, and long in the table"):
        supervised(tmp_path / "data", spark, changed).run()
    # But when there is one more, Then rows of before have nothing there
    write_threads(tmp_path / "threads", "2.json", range(3, 5))
    more = replace(before, transform=lambda rows: rows.selectExpr("id", "title", "length(title) AS size"))
    assert supervised(tmp_path / "data", spark, more).run() == {"threads": State.DONE}
    rows = {row.id: row.size for row in read_delta(spark, str(tmp_path / "out")).collect()}
    assert rows == {0: None, 1: None, 2: None, 3: 8, 4: 8}
    kept = json.loads((tmp_path / "data" / "threads" / "columns.json").read_text())
    assert [field["name"] for field in kept["fields"]] == ["id", "title", "size"]


def test_what_spark_does_not_understand_is_told_in_a_line(spark: SparkSession, tmp_path: Path) -> None:
    bad = Pipeline(
        name="bad", source=Rate(), sink=Parquet(tmp_path / "out"), transform=lambda rows: rows.select("no")
    )
    with pytest.raises(BadPipeline, match=r"^pipeline bad cannot start: \[UNRESOLVED_COLUMN.*`no`.*[^\n]*$"):
        supervised(tmp_path / "data", spark, bad).run()
