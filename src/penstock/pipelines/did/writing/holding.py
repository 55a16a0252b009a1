"""Operations that wait for their DID's anchor: held in the queue, and released when it is there.

A DID that is created and changed at once is anchored by one batch, and changed by a later one: only when the
first was observed is there an anchor to refer to. Cut again and again, those operations would keep the
executors busy, and others waiting behind them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.did.anchoring.did_anchors import anchored_among

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.clock import Clock
    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue import OperationQueue

__all__ = ["Holding"]

#: Seconds after which an operation is cut again anyway: by now it may have expired, and is told so.
LONGEST_S: Final = 60.0


class Holding:
    """The DIDs that are held, and since when."""

    def __init__(self, queue: OperationQueue, database: DomainDatabase, clock: Clock) -> None:
        self._queue = queue
        self._database = database
        self._clock = clock
        self._since: dict[str, float] = {}

    def __repr__(self) -> str:
        return f"<Holding {len(self._since)} DIDs>"

    def hold(self, suffixes: Iterable[str]) -> None:
        """Let their operations wait."""
        now = self._clock.now()
        self._since |= dict.fromkeys(suffixes, now)
        self._queue.hold(self._since)

    async def look(self) -> None:
        """Release those that have an anchor now, or have waited long.

        Raises:
            StoreError: the database is away; they wait on.
        """
        if not self._since:
            return
        long_ago = self._clock.now() - LONGEST_S
        anchored = await self._database.ask(anchored_among, list(self._since))
        released = [
            suffix for suffix, since in self._since.items() if suffix in anchored or since <= long_ago
        ]
        for suffix in released:
            del self._since[suffix]
        if released:
            self._queue.release(released)
