"""Real queries in the session that all tests of pipelines share."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from penstock.client import Queue as client_queue  # noqa: N813 (the pipelines' own has the name)
from penstock.client.reader import QueueReader
from penstock.client.sync import connect
from penstock.errors import BadPipeline, ColumnsChanged, PipelineRunning
from penstock.pipelines.declared import Delta, Files, Parquet, Pipeline, Queue, Rate
from penstock.pipelines.declared.place import Place
from penstock.pipelines.declared.status import State, read_status
from penstock.pipelines.source.holder import this_process
from penstock.pipelines.tables.reading import read_delta
from tests.faults.disks import fill, small_disk
from tests.pipelines.declared.threads import plainly, supervised, write_threads
from tests.pipelines.queues import until

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    from penstock.pipelines.declared.ports import Spared
    from tests.servers.running import Running


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


def test_pipelines_take_turns_at_the_cores(spark: SparkSession, tmp_path: Path) -> None:
    # Given two whose batches tell whose turn they take
    pools: dict[str, str | None] = {}

    class Told(Parquet):
        def attach(self, rows: DataFrame, pipeline: str, spared: Spared | None = None) -> DataStreamWriter:
            def tell(_batch: DataFrame, _number: int) -> None:
                pools[pipeline] = spark.sparkContext.getLocalProperty("spark.scheduler.pool")

            return rows.writeStream.foreachBatch(tell)

    both = [
        Pipeline(name=name, source=Rate(rows_per_batch=5), sink=Told(tmp_path / name), transform=counted)
        for name in ("one", "other")
    ]
    supervisor = supervised(tmp_path / "data", spark, *both, once=False)
    thread = threading.Thread(target=supervisor.run)
    thread.start()
    while len(pools) < len(both):
        thread.join(0.05)
    supervisor.stop()
    thread.join()
    # Then each has a line of its own, and Spark serves all lines alike
    assert pools == {"one": "one", "other": "other"}
    assert spark.conf.get("spark.scheduler.mode") == "FAIR"


def test_a_full_disk_is_waited_for(spark: SparkSession, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    source = write_threads(tmp_path / "threads", "1.json", range(3))
    threads = Pipeline(name="threads", source=source, sink=Delta(tmp_path / "out"), transform=plainly)
    with small_disk(disk, "2m"):
        # Given a pipeline that runs, whose checkpoint's disk then is full
        supervisor = supervised(disk, spark, threads, once=False)
        ends: dict[str, State] = {}
        thread = threading.Thread(target=lambda: ends.update(supervisor.run()))
        thread.start()
        until(lambda: bool(ends) or supervisor.metrics()["threads"].batches == 1)
        ballast = fill(disk, 0)
        # When more comes, Then it fails, and is tried again, though it cannot even write that down
        write_threads(tmp_path / "threads", "2.json", range(3, 6))
        until(lambda: bool(ends) or supervisor.metrics()["threads"].failures > 0)
        ballast.unlink()
        # And goes on when there is room
        until(lambda: bool(ends) or supervisor.metrics()["threads"].batches > 1)
        supervisor.stop()
        thread.join()
    assert ends == {"threads": State.STOPPED}
    rows = read_delta(spark, str(tmp_path / "out")).collect()
    assert sorted(row.id for row in rows) == list(range(6))


def test_a_reader_that_another_query_has_is_told_at_the_start(
    spark: SparkSession,
    penstock_server: Running,
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", os.getppid)
        another = this_process()  # that lives, too
    source = Queue(name, url=penstock_server.url, reader="nightly")
    counting = Pipeline(name="counting", source=source, sink=Delta(tmp_path / "out"), transform=plainly)
    with connect(penstock_server.url) as client, QueueReader(penstock_server.url, name, "nightly") as reader:
        client.declare(client_queue(name))
        reader.open()
        reader.lease(another, 600.0)
        with pytest.raises(BadPipeline, match=r"^pipeline counting: .*'nightly'.*process \d+"):
            supervised(tmp_path / "data", spark, counting).run()
        reader.lease(another, 0.0)
        client.withdraw(client_queue(name))
    assert read_status(Place(tmp_path / "data", "counting")).state is State.NEVER_RUN


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
