"""Operations that wait for their DID's anchor: held in the queue, and released when it is there.

A DID that is created and changed at once is anchored by one batch, and changed by a later one: only when the
first was observed is there an anchor to refer to. Cut again and again, those operations would keep the
executors busy, and others waiting behind them.

A DID whose create came to nothing never gets an anchor. So waits in vain are counted, and when there were too
many the operation is given up. While an anchor of this domain is overdue nothing is counted: it may be the
one that is waited for. Witnesses may be away for long, and the observer may stand still.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from penstock.did.anchoring.did_anchors import anchored_among
from penstock.did.anchoring.in_process import is_any_overdue

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.clock import Clock
    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue import OperationQueue
    from penstock.did.operation_queue.pending import Entry
    from penstock.pipelines.did.writing.outcome import Outcome

__all__ = ["NEVER_ANCHORED", "Holding"]

#: Seconds after which an operation is cut again anyway: by now it may have expired, and is told so.
LONGEST_S: Final = 60.0
#: Seconds after which nobody remembers that it has waited.
FORGOTTEN_S: Final = 20 * LONGEST_S
#: Why an operation is refused whose DID's create came to nothing.
NEVER_ANCHORED: Final = "its DID has no anchor, and has waited for one in vain again and again"


class Holding:
    """The DIDs that are held, and since when."""

    def __init__(
        self, queue: OperationQueue, database: DomainDatabase, clock: Clock, *, max_waits: int
    ) -> None:
        self._queue = queue
        self._database = database
        self._clock = clock
        self._max_waits = max_waits
        self._since: dict[str, float] = {}
        #: How often each has waited in vain, and when it did last.
        self._waited: dict[str, tuple[int, float]] = {}

    def __repr__(self) -> str:
        return f"<Holding {len(self._since)} DIDs>"

    def hold(self, suffixes: Iterable[str]) -> None:
        """Let their operations wait."""
        now = self._clock.now()
        self._since |= dict.fromkeys(suffixes, now)
        self._queue.hold(self._since)

    def give_up(self, operations: Sequence[Entry], outcome: Outcome) -> Outcome:
        """What an executor has made of these operations, but those that have waited too often are refused.

        Should one of their DIDs come again, it begins anew.
        """
        given_up = {each for each in outcome.unanchored if self._times(each) > self._max_waits}
        if not given_up:
            return outcome
        for suffix in given_up:
            del self._waited[suffix]
        deferred = set(outcome.deferred)
        theirs = (each.id for each in operations if each.suffix in given_up)
        late = {each: NEVER_ANCHORED for each in theirs if each in deferred}
        return replace(
            outcome,
            deferred=[each for each in outcome.deferred if each not in late],
            refused={**outcome.refused, **late},
            unanchored=[each for each in outcome.unanchored if each not in given_up],
        )

    async def look(self) -> None:
        """Release those that have an anchor now, or have waited long.

        Raises:
            StoreError: the database is away; they wait on.
        """
        if not self._since:
            return
        long_ago = self._clock.now() - LONGEST_S
        anchored = await self._database.ask(anchored_among, list(self._since))
        in_vain = [
            suffix for suffix, since in self._since.items() if since <= long_ago and suffix not in anchored
        ]
        if in_vain and not await self._database.ask(is_any_overdue, long_ago):
            self._count(in_vain)
        for suffix in anchored:
            self._waited.pop(suffix, None)
        if released := [*anchored, *in_vain]:
            for suffix in released:
                self._since.pop(suffix, None)
            self._queue.release(released)

    def _count(self, suffixes: Iterable[str]) -> None:
        now = self._clock.now()
        # Who has not come back for so long does not wait any more: its operation has expired.
        kept = {each: told for each, told in self._waited.items() if told[1] > now - FORGOTTEN_S}
        self._waited = kept | {each: (self._times(each) + 1, now) for each in suffixes}

    def _times(self, suffix: str) -> int:
        return self._waited.get(suffix, (0, 0.0))[0]
