"""The Spark pipeline of the sample waterworks: what each gauge said last, as a table of its database.

MQ_URL=amqp://… PENSTOCK_SAMPLE=sqlite:///… penstock pipelines run penstock.pipelines.sample
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from penstock.pipelines.declared import Queue, Upsert, pipeline

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Level", "gauges"]


class Level(msgspec.Struct):
    """A reading, as the waterworks publishes it."""

    gauge: str
    level: float
    at: float


@pipeline(
    "waterworks-gauges",
    source=Queue("waterworks.levels", Level, max_rows=10_000),
    sink=Upsert("env:PENSTOCK_SAMPLE", "gauges", key=("gauge",), order="at"),
    trigger="5s",
)
def gauges(levels: DataFrame) -> DataFrame:
    """The readings that can be; of each gauge the last one stays."""
    return levels.where("bad IS NULL AND level > 0").select("gauge", "level", "at")
