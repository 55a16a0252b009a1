"""The database expiry service: deletes what has expired, some rows at a time, until none is left.

Whoever keeps rows that expire registers how they are deleted; the task manager runs it as a task.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from penstock.did.tasks.task import Task

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Connection

    from penstock.clock import Clock
    from penstock.did.database import DomainDatabase

    #: Deletes up to so many rows that have expired by now, and returns how many it has deleted.
    Sweep = Callable[[Connection, float, int], int]

__all__ = ["BATCH", "DATA_EXPIRY", "ExpiryService"]

#: The task's name at the task manager.
DATA_EXPIRY: Final = "data-expiry"
#: Rows that are deleted in one transaction: an unbounded one holds everybody up (orb#1549).
BATCH: Final = 5000

_log = logging.getLogger(__name__)


class ExpiryService:
    """Deletes expired rows of all that is registered."""

    def __init__(self, database: DomainDatabase, *, clock: Clock, batch: int = BATCH) -> None:
        self._database = database
        self._clock = clock
        self._batch = batch
        self._sweeps: dict[str, Sweep] = {}

    def register(self, name: str, sweep: Sweep) -> None:
        """Have rows deleted that have expired; the name is for the log."""
        self._sweeps[name] = sweep

    def task(self, interval: float) -> Task:
        """The service as a task; `interval` is data-expiry-check-interval, in seconds."""
        return Task(DATA_EXPIRY, interval, self.run)

    async def run(self) -> dict[str, int]:
        """Delete all that has expired; returns how many rows of each.

        Raises:
            StoreError: the database is away; the next run goes on.
        """
        return {name: await self._sweep(name, sweep) for name, sweep in self._sweeps.items()}

    async def _sweep(self, name: str, sweep: Sweep) -> int:
        total = 0
        while True:
            gone = await self._database.run(sweep, self._clock.now(), self._batch)
            total += gone
            if gone < self._batch:
                break
        if total:
            _log.info("%d expired rows of %s are deleted", total, name)
        return total
