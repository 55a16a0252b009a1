"""What a Java is asked to learn from, before its classes are put into an archive: a bit of everything we use.

SQL, shuffles, Parquet, Arrow functions in Python workers, a stream from a Python source with a checkpoint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.datasource import ReadLimit

__all__ = ["train"]

ROWS = 100


def train(spark: SparkSession, folder: Path) -> None:
    """Ask it everything once; the folder is for what is written."""
    rows = spark.range(ROWS).selectExpr("id", "id % 3 AS kind", "to_json(struct(id)) AS body")
    rows.groupBy("kind").count().orderBy("kind").collect()
    rows.write.partitionBy("kind").parquet(str(folder / "rows"))
    stored = spark.read.parquet(str(folder / "rows"))
    stored.join(rows.select("id"), ["id"], "full_outer").mapInArrow(_ids, "id long").toArrow()
    spark.dataSource.register(Counting)
    counted = spark.readStream.format("counting").load().dropDuplicates(["id"])
    _run(counted, folder)


def _run(counted: DataFrame, folder: Path) -> None:
    writer = counted.writeStream.option("checkpointLocation", str(folder / "checkpoint"))
    query = writer.foreachBatch(_count).trigger(availableNow=True).start()
    query.awaitTermination()


def _count(batch: DataFrame, number: int) -> None:
    batch.count()


def _ids(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch.select(["id"])


class Counting(DataSource):
    """A stream of the first numbers."""

    @classmethod
    def name(cls) -> str:
        return "counting"

    def schema(self) -> str:
        return "id long"

    def streamReader(self, schema: Any) -> DataSourceStreamReader:  # noqa: N802 (pyspark calls it so)
        return _CountingReader()


class _CountingReader(DataSourceStreamReader):
    def initialOffset(self) -> dict[str, int]:  # noqa: N802
        return {"at": 0}

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:  # noqa: N802
        return {"at": ROWS}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:
        return [InputPartition((start["at"], end["at"]))]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"id": pa.array(range(*partition.value), pa.int64())})
