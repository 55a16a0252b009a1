"""A queue of any AMQP broker, by a spool that all executors see.

While the lease is held, a thread brings what the broker delivers to disk and acknowledges it there. It runs
ahead of Spark, as far as `AHEAD` goes; then the rest waits in the queue.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any, Final

from penstock.client.reader import ReaderState
from penstock.clock import SystemClock
from penstock.errors import PenstockError, StoreFull
from penstock.pipelines.spool import spool as spools
from penstock.wire.arrow import friendly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from penstock.pipelines.spool.feed import Fed, Feed

__all__ = ["SpoolTaking"]

log = logging.getLogger(__name__)

#: Messages that may wait in the spool.
AHEAD: Final = 500_000
#: Seconds between two looks at a full disk.
FULL_IN: Final = 1.0
#: Seconds after which the thread looks whether it is to end.
LOOK_IN: Final = 0.2
#: Seconds that a wait for messages may last before the broker is asked whether there are any.
ASK_IN: Final = 0.1


class SpoolTaking:
    """Positions are given here, and what was taken is kept here."""

    def __init__(self, folder: Path, feed: Callable[[], Feed[Any]]) -> None:
        """`feed` is called when the lease is had."""
        self._spool = spools.Spool(folder)
        self._make_feed = feed
        self._feed: Feed[Any] | None = None
        self._thread: threading.Thread | None = None
        self._over = threading.Event()
        self._changed = threading.Condition()
        self._failure: PenstockError | None = None
        #: The last position of what waited in the queue at the beginning.
        self._expected = 0
        self._clock = SystemClock()

    def __repr__(self) -> str:
        return f"<SpoolTaking {self._spool}>"

    def open(self) -> ReaderState:
        waiting = self._feed.left() if self._feed is not None else 0
        committed = spools.committed_in(self._spool.folder)
        return ReaderState(
            committed=committed, taken=max(self._spool.taken, committed), waiting=waiting, oldest_at=None
        )

    def lease(self, holder: str, seconds: float) -> None:
        if self._thread is None and seconds:
            self._spool.lock(holder)
            self._feed = self._make_feed()
            self._expected = min(self._spool.taken + self._feed.left(), self._spool.committed + AHEAD)
            self._thread = threading.Thread(
                target=self._run, args=(self._feed,), name="penstock spool", daemon=True
            )
            self._thread.start()

    def take(self, after: int, rows: int, size: int, target: int | None = None) -> int:
        if target is not None:
            rows = min(rows, target - after)
        if rows <= 0:
            return after
        if target is not None and self._spool.taken <= after:
            self._wait_for(after + 1)
        elif self._expected > self._spool.taken:
            # Who looks once an hour expects to find what waited when the query began.
            self._wait_for(min(self._expected, after + rows))
            self._expected = 0
        if self._failure is not None:
            raise self._failure
        return self._spool.reach(after, rows, size)

    def _wait_for(self, position: int) -> None:
        """Until there is something, or the broker has nothing; it says so twice: one may be on its way."""
        empty = 0
        while self._failure is None and self._spool.taken < position and empty < 2:  # noqa: PLR2004
            with self._changed:
                self._changed.wait(ASK_IN)
            if self._feed is None or self._feed.left() == 0:
                empty += 1

    def read(self, start: int, end: int, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        for batch in spools.read(self._spool.folder, start, end):
            yield friendly(batch, columns)

    def commit(self, position: int) -> None:
        if position > self._spool.committed:
            self._spool.commit(position)
            with self._changed:
                self._changed.notify_all()

    def close(self) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        if self._feed is not None:
            self._feed.close()
        self._spool.close()

    # The thread

    def _run(self, feed: Feed[Any]) -> None:
        try:
            while not self._over.is_set():
                if self._spool.taken - self._spool.committed >= AHEAD:
                    with self._changed:
                        self._changed.wait(LOOK_IN)
                elif messages := feed.next(LOOK_IN):
                    self._keep(feed, messages)
        except PenstockError as error:
            log.exception("%s: nothing more is spooled", self)
            self._failure = error

    def _keep(self, feed: Feed[Any], messages: Sequence[Fed]) -> None:
        while not self._over.is_set():
            try:
                self._spool.append(messages, self._clock.now())
            except StoreFull as error:
                log.warning("%s, and is tried again: %s", self, error)
                self._over.wait(FULL_IN)
                continue
            feed.ack(messages)
            with self._changed:
                self._changed.notify_all()
            return
