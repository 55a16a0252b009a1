"""A queue as a stream: Spark's verbs, carried out on a reader that is held.

All but `read` run in one process beside Spark's driver, the planner; `read` runs in executors, with the
options alone.

**What is committed when.** Spark asks for the latest offset only after the batch before it is done and
written down as done, and gives that batch's end as the start: so `latestOffset` commits its start, and the
last batch of an idle query is committed at the next look. With long triggers that would be late: then the
listener (acking.py) comes through the door first. `commit`, which Spark calls a batch later, remains as the
backup.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.datasource import DataSourceStreamReader
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadMaxBytes,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)

from penstock.clock import SystemClock
from penstock.errors import CheckpointMismatch, NotConnected, StoreFull
from penstock.pipelines.source.ahead import Ahead
from penstock.pipelines.source.door import Door
from penstock.pipelines.source.hold import Hold
from penstock.pipelines.source.offset import DOOR, offset_at, position_in
from penstock.pipelines.source.origin import open_origin
from penstock.pipelines.source.partition import Range, split
from penstock.pipelines.source.patience import Patience
from penstock.pipelines.source.reading import read_range
from penstock.pipelines.source.seam import plainly

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql.datasource import InputPartition
    from pyspark.sql.streaming.datasource import ReadLimit

    from penstock.pipelines.options import SourceOptions

__all__ = ["MAX_BYTES", "MAX_ROWS", "QueueStream"]

#: Rows of a batch, if nobody says how many: a million of 1 KB would be a gigabyte on its way.
MAX_ROWS: Final = 200_000
#: Bytes of a batch, likewise; larger bodies make smaller batches.
MAX_BYTES: Final = 256 * 1024 * 1024
#: Seconds between two questions how much waits.
LAG_IN: Final = 1.0
#: What a new checkpoint asks for: Spark's own list of files would take new batches for old ones.
NEW_FOLDER: Final = "and with a new folder, if Spark's own file sink writes there"


class QueueStream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Pickled for executors before it is used, when it is only its options."""

    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._hold: Hold | None = None
        self._ahead: Ahead | None = None
        self._door: Door | None = None
        self._clock = SystemClock()
        #: Where a query that takes what is available now ends.
        self._target: int | None = None
        self._reported: tuple[float, int] = (0.0, 0)
        self._patience = Patience(self._clock)
        #: The last position planned.
        self._end = 0

    def __repr__(self) -> str:
        return f"<QueueStream {self._options}, {self._hold}>"

    # The planner

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 (Spark's names, here and below)
        with plainly():
            return offset_at(self._options, self._held().opened.committed)

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        options = self._options
        if options.max_rows is None and options.max_bytes is not None:
            return ReadMaxBytes(options.max_bytes)
        return ReadMaxRows(options.max_rows or MAX_ROWS)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        with plainly():
            hold = self._held()
            state = hold.taking.open()
            self._target = state.taken + state.waiting

    def latestOffset(self, start: Mapping[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        with plainly():
            self._held().check()
            position = self._position(start)
            self._end = max(self._reached(position, limit), position)
            return offset_at(self._options, self._end)

    def _reached(self, position: int, limit: ReadLimit) -> int:
        """Where the next batch ends, behind a position; there if nothing has come, or nobody can tell now.

        A query that takes what is available now would end there, with all that it was to do left undone: so
        it waits here until its broker is back.
        """
        while True:
            try:
                end = self._taken(position, limit)
            except NotConnected as error:
                self._patience.lose(error)
                if self._target is None:
                    return position
            else:
                self._patience.renew()
                return end

    def _taken(self, position: int, limit: ReadLimit) -> int:
        assert self._ahead is not None  # noqa: S101 (held)
        self._ahead.commit(position)
        end = self._ahead.take(position, *self._limits(limit), self._target)
        if end <= position:
            # A query that takes what is available now ends here, and the planner is killed.
            with suppress(StoreFull):  # as below
                self._held().taking.commit(position)
        return end

    def reportLatestOffset(self) -> dict[str, Any] | None:  # noqa: N802
        """Where the queue ends now; the door goes along, since this is told to listeners and kept nowhere."""
        with plainly():
            hold = self._held()
            now = self._clock.now()
            if now - self._reported[0] > LAG_IN:
                with suppress(NotConnected):  # `latestOffset` says so
                    state = hold.taking.open()
                    self._reported = (now, state.waiting + state.taken)
            reported = offset_at(self._options, max(self._reported[1], self._end))
            return reported | {DOOR: self._door.path if self._door is not None else ""}

    def partitions(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> Sequence[InputPartition]:
        with plainly():
            first, last = self._position(start), self._position(end)
            gone = self._held().opened.committed
            if first < gone and first < last:
                raise CheckpointMismatch(
                    f"{self._name} is done with everything up to position {gone}, and the checkpoint wants"
                    f" what is behind {first}: it is too old. Begin with a new one, which gets what is left"
                    f"; {NEW_FOLDER}."
                )
            return split(first, last, self._options.partitions)

    def commit(self, end: Mapping[str, Any]) -> None:
        # A broker that is away is no reason to fail, nor a disk that is full for the moment: `latestOffset`
        # commits what is behind this, too.
        with plainly(), suppress(NotConnected, StoreFull):
            self._held().taking.commit(self._position(end))

    def stop(self) -> None:
        if self._door is not None:
            self._door.close()
        if self._ahead is not None:
            self._ahead.close()
        if self._hold is not None:
            self._hold.release()

    @property
    def _name(self) -> str:
        return f"reader {self._options.reader!r} of queue {self._options.queue!r}"

    def _held(self) -> Hold:
        if self._hold is None:
            self._hold = Hold(open_origin(self._options))
            self._ahead = Ahead(self._hold.taking)
            self._door = Door(self._hold.taking.commit)
        return self._hold

    def _position(self, offset: Mapping[str, Any]) -> int:
        position = position_in(self._options, offset)
        if position > max(self._held().opened.taken, self._end):
            raise CheckpointMismatch(
                f"the checkpoint is at position {position}, and {self._name} has given no more than"
                f" {self._held().opened.taken}: it was deleted, or its broker or spool has lost its data."
                f" Begin with a new checkpoint; {NEW_FOLDER}."
            )
        return position

    def _limits(self, limit: ReadLimit) -> tuple[int, int]:
        """Rows and bytes. Spark knows one limit at a time; ours holds besides, unless it asks for all."""
        if isinstance(limit, ReadAllAvailable):
            return sys.maxsize, sys.maxsize
        rows = limit.max_rows if isinstance(limit, ReadMaxRows) else sys.maxsize
        size = limit.max_bytes if isinstance(limit, ReadMaxBytes) else sys.maxsize
        return rows, min(size, self._options.max_bytes or MAX_BYTES)

    # Executors

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Range)  # noqa: S101 (of our own making)
        return read_range(self._options, partition)
