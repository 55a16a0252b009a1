from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.pipelines.training import ROWS, train

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_everything_is_asked_once(spark: SparkSession, tmp_path: Path) -> None:
    train(spark, tmp_path)
    assert spark.read.parquet(str(tmp_path / "rows")).count() == ROWS
    # One batch of the stream was committed.
    assert (tmp_path / "checkpoint" / "commits" / "0").exists()
    assert spark.streams.active == []
