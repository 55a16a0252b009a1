"""Writer: group commit. What gathers while the last batch is being written makes the next one.

One thread writes; the loop goes on. Who waits for its messages to be safe is told the number of the
batch they are in, and is called when that batch, and so every one before it, is on disk. Between two
batches, and while there is nothing to write, the thread tidies.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, Protocol

from penstock.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.broker.records import Records
    from penstock.store import Batch, Store

__all__ = ["Waiter", "Writer"]

log = logging.getLogger(__name__)

#: Seconds until a batch that could not be written is tried again.
RETRY_IN: Final = 1.0
#: So many times as long as it took to tidy a little, the thread rests before it goes on; but only while
#: others work here, and so many seconds after.
REST: Final = 8
AT_WORK: Final = 1.0


class Waiter(Protocol):
    """Somebody whose messages have to be on disk before it goes on."""

    def written(self, batch: int) -> None:
        """Everything up to this batch is on disk."""
        ...


class Writer:
    """Writes batches, one after the other."""

    def __init__(self, store: Store, records: Records) -> None:
        self._store = store
        self._records = records
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="penstock-writer")
        self._waiters: defaultdict[int, dict[Waiter, None]] = defaultdict(dict)
        self.written = 0
        self._is_writing = False
        self._is_tidying = False
        self._is_closing = False
        #: When the last batch was written, and the last tidying begun, on the loop's clock.
        self._wrote_at = self._tidying_at = 0.0
        self._rest: asyncio.TimerHandle | None = None
        #: What is wrong with the store, if something is, and the batch that waits to be tried again.
        self.trouble: StoreError | None = None
        self._retry: tuple[asyncio.TimerHandle, Batch] | None = None
        #: Set while somebody waits for the last batch.
        self._last: asyncio.Future[None] | None = None
        #: Called with what is wrong with the store, and with None when it is well again.
        self.on_trouble: Callable[[StoreError | None], None] = lambda _error: None
        #: Called when waiters have been told: they may have something to send.
        self.on_told: Callable[[], None] = lambda: None

    def __repr__(self) -> str:
        state = "in trouble" if self.trouble else "writing" if self._is_writing else "idle"
        return f"<Writer {state}, {self.written} written>"

    def after_write(self, waiter: Waiter) -> int:
        """Call the waiter when what has been gathered up to now is on disk; the batch's number."""
        number = self._records.batch.number
        self._waiters[number][waiter] = None
        return number

    def start(self) -> None:
        """Write what has gathered, unless a batch is being written: then it follows by itself."""
        if self._is_writing:
            return
        batch = self._records.gather(anyway=bool(self._waiters))
        if batch is None:
            return
        if not batch:
            # Whatever came has gone again.
            self._done(batch.number)
            return
        self._is_writing = True
        self._write(batch)

    def _write(self, batch: Batch) -> None:
        self._retry = None
        future = asyncio.get_running_loop().run_in_executor(self._thread, self._store.write, batch)
        future.add_done_callback(lambda done: self._wrote(done, batch))

    def _wrote(self, done: asyncio.Future[None], batch: Batch) -> None:
        error = done.exception()
        if error is not None:
            self._failed(error, batch)
            return
        self._is_writing = False
        self._wrote_at = asyncio.get_running_loop().time()
        self._report(None)
        self._done(batch.number)
        self._tidy()
        self.start()
        if self._last is not None and not self._is_writing:
            self._last.set_result(None)

    def _failed(self, error: BaseException, batch: Batch) -> None:
        """Nothing of it was written and nobody was told it was: try until it can be, or we close."""
        log.error("batch %d cannot be written: %s", batch.number, error)
        self._report(error if isinstance(error, StoreError) else StoreError(str(error)))
        if self._last is not None:
            log.error("giving up what is left: nobody was told that it is safe")
            self._last.set_result(None)
            return
        timer = asyncio.get_running_loop().call_later(RETRY_IN, self._write, batch)
        self._retry = timer, batch

    def _report(self, error: StoreError | None) -> None:
        if error is not self.trouble:
            self.trouble = error
            self.on_trouble(error)

    def _done(self, number: int) -> None:
        self.written = number
        self._records.written(number)
        waiters = self._waiters.pop(number, None)
        if waiters:
            for waiter in waiters:
                waiter.written(number)
            self.on_told()

    # What can wait

    def _tidy(self) -> None:
        if self._is_tidying or self._is_closing:
            return
        if self._rest is not None:
            self._rest.cancel()
        self._is_tidying = True
        loop = asyncio.get_running_loop()
        self._tidying_at = loop.time()
        future = loop.run_in_executor(self._thread, self._store.tidy)
        future.add_done_callback(self._tidied)

    def _tidied(self, done: asyncio.Future[bool]) -> None:
        self._is_tidying = False
        error = done.exception()
        if error is not None:
            log.warning("the store could not be tidied: %s", error)
        elif done.result() and not self._is_writing:
            loop = asyncio.get_running_loop()
            if loop.time() - self._wrote_at < AT_WORK:
                took = loop.time() - self._tidying_at
                self._rest = loop.call_later(REST * took, self._tidy)
            else:
                self._tidy()

    # The end

    async def close(self) -> None:
        """Write what is left, and stop; what the disk will not take is given up."""
        self.start()
        # A store that has more to tidy does so when it is opened again.
        self._is_closing = True
        if self._rest is not None:
            self._rest.cancel()
        if self._is_writing:
            self._last = asyncio.get_running_loop().create_future()
            if self._retry is not None:
                timer, batch = self._retry
                timer.cancel()
                self._write(batch)
            await self._last
        self._thread.shutdown()
