"""A queue of any AMQP broker or beanstalk server, by a spool that all executors see.

While the lease is held, the spool fills (spool/filling.py), from when it is first taken from: by then it is
known that the checkpoint is of this spool. A new one would soon be as far as an old checkpoint. How long a
batch is waited for is said in flood.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.client.reader import ReaderState
from penstock.pipelines.source.flood import Flood
from penstock.pipelines.source.taking import IDLE_IN
from penstock.pipelines.spool.filling import Filling
from penstock.pipelines.spool.mark import committed_in
from penstock.pipelines.spool.reading import read
from penstock.pipelines.spool.spool import Spool
from penstock.wire.arrow import friendly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from penstock.pipelines.spool.feed import Feed

__all__ = ["SpoolTaking"]

#: Seconds that a wait for messages may last before the broker is asked whether there are any, and how often
#: it must have said that there are none: one may be on its way.
ASK_IN: Final = 0.1
ASKED: Final = 2


class SpoolTaking:
    """Positions are given here, and what was taken is kept here."""

    def __init__(
        self,
        folder: Path,
        feed: Callable[[], Feed],
        *,
        max_rows: int | None = None,
        max_bytes: int | None = None,
    ) -> None:
        """`feed` is called when the lease is had; the limits are those of a batch, if there are any."""
        self._spool = Spool(folder)
        self._filling = Filling(self._spool, feed, max_rows=max_rows or 0, max_bytes=max_bytes or 0)
        self._flood = Flood(self._spool, self._filling)
        #: The last position of what waited in the queue at the beginning.
        self._expected = 0

    def __repr__(self) -> str:
        return f"<SpoolTaking {self._spool}>"

    def open(self) -> ReaderState:
        committed = committed_in(self._spool.folder)
        taken = max(self._spool.taken, committed)
        waiting = max(self._filling.left(), self._expected - taken)
        return ReaderState(committed=committed, taken=taken, waiting=waiting, oldest_at=None)

    def lease(self, holder: str, seconds: float) -> None:
        if seconds and not self._filling.is_started:
            self._spool.lock(holder)
            self._expected = self._spool.taken + self._filling.start()

    def take(self, after: int, rows: int, size: int, target: int | None = None) -> int:
        if target is not None:
            rows = min(rows, target - after)
        if rows <= 0:
            return after
        self._filling.fill()
        if self._expected > self._spool.taken:
            # Who looks once an hour, or once, expects to find what waited when the query began.
            self._wait_for(min(self._expected, after + rows), after)
            self._expected = 0
        elif self._spool.taken <= after and target is None:
            self._filling.wait_beyond(after, IDLE_IN, or_failure=True)
        elif self._spool.taken <= after:
            self._wait_for(after + 1, after)
        self._flood.gather(after, rows, size)
        end = self._spool.reach(after, rows, size)
        if end <= after:
            self._filling.demand()
        return end

    def _wait_for(self, position: int, after: int) -> None:
        """Until there is something, or the broker has nothing."""
        empty = 0
        while self._spool.taken < position and empty < ASKED:
            if self._filling.is_ahead and self._spool.taken > after:
                return
            self._filling.wait(ASK_IN)
            # One who is told that there is nothing may be done, with the rest left at a broker that is away.
            self._filling.demand()
            if self._filling.left() == 0:
                empty += 1

    def read(self, start: int, end: int, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        for batch in read(self._spool.folder, start, end):
            yield friendly(batch, columns)

    def commit(self, position: int) -> None:
        if position > self._spool.committed:
            self._spool.commit(position)
            self._filling.tell()

    def close(self) -> None:
        self._filling.close()
        self._spool.close()
