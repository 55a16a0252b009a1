"""Rows to Parquet files, one partition at a time: what an executor does.

The files are the table's only when the driver has named them in the log; until then nobody sees them.
"""

from __future__ import annotations

import uuid
from collections import OrderedDict
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from penstock.pipelines.tables.partitions import Values, cut_up, folder_of
from penstock.pipelines.tables.statistics import file_statistics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.pipelines.tables.location import Location

__all__ = ["PartitionedFiles", "TableFile"]

#: Bytes after which a file is closed and the next begun.
FILE_SIZE: Final = 128 << 20
#: Bytes of rows that are gathered for one row group.
GROUP_SIZE: Final = 16 << 20
#: Files that are open at a time; a row of yet another partition closes the one that waited longest.
MOST_OPEN: Final = 64


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file that is written and closed."""

    #: Under the table's folder.
    name: str
    size: int
    rows: int
    partition: Values
    #: As Delta's log has them.
    statistics: str


class PartitionedFiles:
    """Takes rows, and gives files: `add` them, then `close`, or `discard` if it went wrong."""

    def __init__(
        self,
        location: Location,
        types: pa.Schema,
        partition_by: Sequence[str],
        *,
        file_size: int = FILE_SIZE,
    ) -> None:
        """Nothing is written yet.

        Args:
            location: The table's.
            types: What each column is to be; columns that the rows have not got do not matter.
            partition_by: Its columns.
            file_size: Bytes after which the next file is begun.
        """
        self._location = location
        self._types = types
        self._partition_by = tuple(partition_by)
        self._file_size = file_size
        self._open: OrderedDict[Values, _Growing] = OrderedDict()
        self._done: list[TableFile] = []

    def add(self, batch: pa.RecordBatch) -> None:
        """Write rows; some may wait in memory for others of their partition."""
        for values, rows in cut_up(self.cast(batch), self._partition_by):
            self.add_to(values, rows)

    def add_to(self, values: Values, rows: pa.RecordBatch) -> None:
        """Write rows of one partition, which are of the right types and without the partition's columns."""
        if not rows.num_rows:
            return
        file = self._open.pop(values, None) or self._begun(values, rows.schema)
        self._open[values] = file
        file.add(rows)
        if file.size >= self._file_size:
            self._finish(values)

    def try_out(self, batch: pa.RecordBatch) -> None:
        """Find out whether the rows could be written, as far as that is up to them; nothing is.

        Raises:
            TableError, OverflowError: no partition can be named by one of their values.
        """
        for values, _ in cut_up(self.cast(batch), self._partition_by):
            self._location.check_name(folder_of(values))

    def cast(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows in the table's types: a session's time zone and narrower numbers are not kept."""
        fields = [self._types.field(name) for name in batch.schema.names]
        columns = [column.cast(field.type) for column, field in zip(batch.columns, fields, strict=True)]
        return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))

    def close(self) -> list[TableFile]:
        """All files, on disk."""
        for values in list(self._open):
            self._finish(values)
        return self._done

    def discard(self) -> None:
        """Take all of it away again, as far as possible."""
        names = [file.name for file in self._done]
        for growing in self._open.values():
            growing.abandon()
            names.append(growing.name)
        self._location.forget(names)

    def _begun(self, values: Values, schema: pa.Schema) -> _Growing:
        if len(self._open) >= MOST_OPEN:
            self._finish(next(iter(self._open)))
        return _Growing(self._location, values, schema)

    def _finish(self, values: Values) -> None:
        self._done.append(self._open[values].close())
        del self._open[values]


class _Growing:
    """A file that is being written."""

    def __init__(self, location: Location, values: Values, schema: pa.Schema) -> None:
        self.name = f"{folder_of(values)}part-{uuid.uuid4()}.zstd.parquet"
        self._values = values
        self._schema = schema
        self._ending = ExitStack()
        self._file = _Counted(self._ending.enter_context(location.writing(self.name)))
        self._footers: list[pq.FileMetaData] = []
        self._writer = pq.ParquetWriter(
            self._file, schema, compression="zstd", metadata_collector=self._footers
        )
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_size = 0

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._file.written

    def add(self, rows: pa.RecordBatch) -> None:
        self._waiting.append(rows)
        self._waiting_size += rows.nbytes
        if self._waiting_size >= GROUP_SIZE:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.Table.from_batches(self._waiting, self._schema))
            self._waiting, self._waiting_size = [], 0

    def close(self) -> TableFile:
        self._flush()
        self._writer.close()
        self._ending.close()
        [footer] = self._footers
        return TableFile(
            self.name, self._file.written, footer.num_rows, self._values, file_statistics(footer)
        )

    def abandon(self) -> None:
        # From here on nothing is written, or the disk that was full would be so once more.
        self._file.abandon()
        with suppress(OSError, RuntimeError):
            self._writer.close()
        self._ending.pop_all()


class _Counted:
    """A file that knows how much was written to it, wherever it lies."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.written = 0
        #: pyarrow asks.
        self.closed = False
        self._is_abandoned = False

    def write(self, data: Any) -> int:
        if self._is_abandoned:
            return len(data)
        self._file.write(data)
        self.written += len(data)
        return len(data)

    def tell(self) -> int:
        return self.written

    def flush(self) -> None:
        """All of it is synced at the end, at once."""

    def close(self) -> None:
        """Left to whoever opened it."""

    def abandon(self) -> None:
        self._is_abandoned = True
        # What waits in its buffer finds no more room than what was written before.
        with suppress(OSError):
            self._file.close()
