"""What Delta's log tells of a file: how many rows, and between which values they lie. Pure.

It is what lets a reader pass over files, so a bound may be too wide but never too narrow.
"""

from __future__ import annotations

import json
from datetime import date, datetime
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow.parquet as pq

__all__ = ["file_statistics"]

#: Columns that are told of, as Delta's own writers do it.
MOST: Final = 32
#: Characters of a text; a longer one bounds nothing worth its room.
LONGEST: Final = 64


def file_statistics(metadata: pq.FileMetaData) -> str:
    """The statistics of a written file, as the log has them."""
    lowest: dict[str, Any] = {}
    highest: dict[str, Any] = {}
    nulls: dict[str, int] = {}
    for index in range(min(metadata.num_columns, MOST)):
        name = metadata.schema.column(index).path
        if "." in name:
            continue
        groups = [metadata.row_group(row).column(index).statistics for row in range(metadata.num_row_groups)]
        if not groups or any(each is None for each in groups):
            continue
        if all(each.has_null_count for each in groups):
            nulls[name] = sum(each.null_count for each in groups)
        bounds = _bounds_of(groups)
        # A group without bounds has nothing but nulls, or values that have no order.
        if bounds and all(each.has_min_max or each.num_values == 0 for each in groups):
            low, high = _shown(min(low for low, _ in bounds)), _shown(max(high for _, high in bounds))
            if low is not None and high is not None:
                lowest[name], highest[name] = low, high
    return json.dumps(
        {"numRecords": metadata.num_rows, "minValues": lowest, "maxValues": highest, "nullCount": nulls}
    )


def _bounds_of(groups: Sequence[pq.Statistics]) -> list[tuple[Any, Any]]:
    """The lowest and the highest value of each group that tells them; none at all beyond the calendar."""
    try:
        return [(each.min, each.max) for each in groups if each.has_min_max]
    except OverflowError:
        # Spark's years go up to 294247, as milliseconds have them that were taken for seconds.
        return []


def _shown(value: Any) -> Any:
    """A bound as JSON has it; None is no bound."""
    bound: Any
    match value:
        case bool():
            bound = None
        case int():
            bound = value
        case float():
            bound = value if isfinite(value) else None
        case str():
            bound = value if len(value) <= LONGEST else None
        case datetime():
            bound = value.isoformat(timespec="microseconds").replace("+00:00", "Z")
        case date():
            bound = value.isoformat()
        case _:
            bound = None
    return bound
