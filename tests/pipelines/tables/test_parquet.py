"""Plain files as Spark writes them, read by Spark and by others."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pyarrow.dataset as ds
import pytest

from penstock.errors import TableError
from penstock.pipelines.tables.parquet import BATCH, ParquetSink

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

COLUMNS = "id long, kind string"


class Stage:
    """Files that appear, a query that reads one in each batch, and its table."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.checkpoint, self.table = folder / "checkpoint", folder / "table"
        self._files = folder / "in"
        self._files.mkdir()

    def put(self, *ids: int) -> None:
        text = "".join(json.dumps({"id": each, "kind": "ab"[each % 2]}) + "\n" for each in ids)
        (self._files / f"{ids[0]}.json").write_text(text)

    def take_away(self) -> None:
        for file in self._files.iterdir():
            file.unlink()

    def run(self) -> None:
        rows = self.spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1).json(str(self._files))
        writing = ParquetSink(str(self.table), ("kind",)).stream(rows)
        writing = writing.option("checkpointLocation", str(self.checkpoint)).trigger(availableNow=True)
        writing.start().awaitTermination()

    def ids(self) -> list[int]:
        return sorted(row.id for row in self.spark.read.parquet(str(self.table)).collect())


@pytest.fixture
def stage(spark: SparkSession, tmp_path: Path) -> Stage:
    return Stage(spark, tmp_path)


def test_a_batch_that_is_run_again_is_there_once_for_all_who_read(stage: Stage) -> None:
    stage.put(1, 2)
    stage.put(3, 4)
    stage.run()
    (stage.checkpoint / "commits" / "1").unlink()
    (stage.checkpoint / "commits" / ".1.crc").unlink(missing_ok=True)
    stage.run()

    assert stage.ids() == [1, 2, 3, 4]
    read = stage.spark.read.parquet(str(stage.table))
    assert read.columns == ["id", BATCH, "kind"]
    assert read.where("kind = 'a'").count() == 2
    assert sorted(ds.dataset(stage.table, partitioning="hive").to_table()["id"].to_pylist()) == [1, 2, 3, 4]


def test_without_its_checkpoint_nothing_is_passed_over(stage: Stage) -> None:
    # Given a query that has written three batches
    for number in range(3):
        stage.put(number)
    stage.run()
    # When it loses its checkpoint, and batches are counted from 0 again
    shutil.rmtree(stage.checkpoint)
    stage.take_away()
    stage.put(10)
    stage.put(2)
    stage.run()
    # Then what is new is there, what was there is, and what came again is there a second time
    assert stage.ids() == [0, 1, 2, 2, 10]


def test_what_cannot_be_written_is_told_before_a_query_starts(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(1)
    with pytest.raises(TableError, match="no column day to partition by"):
        ParquetSink(str(tmp_path), ("day",)).check(rows)
    with pytest.raises(TableError, match="a column penstock_batch by themselves"):
        ParquetSink(str(tmp_path)).check(rows.withColumnRenamed("id", BATCH))
    ParquetSink(str(tmp_path)).check(rows)
    (tmp_path / "_spark_metadata").mkdir()
    with pytest.raises(TableError, match="was written by Spark's own file sink"):
        ParquetSink(str(tmp_path)).check(rows)
