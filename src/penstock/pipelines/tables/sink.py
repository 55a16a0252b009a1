"""A Delta table as the end of a pipeline.

sink = DeltaSink("lake/orders", partition_by=("day",), key="message_id", time="at")
query = sink.stream(orders).option("checkpointLocation", "checkpoints/orders").start()
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from penstock.pipelines.tables.columns import fit
from penstock.pipelines.tables.delta import FORMAT, DeltaSource, try_out
from penstock.pipelines.tables.files import FILE_SIZE
from penstock.pipelines.tables.keys import Key
from penstock.pipelines.tables.location import Location
from penstock.pipelines.tables.options import DeltaOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter
    from pyspark.sql.types import StructType

__all__ = ["DeltaSink"]


@dataclass(frozen=True, slots=True)
class DeltaSink:
    """A table that rows are added to, exactly once.

    - path: a folder, or any URL that deltalake knows; executors must reach it.
    - partition_by: columns, each of whose values has a folder of its own.
    - key: rows whose key the table has already are left out: for doubles that come in other batches.
    - time: a timestamp that doubles have in common; only files of that time are searched for their keys.
    - file_size: bytes after which the next file is begun.
    - storage: for an object store; without secrets (location.py).
    """

    path: str
    partition_by: tuple[str, ...] = ()
    key: str | None = None
    time: str | None = None
    file_size: int = FILE_SIZE
    storage: Mapping[str, str] = field(default_factory=dict)

    @property
    def location(self) -> Location:
        """Where it lies."""
        return Location.at(self.path, self.storage)

    def check(self, schema: StructType) -> None:
        """Find out, before anything is started, whether rows of that kind fit.

        Raises:
            ColumnsChanged: they do not.
            BadSetting, TableError: the table cannot be like that.
        """
        table = self.location.maybe_table()
        known = json.loads(table.schema().to_json()) if table is not None else None
        there = table.metadata().partition_columns if table is not None else ()
        fit(json.loads(schema.json()), known, partitions=self.partition_by, table_partitions=there)

    def stream(self, rows: DataFrame) -> DataStreamWriter:
        """A query that adds a stream's rows: say its checkpoint and its trigger, and start it.

        Raises:
            ColumnsChanged, BadSetting, TableError: as of `check`.
        """
        self.check(rows.schema)
        rows.sparkSession.dataSource.register(DeltaSource)
        return self._gathered(rows).writeStream.format(FORMAT).options(**self._options().written())

    def write(
        self, rows: DataFrame, *, overwrite: bool = False, query: str | None = None, batch: int | None = None
    ) -> None:
        """Add rows at once, or put them in the place of all others.

        With a query's name and a batch's number, which only grows, the same batch is added once however
        often it is written: what a `foreachBatch` needs.
        """
        if not overwrite:
            self.check(rows.schema)
        rows.sparkSession.dataSource.register(DeltaSource)
        options = self._options(query, batch).written()
        mode = "overwrite" if overwrite else "append"
        self._gathered(rows).write.format(FORMAT).options(**options).mode(mode).save()

    def try_out(self, rows: DataFrame) -> None:
        """Find out whether the table takes these rows; nothing is written.

        Raises:
            PySparkException, Py4JJavaError, ColumnsChanged, TableError: it does not, and why.
        """
        try_out(self._options(), rows)

    def read(self, spark: SparkSession, version: int | None = None) -> DataFrame:
        """The table, read by Python on the executors; `read_delta` is faster where the files are at hand.

        As it is when an action reads it, or as it was at a version.
        """
        spark.dataSource.register(DeltaSource)
        options = replace(self._options(), version=version).written()
        return spark.read.format(FORMAT).options(**options).load()

    def _gathered(self, rows: DataFrame) -> DataFrame:
        """Rows of one key in one task, which sees that they are doubles.

        As many tasks as run at once: each writes a file for each partition, and Spark's 200 would be many.
        """
        if self.key is None:
            return rows
        return rows.repartition(rows.sparkSession.sparkContext.defaultParallelism, self.key)

    def _options(self, query: str | None = None, batch: int | None = None) -> DeltaOptions:
        return DeltaOptions(
            location=self.location,
            partition_by=self.partition_by,
            key=Key(self.key, self.time) if self.key is not None else None,
            file_size=self.file_size,
            query=query,
            batch=batch,
        )
