"""Making Spark know the format `penstock`: once for each session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.pipelines.acking import acknowledge
from penstock.pipelines.listening import listen
from penstock.pipelines.source.data_source import PenstockDataSource

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["register"]

#: By which a session is known to have a listener: it has no place of its own for such things.
_MARK = "_penstock_acknowledges"


def register(spark: SparkSession) -> None:
    """Have `spark.readStream.format("penstock")` and its like, and batches acknowledged when done.

    `open_session` does it; call it for sessions of other making. A second call changes nothing.
    """
    spark.dataSource.register(PenstockDataSource)
    if not hasattr(spark, _MARK):
        setattr(spark, _MARK, listen(spark, acknowledge))
