"""The hold of a reader: opened, leased, and kept from others for as long as the planner lives.

A lease that is not renewed runs out, so a query that begins after a crash waits that long, on the same
machine not at all; one that is renewed belongs to a query that runs, and the second is refused.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final

from penstock.clock import SystemClock
from penstock.errors import NotConnected, PenstockError, ReaderInUse
from penstock.pipelines.source.holder import is_alive, this_process

if TYPE_CHECKING:
    from penstock.client.reader import ReaderState
    from penstock.pipelines.source.taking import Taking

__all__ = ["LEASE_IN", "Hold"]

log = logging.getLogger(__name__)

#: Seconds that a lease lasts, and after which it is renewed.
LEASE_IN: Final = 10.0
RENEW_IN: Final = 3.0
#: Seconds between two attempts to get one.
RETRY_IN: Final = 0.2
#: Seconds that a query which was stopped may take to end.
ENDING_IN: Final = 2.0


class Hold:
    """A taking that is ours until `release`."""

    def __init__(self, taking: Taking, *, lease: float = LEASE_IN) -> None:
        """Wait for the lease.

        Raises:
            ReaderInUse: another query that runs has it.
            UnknownQueue, LoginRefused, NotPermitted, NotConnected: as of `Taking.open`.
        """
        self.taking = taking
        self.holder = this_process()
        self._lease = lease
        self._over = threading.Event()
        self._failure: PenstockError | None = None
        self._clock = SystemClock()
        self.opened: Final[ReaderState] = self._acquire()
        self._thread = threading.Thread(target=self._renew, name="penstock lease", daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"<Hold of {self.taking} by {self.holder}>"

    def _acquire(self) -> ReaderState:
        first: ReaderInUse | None = None
        begun = self._clock.now()
        while True:
            try:
                self.taking.open()
                self.taking.lease(self.holder, self._lease)
                # Only now nobody else moves it on.
                return self.taking.open()
            except ReaderInUse as error:
                first = first or error
                if is_alive(error.holder) is False:
                    self.taking.lease(error.holder, 0)  # the dead let go of nothing
                    continue
                # Whoever renews lives; so does one of this machine that is there for longer than an ending
                # takes.
                is_renewed = error.holder == first.holder and error.until > first.until
                patience = ENDING_IN if is_alive(error.holder) else self._lease + RENEW_IN
                if is_renewed or self._clock.now() - begun > patience:
                    raise
            self._over.wait(RETRY_IN)

    def check(self) -> None:
        """Raise what has become of the lease, if it is lost."""
        if self._failure is not None:
            raise self._failure

    def release(self) -> None:
        """Let the next one begin at once."""
        self._over.set()
        self._thread.join()
        try:
            self.taking.lease(self.holder, 0)
        except PenstockError as error:
            log.info("%s: not released, it will run out: %s", self, error)
        self.taking.close()

    def _renew(self) -> None:
        while not self._over.wait(self._lease * RENEW_IN / LEASE_IN):
            try:
                self.taking.lease(self.holder, self._lease)
            except NotConnected as error:
                log.warning("%s: cannot be renewed: %s", self, error)
            except PenstockError as error:
                self._failure = error
                return
