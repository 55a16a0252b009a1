"""The rows of a batch, as a database takes them: the last of each key, and which of them are to go. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from penstock.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Changes", "changes_of", "plain"]

_ROW: Final = "__row"


@dataclass(frozen=True, slots=True)
class Changes:
    """What a batch changes."""

    columns: tuple[str, ...]
    #: Values in the columns' order.
    upserts: list[tuple[Any, ...]]
    #: The key's values, and the order's if there is one.
    deletes: list[tuple[Any, ...]]

    def __len__(self) -> int:
        return len(self.upserts) + len(self.deletes)


def changes_of(
    rows: pa.Table,
    *,
    key: Sequence[str],
    order: str | None = None,
    delete: str | None = None,
    as_plain: bool = False,
) -> Changes:
    """What a batch changes.

    Args:
        rows: All of it.
        key: The columns that tell rows apart.
        order: The column by which a later row beats an earlier; without one, whichever comes last.
        delete: A column that is true where the row is to go; it is not written.
        as_plain: Values as SQLite has them.

    Raises:
        TableError: a row without a key, or with a moment that Python does not know.
    """
    for name in key:
        if rows.column(name).null_count:
            raise TableError(f"{rows.column(name).null_count} rows have no {name}, which is their key")
    last = _last(rows, key, order)
    columns = tuple(name for name in rows.column_names if name != delete)
    convert = plain if as_plain else _nested
    is_gone = pc.fill_null(last.column(delete), False) if delete is not None else None  # noqa: FBT003  pyarrow's
    gone = [*key, *([order] if order is not None else [])]
    return Changes(
        columns,
        _tuples(last if is_gone is None else last.filter(pc.invert(is_gone)), columns, convert),
        [] if is_gone is None else _tuples(last.filter(is_gone), gone, convert),
    )


def _last(rows: pa.Table, key: Sequence[str], order: str | None) -> pa.Table:
    """The last row of each key. The sort is stable: of equal ones, the one that came last."""
    if order is not None:
        rows = rows.take(pc.array_sort_indices(rows.column(order), null_placement="at_start"))
    numbered = rows.select(list(key)).append_column(_ROW, pa.array(range(rows.num_rows), pa.int64()))
    last = numbered.group_by(list(key), use_threads=False).aggregate([(_ROW, "max")])
    return rows.take(last.column(f"{_ROW}_max"))


def _tuples(rows: pa.Table, columns: Sequence[str], convert: Callable[[Any], Any]) -> list[tuple[Any, ...]]:
    values = [[convert(value) for value in _values(rows, name)] for name in columns]
    return list(zip(*values, strict=True))


def _values(rows: pa.Table, name: str) -> list[Any]:
    try:
        found: list[Any] = rows.column(name).to_pylist(maps_as_pydicts="strict")
    except OverflowError as exc:
        # Spark's years go up to 294247, Python's to 9999.
        raise TableError(f"column {name}: {exc}") from exc
    return found


def _nested(value: Any) -> Any:
    """What is more than one value is JSON."""
    return json.dumps(value, default=str) if isinstance(value, dict | list) else value


def plain(value: Any) -> Any:
    """A value of SQLite's: it has numbers, text and bytes."""
    match value:
        case datetime() | date() | time():
            return value.isoformat()
        case Decimal():
            return str(value)
        case timedelta():
            return value.total_seconds()
        case _:
            return _nested(value)
