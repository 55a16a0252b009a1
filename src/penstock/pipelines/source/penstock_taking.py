"""A queue of a Penstock broker, by a durable reader of its own."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.client.reader import QueueReader
from penstock.errors import PenstockError
from penstock.pipelines.source.partition import split
from penstock.pipelines.source.taking import IDLE_IN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from penstock.client.reader import ReaderState

__all__ = ["PenstockTaking"]


class PenstockTaking:
    """The broker gives positions and keeps what was taken."""

    def __init__(self, url: str, queue: str, reader: str, partitions: int) -> None:
        self._reader = QueueReader(url, queue, reader)
        self._partitions = partitions
        self._committed = 0
        #: The last position given, as far as is known here; whoever has the lease knows all.
        self._taken = 0

    def __repr__(self) -> str:
        return f"<PenstockTaking {self._reader}, {self._taken - self._committed} taken>"

    def open(self) -> ReaderState:
        state = self._reader.open()
        self._committed, self._taken = state.committed, state.taken
        return state

    def lease(self, holder: str, seconds: float) -> None:
        self._reader.lease(holder, seconds)

    def take(self, after: int, rows: int, size: int, target: int | None = None) -> int:
        if target is not None:
            rows = min(rows, target - after)
        if rows <= 0:
            return after
        if after >= self._taken:
            self._taken = self._reader.take(rows, size, IDLE_IN if target is None else 0.0)
            self._expect(after, min(self._taken, after + rows))
        return min(self._taken, after + rows)

    def _expect(self, start: int, end: int) -> None:
        """Have the broker begin with what executors will ask for; small ranges are there as soon."""
        ranges = split(start, end, self._partitions)
        if len(ranges) > 1:
            with suppress(PenstockError):  # it would only be sooner
                self._reader.expect([(each.start, each.end) for each in ranges])

    def read(self, start: int, end: int, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        return self._reader.read(start, end, columns)

    def commit(self, position: int) -> None:
        # Spark asks a hundred times a second while nothing happens.
        if position > self._committed:
            self._reader.commit(position)
            self._committed = position

    def close(self) -> None:
        self._reader.close()
