"""Rows cut up by their partition, and how a partition is written: in Delta's log and as the name of a folder.

Pure. Knows Arrow, not files.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import pyarrow as pa

from penstock.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Values", "cut_up", "folder_of", "written"]

#: What Hive calls a partition without a value; Spark reads it back as null.
NO_VALUE: Final = "__HIVE_DEFAULT_PARTITION__"
_ROW: Final = "__row"

#: A partition: its columns' values as Delta's log has them.
Values = tuple[tuple[str, str | None], ...]


def cut_up(batch: pa.RecordBatch, columns: Sequence[str]) -> Iterator[tuple[Values, pa.RecordBatch]]:
    """The rows of each partition, in their order and without the partition's columns."""
    rest = batch.drop_columns(list(columns)) if columns else batch
    if not columns:
        yield (), rest
        return
    values = pa.table(
        {**{name: batch.column(name) for name in columns}, _ROW: pa.array(range(batch.num_rows))}
    )
    groups = values.group_by(list(columns), use_threads=False).aggregate([(_ROW, "list")])
    for group in groups.to_pylist():
        found = tuple((name, written(group[name], name)) for name in columns)
        rows = group[f"{_ROW}_list"]
        yield found, rest if len(rows) == batch.num_rows else rest.take(pa.array(rows))


def written(value: Any, column: str) -> str | None:
    """A value as the log has it. Delta tells empty from null nowhere: both are null.

    Raises:
        TableError: no partition can be named by such a value.
    """
    match value:
        case None | "":
            return None
        case bool():
            return "true" if value else "false"
        case str() | int():
            return str(value)
        case datetime():
            return value.strftime("%Y-%m-%d %H:%M:%S.%f")
        case date():
            return value.isoformat()
        case _:
            raise TableError(
                f"column {column} cannot be partitioned by: {type(value).__name__} names no folder;"
                " text, whole numbers and dates do"
            )


def folder_of(values: Values) -> str:
    """The folder of a partition under the table's, with a slash at its end; empty without one."""
    return "".join(
        f"{name}={NO_VALUE if value is None else quote(value, safe='')}/" for name, value in values
    )
