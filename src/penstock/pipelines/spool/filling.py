"""Filling a spool: a thread brings what a broker delivers to disk, and acknowledges it there.

It runs ahead of whoever takes from the spool, as far as `AHEAD` goes; then the rest waits in the queue.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final

from penstock.clock import SystemClock
from penstock.errors import NotConnected, StoreFull

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.pipelines.spool.feed import Feed
    from penstock.pipelines.spool.lot import Lot
    from penstock.pipelines.spool.spool import Spool

__all__ = ["Filling"]

log = logging.getLogger(__name__)

#: Messages, and bytes, that may wait in the spool; two batches always may.
AHEAD: Final = 500_000
AHEAD_SIZE: Final = 2 * 1024 * 1024 * 1024
#: Seconds between two looks at a full disk.
FULL_IN: Final = 1.0
#: Seconds after which the thread looks whether it is to end.
LOOK_IN: Final = 0.2


class Filling:
    """A spool that fills from `start` and `fill` to `close`. What it tells may be asked by any thread."""

    def __init__(
        self, spool: Spool, feed: Callable[[], Feed], *, max_rows: int = 0, max_bytes: int = 0
    ) -> None:
        """Nothing comes yet; `feed` is called when it starts, the limits are those of a batch, if any."""
        self._spool = spool
        self._max_rows = max_rows
        self._max_bytes = max_bytes
        self._make_feed = feed
        self._feed: Feed | None = None
        self._thread: threading.Thread | None = None
        self._over = threading.Event()
        self._changed = threading.Condition()
        #: Why nothing comes: for good if the thread has ended, else at the moment.
        self._failure: Exception | None = None
        self._clock = SystemClock()

    def __repr__(self) -> str:
        return f"<Filling of {self._spool}>"

    @property
    def is_started(self) -> bool:
        return self._feed is not None

    def start(self) -> int:
        """Have messages come, and bring none to disk yet; how many wait in the queue."""
        self._feed = self._make_feed()
        return self._feed.waited

    def fill(self) -> None:
        """Bring what comes to disk, from now on; a second time nothing happens."""
        if self._thread is None and self._feed is not None:
            run = threading.Thread(target=self._run, args=(self._feed,), name="penstock spool", daemon=True)
            self._thread = run
            run.start()

    def close(self) -> None:
        """End, and hang up."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        if self._feed is not None:
            self._feed.close()

    # What it tells

    @property
    def is_ahead(self) -> bool:
        """Whether the rest waits in the queue. Two batches fit: one is taken while the other is worked on."""
        waiting = self._spool.taken - self._spool.committed
        most, most_bytes = max(AHEAD, 2 * self._max_rows), max(AHEAD_SIZE, 2 * self._max_bytes)
        return waiting >= most or self._spool.size >= most_bytes

    def left(self) -> int:
        """How many messages the broker has for it, besides.

        Raises:
            NotConnected: it is away.
        """
        return self._feed.left() if self._feed is not None else 0

    def demand(self) -> None:
        """Raise why nothing comes, if that is known."""
        failure = self._failure  # a broker that comes back takes it away
        if failure is not None:
            raise failure

    def wait(self, seconds: float) -> None:
        """Until something has come or gone, or fails."""
        with self._changed:
            self._changed.wait(seconds)

    def wait_beyond(self, position: int, seconds: float, *, or_failure: bool = False) -> bool:
        """Until there is something beyond a position; or, if that is asked, until it is known why not.

        Returns:
            Whether that was within the time.
        """

        def has_come() -> bool:
            return self._spool.taken > position or (or_failure and self._failure is not None)

        with self._changed:
            return self._changed.wait_for(has_come, seconds)

    def tell(self) -> None:
        """Have everybody look who waits."""
        with self._changed:
            self._changed.notify_all()

    # The thread

    def _run(self, feed: Feed) -> None:
        try:
            while not self._over.is_set():
                if self.is_ahead:
                    self.wait(LOOK_IN)
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
        self.tell()

    def _keep(self, feed: Feed, lot: Lot) -> None:
        while not self._over.is_set():
            try:
                self._spool.append(lot, self._clock.now())
            except StoreFull as error:
                log.warning("%s, and is tried again: %s", self, error)
                self._over.wait(FULL_IN)
                continue
            feed.ack(lot)
            self.tell()
            return
