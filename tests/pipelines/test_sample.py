from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.pipelines.sample import Level, gauges

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_readings_that_can_be_are_kept(spark: SparkSession) -> None:
    rows = [("north", 3.5, 1.0, None), ("leaking", -1.0, 2.0, None), (None, None, None, "no such field")]
    levels = spark.createDataFrame(rows, "gauge STRING, level DOUBLE, at DOUBLE, bad STRING")
    assert [tuple(row) for row in gauges(levels).collect()] == [("north", 3.5, 1.0)]


def test_it_reads_what_the_waterworks_tells() -> None:
    from penstock.cli.sample.events import LEVELS, LevelMeasured  # noqa: PLC0415 (one test knows both)

    assert gauges.source.queue == LEVELS  # type: ignore[attr-defined]
    assert Level.__struct_fields__ == LevelMeasured.__struct_fields__
