"""Plain Parquet files as the end of a pipeline: a folder for each batch, named by query and number.

    lake/plain/penstock_batch=5c2e…-000000041/part-….parquet

A batch that is run again takes the place of its folder, so its rows are there once, for Spark and for all
others who read the files. Spark's own file sink counts batches in a list that knows no query: it takes the
first batches after a reset, or after a lost checkpoint, for those that it has, and passes over their rows.
Here a query with a new checkpoint has another id, hence folders of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.errors import TableError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter

__all__ = ["BATCH", "ParquetSink"]

#: The column that readers see besides the rows' own.
BATCH: Final = "penstock_batch"
_QUERY: Final = "sql.streaming.queryId"
#: Where Spark's own sink keeps its list. Who finds one reads nothing that is not on it.
_LIST: Final = "_spark_metadata"


@dataclass(frozen=True, slots=True)
class ParquetSink:
    """A folder of files that rows are added to.

    - path: absolute, or any URL that Spark knows; executors must reach it.
    - partition_by: columns, each of whose values has a folder of its own.
    """

    path: str
    partition_by: tuple[str, ...] = ()

    def check(self, rows: DataFrame) -> None:
        """Find out, before anything is started, whether such rows can be written there.

        Raises:
            TableError: they cannot, and why.
        """
        if BATCH in rows.columns:
            raise TableError(f"the files have a column {BATCH} by themselves: call yours otherwise")
        if missing := [name for name in self.partition_by if name not in rows.columns]:
            raise TableError(f"no column {', '.join(missing)} to partition by")
        if _is_there(rows, f"{self.path}/{_LIST}"):
            raise TableError(
                f"{self.path} was written by Spark's own file sink, and is read by its list of files:"
                " write to another folder"
            )

    def stream(self, rows: DataFrame) -> DataStreamWriter:
        """A query that adds a stream's rows: say its checkpoint and its trigger, and start it.

        Raises:
            TableError: as of `check`.
        """
        self.check(rows)
        return rows.writeStream.foreachBatch(self.apply)

    def apply(self, rows: DataFrame, number: int) -> None:
        """One batch, in the place of what was written of it before."""
        query = rows.sparkSession.sparkContext.getLocalProperty(_QUERY)
        # Static: a batch that is run again replaces all that it wrote, not only partitions that it has now.
        writing = rows.write.mode("overwrite").option("partitionOverwriteMode", "static")
        writing.partitionBy(*self.partition_by).parquet(f"{self.path}/{BATCH}={query}-{number:09}")


def _is_there(rows: DataFrame, path: str) -> bool:
    """Whether Spark finds something there; it knows more kinds of paths than Python does."""
    spark = rows.sparkSession
    jvm = spark._jvm  # noqa: SLF001 (pyspark has no other way)
    assert jvm is not None  # noqa: S101 (Spark's, in every driver)
    place = jvm.org.apache.hadoop.fs.Path(path)
    configuration = spark._jsparkSession.sessionState().newHadoopConf()  # noqa: SLF001 (the same)
    return bool(place.getFileSystem(configuration).exists(place))
