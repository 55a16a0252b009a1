"""A Delta table as a DataFrame.

On this machine's disk Spark's own Parquet reader reads the table's files; elsewhere, where Spark would need
a jar for each kind of store, Python reads them on the executors. The log says which files, so none that an
unfinished write has left is among them.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from penstock.errors import TableError
from penstock.pipelines.tables.location import Location
from penstock.pipelines.tables.partitions import NO_VALUE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from deltalake import DeltaTable
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["DeltaReader", "read_delta", "spark_schema"]

#: A folder's name with a letter beyond ASCII: Delta's writers escape its bytes, and Spark takes each for a
#: letter.
_MISREAD: Final = re.compile(r"%[89A-Fa-f][0-9A-Fa-f]")


def spark_schema(table: DeltaTable) -> StructType:
    """A table's columns, as Spark has them: both write schemas alike."""
    return StructType.fromJson(json.loads(table.schema().to_json()))


def read_delta(
    spark: SparkSession,
    path: str | Path,
    *,
    version: int | None = None,
    storage: Mapping[str, str] | None = None,
) -> DataFrame:
    """A Delta table as it is now, or was at a version.

    The DataFrame keeps to what it found: rows that are written later are not in it.

    Raises:
        UnknownTable: there is none.
        TableError: it cannot be read, or not at that version any more, or was written in a way that only
            Delta's own readers know.
    """
    location = Location.at(path, storage)
    table = location.table(version)
    _check_readable(table, location)
    schema = spark_schema(table)
    files = table.file_uris()
    if location.folder is None or any(_MISREAD.search(file) for file in files):
        from penstock.pipelines.tables.sink import DeltaSink  # noqa: PLC0415  the sink reads tables, too

        return DeltaSink(str(path), storage=storage or {}).read(spark, version=table.version())
    if not files:
        return spark.createDataFrame([], schema)
    found = spark.read.schema(schema).option("basePath", str(location.folder))
    return found.parquet(*files).select(*schema.names)


def _check_readable(table: DeltaTable, location: Location) -> None:
    features = set(table.protocol().reader_features or ()) - {"timestampNtz"}
    if features:
        raise TableError(
            f"{location} uses {', '.join(sorted(features))}, which only a Delta reader of Spark's knows"
        )


class _File(InputPartition):
    """A file, and the values that it does not hold itself."""

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name)
        self.name = name
        self.values = values


class DeltaReader(DataSourceReader):
    """Reads the table from any store: one task for each file."""

    def __init__(self, location: Location, schema: StructType, version: int | None = None) -> None:
        self._location = location
        self._schema = schema
        self._version = version

    def partitions(self) -> Sequence[InputPartition]:
        table = self._location.table(self._version)
        _check_readable(table, self._location)
        names = table.metadata().partition_columns
        actions = pa.table(table.get_add_actions(flatten=True))
        columns = ["path", *(f"partition.{name}" for name in names)]
        return [
            _File(unquote(row["path"]), {name: row[f"partition.{name}"] for name in names})
            for row in actions.select(columns).to_pylist()
        ]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, _File)  # noqa: S101  Spark hands back what it was given
        schema = to_arrow_schema(self._schema, timezone="UTC")
        with self._location.reading(partition.name) as file:
            for batch in pq.ParquetFile(file).iter_batches():
                yield completed(batch, partition.values, schema)


def completed(batch: pa.RecordBatch, values: Mapping[str, Any], schema: pa.Schema) -> pa.RecordBatch:
    """A file's rows with the partition's columns, and with null for columns that came after it."""
    columns = []
    for field in schema:
        if field.name in batch.schema.names:
            columns.append(batch.column(field.name).cast(field.type))
        else:
            value = values.get(field.name)
            columns.append(
                pa.repeat(pa.scalar(None if value == NO_VALUE else value, field.type), batch.num_rows)
            )
    return pa.RecordBatch.from_arrays(columns, schema=schema)
