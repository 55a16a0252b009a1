"""The desk of the batch writer, on the event loop of the domain: which cuts are to be written, and which are.

Cuts are made ahead, so that the next is there when Spark asks. What Spark has been given stays on the desk
until its files are recorded: if Spark fails on the way, it is given again. Recorded cuts are the finisher's.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.client.backoff import Backoff
from penstock.clock import sleep
from penstock.did.anchoring import recorded_files
from penstock.did.operation_queue.cut_states import CUT
from penstock.errors import CutLost, StoreError
from penstock.pipelines.did.writing.finishing import TRIES, WAITS, End, Finisher
from penstock.pipelines.did.writing.holding import Holding
from penstock.pipelines.did.writing.outcome import failed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence

    from penstock.clock import Clock
    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue import Cut, OperationQueue
    from penstock.pipelines.did.writing.finishing import Anchors
    from penstock.pipelines.did.writing.outcome import Outcome

__all__ = ["Due", "WritingDesk"]

_log = logging.getLogger(__name__)

#: Cuts on the desk or in the finisher's line; no more are made while there are so many.
AHEAD: Final = 16
#: Cuts that a batch of Spark's begins with, at most.
AT_ONCE: Final = 8
#: Seconds between two looks whether a batch is due.
LOOK_S: Final = 0.05
#: Seconds until a batch that seemed to be full is looked at again, at most.
FULL_S: Final = 1.0
#: Seconds that a database is left alone for when it is away.
AWAY_S: Final = 1.0
#: Seconds between two looks for cuts that were adopted from others, at most.
REOPEN_S: Final = 5.0
#: Seconds between two looks whether operations that are held may go.
HELD_S: Final = 0.5
#: Seconds that somebody who asks for cuts may wait for one. A query that stops waits as long.
PATIENCE_S: Final = 0.5


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """What Spark is told: the cuts to write now."""

    cuts: list[int]
    #: How many operations they have, and those that were written beside the last ones.
    operations: int
    #: How many wait beside them.
    waiting: int


@dataclass(slots=True)
class _Unwritten:
    """A cut without files."""

    cut: Cut
    backoff: Backoff = field(default_factory=lambda: Backoff(WAITS))
    #: How often it has failed for a reason that nobody has thought of.
    tries: int = 0
    not_before: float = 0.0


class WritingDesk:
    """Cuts, and what becomes of them. `run` it; ask `due`, and tell `settle` what was written."""

    def __init__(
        self,
        queue: OperationQueue,
        anchors: Anchors,
        database: DomainDatabase,
        *,
        clock: Clock,
        max_waits: int = 20,
        reopen_in: float = REOPEN_S,
    ) -> None:
        """An empty desk.

        Args:
            queue: What is cut; it runs.
            anchors: Who anchors batches.
            database: The domain's, with the layouts ANCHORING and OPERATION_QUEUE.
            clock: What tells the time.
            max_waits: op-queue-max-reposts: how often an operation waits for its DID's anchor in vain.
            reopen_in: Seconds between two looks for cuts of dead instances.
        """
        self._queue = queue
        self._clock = clock
        self._reopen_in = min(reopen_in, REOPEN_S)
        self._unwritten: dict[int, _Unwritten] = {}
        self.finisher = Finisher(anchors, clock)
        self._holding = Holding(queue, database, clock, max_waits=max_waits)
        self._has_come = asyncio.Event()
        #: Whether more may come in a moment.
        self._is_cutting = False
        #: The numbers that Spark was given last, and how many operations were written beside theirs since.
        self._given: Sequence[int] = ()
        self._along = 0
        #: When to try again, unless more are released until then.
        self._cut_at = 0.0
        self._releases = 0

    def __repr__(self) -> str:
        return f"<WritingDesk, {len(self._unwritten)} cuts to write, {len(self.finisher)} to finish>"

    # On its own

    async def run(self) -> None:
        """Cut, finish and release, until cancelled. What is on the desk then is in the database, too."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.finisher.run(), name="cuts are finished")
            group.create_task(self._repeat(self._holding.look, HELD_S), name="operations are released")
            group.create_task(self._repeat(self.reopen, self._reopen_in), name="cuts are reopened")
            group.create_task(self._repeat(self.cut, LOOK_S), name="batches are cut")

    async def _repeat(self, work: Callable[[], Awaitable[None]], seconds: float) -> None:
        while True:
            try:
                await work()
            except StoreError as exc:
                _log.warning("batches wait for the database: %s", exc)
                await sleep(self._clock, AWAY_S)
            except Exception:  # noqa: BLE001 (who complains and goes on is better than who stands still)
                _log.exception("the batch writer tries again")
                await sleep(self._clock, AWAY_S)
            await sleep(self._clock, seconds)

    async def reopen(self) -> None:
        """Go on with cuts of dead instances, and of our own that were put down.

        Raises:
            StoreError: the database is away.
        """
        for cut in await self._queue.reopen():
            self._take(cut)

    async def cut(self) -> None:
        """Cut what is due, as long as there is room for it.

        Raises:
            StoreError: the database is away.
        """
        self._is_cutting = True
        try:
            while self._is_due() and (cut := await self._queue.cut()):
                self._take(cut)
                self._cut_at = 0.0
        finally:
            self._is_cutting = False
            self._has_come.set()

    def _is_due(self) -> bool:
        """Whether to try; a quick look, since it is asked often."""
        waiting, now = len(self._queue), self._clock.now()
        if self._queue.releases != self._releases:
            self._releases, self._cut_at = self._queue.releases, 0.0
        if not waiting or now < self._cut_at or len(self._unwritten) + len(self.finisher) >= AHEAD:
            return False
        if self._queue.may_be_full:
            # Should it be none, since it is not quite full or many are held, the next try is in a while.
            self._cut_at = min(now + FULL_S, self._next_due())
            return True
        return now >= self._next_due()

    def _next_due(self) -> float:
        due = self._queue.next_due()
        return inf if due is None else due

    def _take(self, cut: Cut) -> None:
        if cut.id in self.finisher.numbers:
            # It was reopened twice at once: by its number, and by looking around.
            return
        if cut.state != CUT:
            self.finisher.add(cut)
            return
        self._unwritten[cut.id] = _Unwritten(cut)
        self._has_come.set()

    # For Spark

    async def due(self) -> Due:
        """The cuts to write now, the oldest first; none if none has come after a while.

        Nobody waits while there is something to tell of those that were written along.
        """
        until = self._clock.now() + PATIENCE_S
        while not (ready := self._ready()) and not self._along and self._clock.now() < until:
            await self._come(until)
        self._given, along, self._along = [each.id for each in ready], self._along, 0
        operations = sum(len(each.operations) for each in ready)
        on_desk = sum(len(each.cut.operations) for each in self._unwritten.values())
        waiting = len(self._queue) + on_desk - operations
        return Due(cuts=self._given, operations=operations + along, waiting=waiting)

    async def more(self, given: Collection[int]) -> int | None:
        """A cut to write beside those that are given, the oldest; None if there is none, nor will be soon."""
        until = self._clock.now() + PATIENCE_S
        while not (ready := self._ready(given)) and self._is_cutting and self._clock.now() < until:
            await self._come(until)
        return ready[0].id if ready else None

    async def _come(self, until: float) -> None:
        """Wait for something to write, but not for long."""
        self._has_come.clear()
        alarm = self._clock.call_at(min(until, self._next_try()), self._has_come.set)
        await self._has_come.wait()
        alarm.cancel()

    def _ready(self, given: Collection[int] = ()) -> list[Cut]:
        now = self._clock.now()
        ready = [
            each.cut
            for number, each in self._unwritten.items()
            if each.not_before <= now and number not in given
        ]
        return sorted(ready, key=lambda each: each.id)[:AT_ONCE]

    def _next_try(self) -> float:
        now, times = self._clock.now(), (each.not_before for each in self._unwritten.values())
        return min((each for each in times if each > now), default=inf)

    async def settle(self, outcomes: Iterable[Outcome]) -> None:
        """Record what was written; when this returns, Spark may forget it."""
        for outcome in outcomes:
            if (found := await self._found(outcome)) is not None:
                await self._settle(found, outcome)

    async def _found(self, outcome: Outcome) -> _Unwritten | None:
        """The cut on the desk; or one that Spark had from an earlier life, whose owner is dead."""
        found = self._unwritten.pop(outcome.cut, None)
        if outcome.is_gone:
            if found is not None:
                found.cut.put_down()
            return None
        if found is not None or outcome.cut in self.finisher.numbers:
            return found
        try:
            return _Unwritten(await self._queue.reopen_cut(outcome.cut))
        except CutLost:
            return None

    async def _settle(self, found: _Unwritten, outcome: Outcome) -> None:
        cut = found.cut
        if cut.state != CUT:
            self.finisher.add(cut)
        elif outcome.failure is not None:
            await self._fail(found, outcome.failure, is_passing=outcome.is_passing)
        else:
            try:
                await self._record(cut, outcome)
            except Exception as exc:  # noqa: BLE001 (Spark would give it, and all with it, again and again)
                await self._settle(found, failed(cut.id, exc))

    async def _record(self, cut: Cut, outcome: Outcome) -> None:
        files = recorded_files(outcome.core_index or "", verified=True)
        outcome = self._holding.give_up(cut.operations, outcome)
        try:
            await cut.record_files(files, deferred=outcome.deferred, refused=outcome.refused)
        except CutLost as exc:
            _log.warning("%r is left to whoever has it: %s", cut, exc)
            cut.put_down()
        else:
            self._along += 0 if cut.id in self._given else len(cut.operations)
            # Before they are put back by the ack: they would be cut at once, in vain.
            self._holding.hold(outcome.unanchored)
            self.finisher.add(cut, outcome.draft)

    async def _fail(self, found: _Unwritten, failure: str, *, is_passing: bool) -> None:
        """It is tried again; if nobody knows that this helps, a few times, and the others do not wait."""
        cut = found.cut
        if not is_passing:
            found.tries += 1
            _log.error("%r failed, try %d of %d: please report this", cut, found.tries, TRIES)
        if found.tries < TRIES or await self.finisher.nack(cut, failure) is End.AWAY:
            self._again(found, failure)

    def _again(self, found: _Unwritten, failure: str) -> None:
        """Have it written once more, in a while."""
        seconds = found.backoff.next()
        _log.warning("%r is written again in %.1f s: %s", found.cut, seconds, failure)
        found.not_before = self._clock.now() + seconds
        self._unwritten[found.cut.id] = found
