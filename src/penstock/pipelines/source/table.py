"""A queue as a table that is read once: what the reader holds, and what waits, up to a limit.

Spark's batch readers have no commit, so reading commits nothing: the rows stay the reader's, and a second
action reads them again. Whoever wants them gone when the work is done uses `drain`.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceReader

from penstock.pipelines.options import SourceOptions
from penstock.pipelines.source.hold import Hold
from penstock.pipelines.source.origin import open_origin
from penstock.pipelines.source.partition import Range, split
from penstock.pipelines.source.reading import read_range
from penstock.pipelines.source.seam import plainly
from penstock.pipelines.source.stream import MAX_BYTES, MAX_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.datasource import InputPartition

__all__ = ["QueueTable", "drain"]


class QueueTable(DataSourceReader):
    """One reading of a queue."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options

    def __repr__(self) -> str:
        return f"<QueueTable {self._options}>"

    def partitions(self) -> Sequence[InputPartition]:
        options = self._options
        with plainly():
            if options.start is not None and options.end is not None:
                start, end = options.start, options.end
            else:
                hold = Hold(open_origin(options))
                try:
                    start, end = hold.opened.committed, take_what_waits(hold, options)
                finally:
                    hold.release()
            return split(start, end, options.partitions) or [Range(end, end)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Range)  # noqa: S101 (of our own making)
        if partition.start == partition.end:
            return iter(())
        return read_range(self._options, partition)


def take_what_waits(hold: Hold, options: SourceOptions) -> int:
    """Take what waits now, up to the limits; the last position."""
    state = hold.taking.open()
    target = min(state.taken + state.waiting, state.committed + (options.max_rows or MAX_ROWS))
    size = options.max_bytes or MAX_BYTES
    position = state.committed
    while (end := hold.taking.take(position, sys.maxsize, size, target)) > position:
        position = end
        if options.max_bytes is not None and end > state.taken:
            break  # a limit of bytes is one taking's
    return position


@contextmanager
def drain(spark: SparkSession, **options: Any) -> Iterator[DataFrame]:
    """What waits in a queue now, as a table; it is gone once the block ends without an error.

        with drain(spark, url=url, queue="orders", reader="nightly", max_rows=100_000) as orders:
            orders.write.parquet("/data/orders")

    Raises:
        UnknownSetting, BadSetting: an option that cannot be.
        ReaderInUse: a query that runs has this reader.
        UnknownQueue, LoginRefused, NotPermitted, NotConnected: as of `Taking.open`.
    """
    texts = {name: str(value) for name, value in options.items()}
    read = SourceOptions.read(texts)
    hold = Hold(open_origin(read))
    try:
        start, end = hold.opened.committed, take_what_waits(hold, read)
        frame = spark.read.format("penstock").options(**texts, start=start, end=end).load()
        yield frame
        hold.check()
        hold.taking.commit(end)
    finally:
        hold.release()
