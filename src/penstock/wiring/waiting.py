"""Waiting: all that is ready for delivery in one queue, in order.

Lanes in memory, groups behind their tokens, and the backlog behind the memory window. It knows
order and room, not time: what is delayed or buried stands elsewhere.
"""

from __future__ import annotations

from heapq import merge
from itertools import islice
from sys import maxsize
from typing import TYPE_CHECKING, Final

from penstock.wiring.groups import Groups
from penstock.wiring.lanes import Lanes
from penstock.wiring.reference import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.wiring.backlog import Backlog
    from penstock.wiring.consumer import Consumer
    from penstock.wiring.pieces import Pieces
    from penstock.wiring.reference import Reference
    from penstock.wiring.stretch import Run
    from penstock.wiring.timers import Timers

__all__ = ["Waiting"]

#: References fetched from behind in one go: everybody waits meanwhile, and bodies come along.
FETCHED: Final = 512
#: Bytes of bodies that stand in memory at most, where there is a window; by estimate.
WINDOW_BYTES: Final = 64 * 1024 * 1024
#: However large they are, so many stand in memory.
FEWEST: Final = 16
#: After so many more the estimate is made again, from so many samples.
STEP: Final = 256
SAMPLES: Final = 8


class Waiting:
    """The ready references of a queue."""

    __slots__ = ("_backlog", "_timers", "_window", "bytes", "groups", "lanes", "limit", "weighed")

    def __init__(self, window: int | None, backlog: Backlog, timers: Timers, *, weighed: bool) -> None:
        self.lanes = Lanes()
        #: None until a message with a group key arrives.
        self.groups: Groups | None = None
        self._window = window
        #: When so many stand in memory, it is time to see whether more may.
        self.limit = maxsize if window is None else min(window, STEP)
        self._backlog = backlog
        self._timers = timers
        #: Whether `bytes` is kept: only queues with a limit on it pay for it.
        self.weighed = weighed
        self.bytes = 0

    def __len__(self) -> int:
        return self._in_memory() + len(self._backlog)

    def __iter__(self) -> Iterator[Reference]:
        """All of them in order of delivery, undisturbed."""
        return merge(self.lanes, sorted(self.groups or ()), self._backlog)

    def looking(self, position: int, limit: int) -> Pieces[list[Reference]]:
        """Some of them from a position on, in order of delivery, undisturbed; the first is at 0.

        However many stand before it, it costs little: they are counted, not looked at. What comes and goes
        between two pieces moves the others by as much.
        """
        if self.groups:
            return list(islice(self, position, position + limit))
        found: list[Reference] = []
        in_memory, behind = self.lanes.counts(), self._backlog.counts()
        for priority in sorted(in_memory.keys() | behind.keys()):
            # Of one priority those in memory come first.
            count = in_memory.get(priority, 0)
            if position < count and len(found) < limit:
                found += self.lanes.look(priority, position, limit - len(found))
            position, count = max(position - count, 0), behind.get(priority, 0)
            if position < count and len(found) < limit:
                found += yield from self._backlog.looking(priority, position, limit - len(found))
            position = max(position - count, 0)
        return found

    # In

    def add(self, reference: Reference) -> None:
        """A newcomer, later in sequence than all before it."""
        self._weigh(reference, 1)
        if self._belongs_behind(reference):
            self._timers.step_behind(reference)
            self._backlog.put(reference)
        else:
            self._stand_last(reference)

    def put_back(self, reference: Reference) -> None:
        """One that was here, to its place; what has been in memory stays there."""
        self._weigh(reference, 1)
        if reference.message.terms.group is None:
            self.lanes.put_back(reference)
        else:
            self._admit(reference)

    # Out

    def first(self) -> Reference | None:
        """The first that could go, undisturbed."""
        firsts = (self.lanes.first(), self._backlog.first())
        return min((first for first in firsts if first is not None), default=None)

    def is_plain(self) -> bool:
        """Whether none of a group has come into memory, so that many can be taken at once."""
        if len(self._backlog):
            self._refill()
        return self.groups is None

    def ahead(self) -> int:
        """How many of those in memory can go before any is fetched from behind, as far as is known."""
        behind = self._backlog.first()
        return len(self.lanes) if behind is None else min(self.lanes.surely_before(behind), len(self.lanes))

    def take(self, limit: int) -> list[Reference]:
        """The first `limit`; for queues without groups."""
        taken: list[Reference] = []
        if len(self._backlog):
            while len(taken) < limit and self.is_plain() and (some := self.ahead()):
                taken += self.lanes.take(min(some, limit - len(taken)))
        else:
            taken = self.lanes.take(limit)
        if self.weighed:
            for reference in taken:
                self._weigh(reference, -1)
        return taken

    def take_run(self, limit: int, size: int) -> Run | None:
        """The first neighbours behind the memory window, left where they are; None if others come first."""
        if self._in_memory() or not len(self._backlog):
            return None
        run = self._backlog.take_run(limit, size, weighed=self.weighed)
        if run is not None and self.weighed:
            self.bytes -= run.size
        return run

    def next_for(
        self, candidate: Consumer, *, shared: bool = True
    ) -> tuple[Reference | None, Consumer] | None:
        """The next that can go, and to whom: the candidate, or (if shared) who has its group in hand.

        None if nothing can go; without a reference if the candidate has no room for the next.
        """
        while (turn := self._pop()) is not None:
            consumer = candidate
            if turn.message.terms.group is not None and self.groups is not None:
                chosen = self.groups.choose(turn, candidate, shared=shared)
                if chosen is None:
                    continue
                turn, consumer = chosen
            if shared and not consumer.fits(turn):
                self._weigh(turn, -1)
                self.put_back(turn)
                return None, consumer
            if turn.message.terms.group is not None and self.groups is not None:
                self._expose(self.groups.hand(turn, consumer))
            self._weigh(turn, -1)
            return turn, consumer
        return None

    def drop_first(self) -> Reference:
        """Take the first that waits, whoever has its group in hand: for queues over their limit."""
        first = self._pop() if self.groups is None else None
        if first is None:
            first = next(iter(self))
            self.withdraw(first)
        else:
            self._weigh(first, -1)
        return first

    def withdraw(self, reference: Reference) -> None:
        """Take one from the middle, for good."""
        self._weigh(reference, -1)
        if reference.state is State.BEHIND:
            self._backlog.pick(reference.sequence)
            return
        reference.state = State.GONE
        if reference.message.terms.group is not None and self.groups is not None:
            in_lanes, token = self.groups.withdraw(reference)
            self._expose(token)
        else:
            in_lanes = True
        if in_lanes:
            self.lanes.withdrawn()

    def take_out(self, reference: Reference) -> None:
        """Take one of no group from the middle of memory; it may come back."""
        self._weigh(reference, -1)
        self.lanes.take_out(reference)

    def draw_in(self) -> None:
        """Fetch everything from behind: for a queue without a window, that came back from a restart."""
        while kept := self._backlog.take(FETCHED):
            for reference in kept:
                self._timers.step_forward(reference)
                self._stand_last(reference)

    def urgent(self, below: int) -> int:
        """How many in memory have a priority more urgent than this."""
        return self.lanes.urgent(below)

    def take_expired(self, now: float) -> list[Reference]:
        """Take those behind the memory window whose time is over."""
        expired = self._backlog.take_expired(now)
        for reference in expired:
            self._weigh(reference, -1)
        return expired

    def next_expiry(self) -> float:
        """When the next one behind the memory window expires; inf for never."""
        return self._backlog.next_expiry()

    def settle(self, reference: Reference) -> None:
        """One that was in hand is settled: its group may go on."""
        if reference.message.terms.group is not None and self.groups is not None:
            self._expose(self.groups.settle(reference))

    def clear(self) -> tuple[list[Reference], int]:
        """Let go of all of them: those that stood in memory, and how many there were behind."""
        cleared = self.lanes.clear() + ([] if self.groups is None else self.groups.clear())
        for reference in cleared:
            reference.state = State.GONE
            reference.message.references -= 1
        self.bytes = 0
        return cleared, self._backlog.purge()

    # The memory window

    def _in_memory(self) -> int:
        return len(self.lanes) + (len(self.groups) if self.groups else 0)

    def _belongs_behind(self, reference: Reference) -> bool:
        """Whether a newcomer finds others of its priority behind the window already, or memory full."""
        if self._window is None:
            return False
        if self._backlog.holds(reference.priority):
            return True
        held = self._in_memory()
        if held >= self.limit:
            self.limit = min(self._room(self._window, reference), held + STEP)
        return held >= self.limit

    def _room(self, window: int, newcomer: Reference) -> int:
        """How many may stand in memory, if all are like the newcomer and some others."""
        some = [newcomer, *self.lanes.some(SAMPLES)]
        size = sum(reference.message.size for reference in some) // len(some)
        return min(window, max(WINDOW_BYTES // max(size, 1), FEWEST))

    def relax(self) -> int:
        """See to it that what comes is weighed soon, though few stand here now; the limit."""
        if self._window is not None:
            self.limit = min(self.limit, self._in_memory() + STEP)
        return self.limit

    def _pop(self) -> Reference | None:
        if len(self._backlog):
            self._refill()
        return self.lanes.pop()

    def _refill(self) -> None:
        """Fetch some from the backlog, half a window at most, when that is where the next in order is."""
        behind, ahead = self._backlog.first(), self.lanes.first()
        if behind is None or (ahead is not None and ahead < behind):
            return
        for reference in self._backlog.take(max(min((self._window or 2) // 2, FETCHED), 1)):
            self._timers.step_forward(reference)
            # Of its priority none came into memory since it went behind: there it is the last.
            self._stand_last(reference)

    # Groups and weight

    def _stand_last(self, reference: Reference) -> None:
        if reference.message.terms.group is None:
            self.lanes.append(reference)
        else:
            self._admit(reference)

    def _admit(self, reference: Reference) -> None:
        if self.groups is None:
            self.groups = Groups()
        reference.noted()
        if self.groups.arrive(reference):
            self.lanes.put_back(reference)

    def _expose(self, token: Reference | None) -> None:
        if token is not None:
            self.lanes.put_back(token)

    def _weigh(self, reference: Reference, sign: int) -> None:
        if self.weighed:
            self.bytes += sign * reference.message.size
