"""A queue of any AMQP broker or beanstalk server, by a spool that all executors see.

While the lease is held, a thread brings what the broker delivers to disk and acknowledges it there. It runs
ahead of Spark, as far as `AHEAD` goes; then the rest waits in the queue.

**In a flood batches are gathered.** A batch costs Spark some tenths of a second of a core, whatever is in it,
and broker and spool want the same cores: taken as soon as there are rows, batches would be small, and the
whole slow. So while many messages wait at the broker, the next batch is waited for, as long as they may take
to come: the last of them comes earlier for it. When few do, what is there is given at once. The last part of
a great flood is left to the next batch: it comes while Spark works on this one, and is then soon done with.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final

from penstock.client.reader import ReaderState
from penstock.clock import SystemClock
from penstock.errors import NotConnected, StoreFull
from penstock.pipelines.source.taking import IDLE_IN
from penstock.pipelines.spool.mark import committed_in
from penstock.pipelines.spool.reading import read
from penstock.pipelines.spool.spool import Spool
from penstock.wire.arrow import friendly

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from penstock.pipelines.spool.feed import Feed
    from penstock.pipelines.spool.lot import Lot

__all__ = ["SpoolTaking"]

log = logging.getLogger(__name__)

#: Messages, and bytes, that may wait in the spool; two batches always may.
AHEAD: Final = 500_000
AHEAD_SIZE: Final = 2 * 1024 * 1024 * 1024
#: Messages below which a batch is not a flood's, and nobody asks what is still to come.
FLOOD: Final = 1_000
#: Messages a second that come, if broker and spool do what they can.
PACE: Final = 20_000
#: Seconds that a batch is gathered for at most; with half of it, 200,000 rows took a tenth longer. Seconds
#: for which nothing may come meanwhile, though something should. Seconds after which that is asked: at full
#: speed a lot comes every 40 ms.
GATHER_IN: Final = 4.0
STILL_IN: Final = 0.3
QUIET_IN: Final = 0.05
#: The part that is left to the next batch, and the messages that make it worth one. Measured, Spark works on
#: 160,000 rows for most of a second, in which a fifth as many come.
LAST_PART: Final = 1 / 5
WORTH_A_BATCH: Final = 10_000
#: Seconds between two looks at a full disk.
FULL_IN: Final = 1.0
#: Seconds after which the thread looks whether it is to end.
LOOK_IN: Final = 0.2
#: Seconds that a wait for messages may last before the broker is asked whether there are any.
ASK_IN: Final = 0.1


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
        self._max_rows = max_rows or 0
        self._max_bytes = max_bytes or 0
        self._make_feed = feed
        self._feed: Feed | None = None
        self._thread: threading.Thread | None = None
        self._over = threading.Event()
        self._changed = threading.Condition()
        #: Why nothing comes: for good if the thread has ended, else at the moment.
        self._failure: Exception | None = None
        #: The last position of what waited in the queue at the beginning.
        self._expected = 0
        self._clock = SystemClock()

    def __repr__(self) -> str:
        return f"<SpoolTaking {self._spool}>"

    def open(self) -> ReaderState:
        waiting = self._feed.left() if self._feed is not None else 0
        committed = committed_in(self._spool.folder)
        taken = max(self._spool.taken, committed)
        return ReaderState(
            committed=committed, taken=taken, waiting=max(waiting, self._expected - taken), oldest_at=None
        )

    def lease(self, holder: str, seconds: float) -> None:
        if self._thread is None and seconds:
            self._spool.lock(holder)
            self._feed = self._make_feed()
            self._expected = self._spool.taken + self._feed.waited
            self._thread = threading.Thread(
                target=self._run, args=(self._feed,), name="penstock spool", daemon=True
            )
            self._thread.start()

    def take(self, after: int, rows: int, size: int, target: int | None = None) -> int:
        if target is not None:
            rows = min(rows, target - after)
        if rows <= 0:
            return after
        if self._expected > self._spool.taken:
            # Who looks once an hour, or once, expects to find what waited when the query began.
            self._wait_for(min(self._expected, after + rows), after)
            self._expected = 0
        elif self._spool.taken <= after and target is None:
            self._wait_idly(after)
        elif self._spool.taken <= after:
            self._wait_for(after + 1, after)
        self._gather(after, rows, size)
        end = self._spool.reach(after, rows, size)
        if end <= after:
            self._demand_feed()
        return end

    def _demand_feed(self) -> None:
        """Raise why nothing comes, if that is known."""
        failure = self._failure  # a broker that comes back takes it away
        if failure is not None:
            raise failure

    @property
    def _is_ahead(self) -> bool:
        """Whether the rest waits in the queue. Two batches fit: one is taken while the other is worked on."""
        waiting = self._spool.taken - self._spool.committed
        most, most_bytes = max(AHEAD, 2 * self._max_rows), max(AHEAD_SIZE, 2 * self._max_bytes)
        return waiting >= most or self._spool.size >= most_bytes

    def _wait_for(self, position: int, after: int) -> None:
        """Until there is something, or the broker has nothing; it says so twice: one may be on its way."""
        empty = 0
        while self._spool.taken < position and empty < 2:  # noqa: PLR2004
            if self._is_ahead and self._spool.taken > after:
                return
            with self._changed:
                self._changed.wait(ASK_IN)
            # One who is told that there is nothing may be done, with the rest left at a broker that is away.
            self._demand_feed()
            if self._feed is None or self._feed.left() == 0:
                empty += 1

    def _wait_idly(self, after: int) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._failure is not None or self._spool.taken > after, IDLE_IN)

    def _gather(self, after: int, rows: int, size: int) -> None:
        """In a flood, wait until a batch has enough, or nothing more comes, or it takes too long."""
        if self._spool.taken - after < FLOOD:
            return
        known = self._known()
        last = int(LAST_PART * (known - after))
        if last >= WORTH_A_BATCH:
            rows = min(rows, known - after - last)
        until = self._clock.now() + min((known - self._spool.taken) / PACE, GATHER_IN)
        while not self._is_full(after, rows, size) and self._clock.now() < until:
            if self._spool.taken >= known or not self._grows(QUIET_IN):
                known = self._known()
                if known <= self._spool.taken or not self._grows(STILL_IN):
                    return

    def _known(self) -> int:
        """The last position of what the broker knows of, more or less.

        While messages come, some are on the line and not counted, and some are counted twice: waiting when
        the broker was asked, and in hand when its answer came. So whoever waits for the last one counts again
        when nothing comes; measured, one flood in two was waited for in vain otherwise, for `STILL_IN`.
        """
        taken = self._spool.taken
        return taken + self._left()

    def _left(self) -> int:
        try:
            return self._feed.left() if self._feed is not None else 0
        except NotConnected:
            return 0  # whoever waits for the next message hears of it

    def _grows(self, within: float) -> bool:
        """Wait for something to come, a little; whether it has."""
        taken = self._spool.taken
        with self._changed:
            return self._changed.wait_for(lambda: self._spool.taken > taken, within)

    def _is_full(self, after: int, rows: int, size: int) -> bool:
        taken = self._spool.taken
        end = self._spool.reach(after, rows, size)
        return end < taken or end - after >= rows

    def read(self, start: int, end: int, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        for batch in read(self._spool.folder, start, end):
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

    def _run(self, feed: Feed) -> None:
        try:
            while not self._over.is_set():
                if self._is_ahead:
                    with self._changed:
                        self._changed.wait(LOOK_IN)
                elif lot := self._next(feed):
                    self._keep(feed, lot)
        except Exception as error:
            # Whatever it is, a query that does not hear of it would be idle for ever.
            log.exception("%s: nothing more is spooled", self)
            self._fail(error)

    def _next(self, feed: Feed) -> Lot | None:
        """What has come. Whoever takes hears that the broker is away, and has the patience for it."""
        try:
            lot = feed.next(LOOK_IN)
        except NotConnected as error:
            self._fail(error)
            return None
        self._failure = None
        return lot

    def _fail(self, error: Exception) -> None:
        self._failure = error
        with self._changed:
            self._changed.notify_all()

    def _keep(self, feed: Feed, lot: Lot) -> None:
        while not self._over.is_set():
            try:
                self._spool.append(lot, self._clock.now())
            except StoreFull as error:
                log.warning("%s, and is tried again: %s", self, error)
                self._over.wait(FULL_IN)
                continue
            feed.ack(lot)
            with self._changed:
                self._changed.notify_all()
            return
