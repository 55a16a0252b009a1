"""`writeStream.format("penstock-delta")`: a Delta table without a jar, each row exactly once.

Executors write Parquet files; when all are written, the driver names them in Delta's log in one transaction
that holds the query's id and the batch's number too. A batch that is run again after a crash is recognised
by them. `DeltaSink` (sink.py) is the way to it; this file is what Spark loads.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pyspark import TaskContext
from pyspark.sql.datasource import (
    DataSource,
    DataSourceArrowWriter,
    DataSourceStreamArrowWriter,
    WriterCommitMessage,
)
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from penstock.clock import SystemClock
from penstock.pipelines.tables.columns import Fit, fit
from penstock.pipelines.tables.committing import Batch, abandon, commit
from penstock.pipelines.tables.files import PartitionedFiles, TableFile
from penstock.pipelines.tables.keys import KnownKeys
from penstock.pipelines.tables.options import DeltaOptions
from penstock.pipelines.tables.partitions import cut_up
from penstock.pipelines.tables.reading import DeltaReader, spark_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame

__all__ = ["FORMAT", "DeltaSource", "Written", "try_out"]

#: What Spark calls it.
FORMAT: Final = "penstock-delta"
_QUERY: Final = "sql.streaming.queryId"


@dataclass
class Written(WriterCommitMessage):
    """What a task has written, and for which query."""

    files: list[TableFile]
    query: str | None


class DeltaSource(DataSource):
    """The table, as Spark asks for it."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> StructType:
        options = DeltaOptions.read(self.options)
        return spark_schema(options.location.table(options.version))

    def reader(self, schema: StructType) -> DeltaReader:
        options = DeltaOptions.read(self.options)
        return DeltaReader(options.location, schema, options.version)

    def streamWriter(self, schema: StructType, overwrite: bool) -> StreamWriter:  # noqa: FBT001, N802  Spark's
        return StreamWriter(_Work.planned(self.options, schema))

    def writer(self, schema: StructType, overwrite: bool) -> BatchWriter:  # noqa: FBT001  Spark's
        return BatchWriter(_Work.planned(self.options, schema), overwrite=overwrite)


class _Work:
    """What both writers do. Travels to the executors, so it holds no table."""

    def __init__(self, options: DeltaOptions, fitting: Fit, partition_by: Sequence[str]) -> None:
        self.options = options
        self.fit = fitting
        self.partition_by = tuple(partition_by)

    @classmethod
    def planned(cls, given: Any, schema: StructType) -> _Work:
        """Decided on the driver, for each batch anew: another writer may have changed the table.

        Raises:
            BadSetting, ColumnsChanged, TableError: it cannot be.
        """
        options = DeltaOptions.read(given)
        table = options.location.maybe_table()
        rows = json.loads(schema.json())
        if table is None:
            return cls(options, fit(rows, None, partitions=options.partition_by), options.partition_by)
        there = table.metadata().partition_columns
        known = json.loads(table.schema().to_json())
        return cls(options, fit(rows, known, partitions=options.partition_by, table_partitions=there), there)

    def write(self, batches: Iterator[pa.RecordBatch]) -> Written:
        """The rows of a task as files; on an executor."""
        files = self._files()
        key = self.options.key
        known = KnownKeys(self.options.location, key) if key is not None else None
        try:
            for batch in batches:
                if known is None:
                    files.add(batch)
                    continue
                for values, rows in cut_up(files.cast(batch), self.partition_by):
                    files.add_to(values, known.fresh(values, rows))
            done = files.close()
        except BaseException:
            files.discard()
            raise
        return Written(done, _query())

    def try_out(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Whether the rows of a task could be files; on an executor."""
        files = self._files()
        for batch in batches:
            files.try_out(batch)
        return iter(())

    def _files(self) -> PartitionedFiles:
        types = to_arrow_schema(StructType.fromJson(self.fit.table), timezone="UTC")
        return PartitionedFiles(
            self.options.location, types, self.partition_by, file_size=self.options.file_size
        )

    def commit(
        self, messages: Sequence[Written | None], number: int | None, *, overwrite: bool = False
    ) -> None:
        """All of a batch at once; on the driver."""
        told = [message for message in messages if message is not None]
        files = [file for message in told for file in message.files]
        query = self.options.query or next((message.query for message in told if message.query), None)
        number = self.options.batch if number is None else number
        batch = Batch(query, number) if query is not None and number is not None else None
        if batch is None and not files and not overwrite:
            return
        commit(
            self.options.location,
            self.fit,
            files,
            partition_by=self.partition_by,
            batch=batch,
            overwrite=overwrite,
            now=SystemClock().now(),
        )

    def abort(self, messages: Sequence[Written | None]) -> None:
        """A task has failed: what the others have written is of no use."""
        files = [file for message in messages if message is not None for file in message.files]
        abandon(self.options.location, files)


def try_out(options: DeltaOptions, rows: DataFrame) -> None:
    """Have Spark make rows, and find out whether they could be written; the table is as it is.

    Raises:
        PySparkException, Py4JJavaError: one of them cannot be made, or not be written whatever is done.
        ColumnsChanged, TableError: none can.
    """
    rows.mapInArrow(_Work.planned(options.written(), rows.schema).try_out, "nothing long").collect()


class StreamWriter(DataSourceStreamArrowWriter):
    """Writes the batches of a streaming query."""

    def __init__(self, work: _Work) -> None:
        self._work = work

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        return self._work.write(iterator)

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803  Spark's
        self._work.commit(_ours(messages), batchId)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803  Spark's
        self._work.abort(_ours(messages))


class BatchWriter(DataSourceArrowWriter):
    """Writes a DataFrame once."""

    def __init__(self, work: _Work, *, overwrite: bool) -> None:
        self._work = work
        self._overwrite = overwrite

    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        return self._work.write(iterator)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        self._work.commit(_ours(messages), None, overwrite=self._overwrite)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        self._work.abort(_ours(messages))


def _ours(messages: Sequence[WriterCommitMessage | None]) -> list[Written | None]:
    return [message if isinstance(message, Written) else None for message in messages]


def _query() -> str | None:
    context = TaskContext.get()
    return context.getLocalProperty(_QUERY) if context is not None else None
