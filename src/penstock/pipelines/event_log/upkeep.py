"""Upkeep: a log that is filled for months is tidied by itself, every so often."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing import Self

    from penstock.clock import Clock
    from penstock.pipelines.event_log.log import EventLog

__all__ = ["Upkeep"]

log = logging.getLogger(__name__)

#: Seconds that are waited for a tidying that is under way; what it has not committed is as if never begun.
GRACE_S: Final = 30.0


class Upkeep:
    """`with Upkeep(…)`: on a thread of its own, until the block ends."""

    def __init__(
        self, kept: EventLog, *, every: float, keep: float | None, keep_files: float, clock: Clock
    ) -> None:
        """Nothing begins yet.

        Args:
            kept: The log.
            every: Seconds from one tidying to the next; 0 is never.
            keep, keep_files: As of `EventLog.tend`.
            clock: Tells the time.
        """
        self._kept = kept
        self._every = every
        self._keep = keep
        self._keep_files = keep_files
        self._clock = clock
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="penstock upkeep", daemon=True)

    def __repr__(self) -> str:
        return f"<Upkeep of {self._kept.path}, every {self._every:g} s>"

    def __enter__(self) -> Self:
        if self._every:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._every:
            self._thread.join(GRACE_S)

    def _run(self) -> None:
        while not self._over.wait(self._every):
            self.tidy()

    def tidy(self) -> None:
        """Tidy it now. What goes wrong is told, and tried again next time: the log is filled meanwhile."""
        try:
            done = self._kept.tend(now=self._clock.now(), keep=self._keep, keep_files=self._keep_files)
        except Exception as error:  # noqa: BLE001 (whatever it is, filling goes on)
            log.warning("the event log is tidied later", extra={"log": self._kept.path, "reason": str(error)})
            return
        for table, tended in done.items():
            log.info("tidied", extra={"log": self._kept.path, "table": table, "done": str(tended)})
