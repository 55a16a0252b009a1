"""The heart of an instance: says that it lives, at the start and every so often."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from penstock.clock import sleep
from penstock.did.operation_queue.heartbeat import beat
from penstock.errors import StoreError

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.did.database import DomainDatabase

__all__ = ["Heart"]

_log = logging.getLogger(__name__)


class Heart:
    """Beats between `start` and `stop`. While the database is away it beats in vain, and on."""

    def __init__(self, database: DomainDatabase, *, me: str, clock: Clock, interval: float) -> None:
        """A heart that does not beat yet; `interval` is op-queue-task-monitor-interval, in seconds."""
        self._database = database
        self._me = me
        self._clock = clock
        self._interval = interval
        self._beating: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Beat once, for certain, and then on.

        Raises:
            StoreError: the database cannot be used.
        """
        await self._database.run(beat, self._me, self._clock.now())
        self._beating = asyncio.create_task(self._beat(), name=f"heart of {self._me}")

    async def stop(self) -> None:
        """Beat no more."""
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.wait([self._beating])
            self._beating = None

    async def _beat(self) -> None:
        while True:
            await sleep(self._clock, self._interval)
            try:
                await self._database.run(beat, self._me, self._clock.now())
            except StoreError as exc:
                _log.warning("instance %s cannot say that it lives: %s", self._me, exc)
