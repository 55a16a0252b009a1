"""Making Spark know the format `penstock`: once for each session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.pipelines.acking import Acking
from penstock.pipelines.source.data_source import PenstockDataSource

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["register"]

#: Where a session keeps the listener: Spark sessions have no place of their own for such things.
_MARK = "_penstock_acking"


def register(spark: SparkSession) -> None:
    """Have `spark.readStream.format("penstock")` and its like, and batches acknowledged when done.

    `open_session` does it; call it for sessions of other making. A second call changes nothing.
    """
    spark.dataSource.register(PenstockDataSource)
    if not hasattr(spark, _MARK):
        listener = Acking()
        spark.streams.addListener(listener)
        setattr(spark, _MARK, listener)
