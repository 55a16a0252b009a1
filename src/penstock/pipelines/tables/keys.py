"""Rows that a table has already are left out, by their key.

A transaction for each batch makes a replayed batch no change. It does not help when the same message comes
in two batches: published twice by a relay that crashed, or read once more because a checkpoint was lost.
The key does.

Reading all keys of a table for each batch would be dear. So a key is looked for in its own partition, and
there only in files that hold rows of the same time: a message's double carries the same time as the first.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from penstock.pipelines.tables.partitions import Values, written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from penstock.pipelines.tables.location import Location

__all__ = ["Key", "KnownKeys"]

#: Bounds in the log may be cut to milliseconds.
ROUNDING: Final = timedelta(seconds=1)
#: Keys that a worker remembers from one batch to the next. Files never change, so they stay true.
REMEMBERED: Final = 2_000_000


@dataclass(frozen=True, slots=True)
class Key:
    """What makes a row the same as another."""

    column: str
    #: A timestamp that both have in common; without one all files of the partition are looked into.
    time: str | None = None


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    low: datetime | None
    high: datetime | None

    def may_hold(self, low: datetime | None, high: datetime | None) -> bool:
        """Whether it may have rows of a span."""
        if low is None or high is None or self.low is None or self.high is None:
            return True
        return self.low - ROUNDING <= high and low <= self.high + ROUNDING


class KnownKeys:
    """The keys of a table as it is when the first rows come; and of those that were asked for since."""

    def __init__(self, location: Location, key: Key) -> None:
        self._location = location
        self._key = key
        self._files: dict[Values, list[_File]] | None = None
        self._seen: defaultdict[Values, set[Any]] = defaultdict(set)

    def fresh(self, values: Values, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Those rows of a partition that it has not got yet. A row without a key is always fresh."""
        keys = rows.column(self._key.column)
        known = self._known(values, rows)
        is_known = pc.is_in(keys, value_set=known).to_pylist() if len(known) else [False] * len(keys)
        seen = self._seen[values]
        chosen = []
        for row, (key, is_old) in enumerate(zip(keys.to_pylist(), is_known, strict=True)):
            if key is None or key == "":
                chosen.append(row)
            elif not is_old and key not in seen:
                seen.add(key)
                chosen.append(row)
        return rows if len(chosen) == rows.num_rows else rows.take(pa.array(chosen, pa.int64()))

    def _known(self, values: Values, rows: pa.RecordBatch) -> pa.Array:
        low, high = self._span(rows)
        kind = rows.column(self._key.column).type
        found = [
            keys.cast(kind)
            for file in self._index().get(values, ())
            if file.may_hold(low, high)
            for keys in _keys_of(self._location, file.name, self._key.column)
        ]
        return pa.concat_arrays(found) if found else pa.array([], kind)

    def _span(self, rows: pa.RecordBatch) -> tuple[datetime | None, datetime | None]:
        if self._key.time is None or self._key.time not in rows.schema.names:
            return None, None
        column = rows.column(self._key.time)
        # A row without a time may be anywhere.
        if column.null_count:
            return None, None
        try:
            ends = pc.min_max(column).as_py()
        except OverflowError:  # beyond the calendar, for which no file has bounds either
            return None, None
        return ends["min"], ends["max"]

    def _index(self) -> dict[Values, list[_File]]:
        if self._files is None:
            self._files = defaultdict(list)
            for values, file in _listed(self._location, self._key.time):
                self._files[values].append(file)
        return self._files


def _listed(location: Location, time: str | None) -> Iterator[tuple[Values, _File]]:
    table = location.maybe_table()
    if table is None:
        return
    partition_by = table.metadata().partition_columns
    wanted = {"path", f"min.{time}", f"max.{time}", *(f"partition.{name}" for name in partition_by)}
    actions = pa.table(table.get_add_actions(flatten=True))
    for row in actions.select([name for name in actions.column_names if name in wanted]).to_pylist():
        values = tuple((name, written(row.get(f"partition.{name}"), name)) for name in partition_by)
        yield values, _File(unquote(row["path"]), row.get(f"min.{time}"), row.get(f"max.{time}"))


class _Remembered:
    """Keys of files that were read before, the latest used last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0
        self._kept: OrderedDict[tuple[str, str, str], list[pa.Array]] = OrderedDict()

    def get(self, name: tuple[str, str, str]) -> list[pa.Array] | None:
        if name in self._kept:
            self._kept.move_to_end(name)
        return self._kept.get(name)

    def put(self, name: tuple[str, str, str], keys: list[pa.Array]) -> None:
        self._kept[name] = keys
        self._count += sum(map(len, keys))
        while self._count > self._most and len(self._kept) > 1:
            _, gone = self._kept.popitem(last=False)
            self._count -= sum(map(len, gone))


#: Of this process: a worker serves one batch after the other.
_remembered: Final = _Remembered(REMEMBERED)


def _keys_of(location: Location, name: str, column: str) -> list[pa.Array]:
    found = _remembered.get((location.uri, name, column))
    if found is None:
        with location.reading(name) as file:
            parquet = pq.ParquetFile(file)
            has_it = column in parquet.schema_arrow.names
            found = list(parquet.read(columns=[column]).column(column).chunks) if has_it else []
        _remembered.put((location.uri, name, column), found)
    return found
