"""What the tests of tables share: rows, and a table written as executors and driver do it, without Spark."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from penstock.pipelines.tables.columns import fit
from penstock.pipelines.tables.committing import Batch, commit
from penstock.pipelines.tables.files import PartitionedFiles, TableFile

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from penstock.pipelines.tables.location import Location

NOW = 1_700_000_000.0


def spark_json(**columns: str) -> dict[str, Any]:
    """A schema as Spark writes it."""
    fields = [
        {"name": name, "type": kind, "nullable": True, "metadata": {}} for name, kind in columns.items()
    ]
    return {"type": "struct", "fields": fields}


def files_of(
    location: Location,
    schema: dict[str, Any],
    rows: Sequence[dict[str, Any]],
    partition_by: Sequence[str] = (),
) -> list[TableFile]:
    """The rows as files that no log names yet."""
    types = to_arrow_schema(StructType.fromJson(schema), timezone="UTC")
    writer = PartitionedFiles(location, types, partition_by)
    writer.add(pa.RecordBatch.from_pylist(list(rows), schema=types))
    return writer.close()


def append(
    location: Location,
    schema: dict[str, Any],
    rows: Sequence[dict[str, Any]],
    *,
    partition_by: Sequence[str] = (),
    batch: Batch | None = None,
    overwrite: bool = False,
) -> bool:
    """Rows, added to a table that may not be there yet."""
    table = location.maybe_table()
    known = json.loads(table.schema().to_json()) if table is not None else None
    there = table.metadata().partition_columns if table is not None else ()
    return commit(
        location,
        fit(schema, known, partitions=partition_by, table_partitions=there),
        files_of(location, schema, rows, partition_by),
        partition_by=partition_by,
        batch=batch,
        overwrite=overwrite,
        now=NOW,
    )


def rows_of(location: Location) -> list[dict[str, Any]]:
    """What the table holds, as deltalake reads it."""
    found: list[dict[str, Any]] = pa.table(location.table().to_pyarrow_table()).to_pylist()
    return found


def parquet_files(folder: Path) -> list[Path]:
    """The files that lie there, whether the log names them or not."""
    return sorted(folder.rglob("*.parquet"))
