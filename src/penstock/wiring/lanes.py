"""Lanes: references ready for delivery, in memory, in order.

One lane a priority, lowest number first. In a lane what came in first goes out first, and what came
back goes back to its place: newcomers stand in a deque, returned ones in a heap beside it, and the
smaller sequence leaves. What is withdrawn from the middle leaves a shell that is passed over.
"""

from __future__ import annotations

from collections import deque
from heapq import heapify, heappop, heappush, merge
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from penstock.wiring.reference import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.wiring.reference import Reference

__all__ = ["Lanes"]

READY = State.READY
#: Shells are swept out when there are more than this and they are the majority.
FEW_SHELLS: Final = 64


class Lane:
    """The references of one priority."""

    __slots__ = ("fresh", "returned")

    def __init__(self) -> None:
        self.fresh: deque[Reference] = deque()
        self.returned: list[Reference] = []

    def __len__(self) -> int:
        return len(self.fresh) + len(self.returned)

    def __iter__(self) -> Iterator[Reference]:
        returned = sorted(self.returned)
        if returned and (not self.fresh or returned[-1] < self.fresh[0]):
            # What comes back mostly came before all that waits, and to merge a million takes its time.
            return chain(returned, self.fresh)
        return merge(self.fresh, returned)

    def first(self) -> Reference:
        """The first; there must be one."""
        if self.returned and (not self.fresh or self.returned[0] < self.fresh[0]):
            return self.returned[0]
        return self.fresh[0]

    def pop(self) -> Reference:
        """Take the first."""
        if self.returned and (not self.fresh or self.returned[0] < self.fresh[0]):
            return heappop(self.returned)
        return self.fresh.popleft()


class Lanes:
    """All lanes of a queue."""

    __slots__ = ("_elsewhere", "_lanes", "_main", "_main_priority", "_priorities", "_shells")

    def __init__(self) -> None:
        #: The lane of the first priority ever seen, which in most queues is the only one. It stays
        #: for good, so that a queue may keep hold of its deque.
        self._main = Lane()
        self._main_priority: int | None = None
        #: The other lanes, which come and go, and a heap of their priorities.
        self._lanes: dict[int, Lane] = {}
        self._priorities: list[int] = []
        #: How many stand in those: a queue may have as many lanes as messages.
        self._elsewhere = 0
        self._shells = 0

    def __len__(self) -> int:
        return len(self._main.fresh) + len(self._main.returned) + self._elsewhere - self._shells

    def __iter__(self) -> Iterator[Reference]:
        """All of them in order of delivery, undisturbed."""
        for _, lane in sorted(self._every_lane()):
            yield from (reference for reference in lane if reference.state is READY)

    def counts(self) -> dict[int, int]:
        """How many there are of each priority."""
        shells = self._shells
        return {
            priority: sum(reference.state is READY for reference in lane) if shells else len(lane)
            for priority, lane in self._every_lane()
            if lane
        }

    def look(self, priority: int, skip: int, limit: int) -> list[Reference]:
        """Some of a priority, after the first `skip`, undisturbed."""
        lane = self._main if priority == (self._main_priority or 0) else self._lanes.get(priority)
        if lane is None:
            return []
        found: Iterable[Reference] = lane.fresh if not lane.returned else lane
        if self._shells:
            found = (reference for reference in found if reference.state is READY)
        return list(islice(found, skip, skip + limit))

    def main(self, priority: int) -> deque[Reference] | None:
        """Where newcomers of this priority may be appended for ever, if it is the usual one."""
        if self._main_priority is None:
            self._main_priority = priority
        return self._main.fresh if priority == self._main_priority else None

    def some(self, count: int) -> list[Reference]:
        """About so many of the usual lane, from its whole length."""
        fresh = self._main.fresh
        return [fresh[at] for at in range(0, len(fresh), len(fresh) // count + 1)]

    def append(self, reference: Reference) -> None:
        """Add a newcomer, later in sequence than all that came before."""
        self._lane(reference.priority).fresh.append(reference)

    def put_back(self, reference: Reference) -> None:
        """Return a reference to its place."""
        heappush(self._lane(reference.priority).returned, reference)

    def first(self) -> Reference | None:
        """The first in order of delivery, undisturbed."""
        while (lane := self._first()) is not None:
            reference = lane.first()
            if reference.state is READY:
                return reference
            self._pop_from(lane)
            self._shells -= 1
        return None

    def pop(self) -> Reference | None:
        """Take the first in order of delivery."""
        while (lane := self._first()) is not None:
            reference = self._pop_from(lane)
            if reference.state is READY:
                return reference
            self._shells -= 1
        return None

    def take(self, limit: int) -> list[Reference]:
        """Take the first `limit`, or all there are."""
        lane = self._first()
        if lane is None:
            return []
        fresh = lane.fresh
        if self._shells or lane.returned or (self._lanes and len(fresh) < limit):
            return self._take_slowly(limit)
        if len(fresh) <= limit:
            taken = list(fresh)
            fresh.clear()
        else:
            popleft = fresh.popleft
            taken = [popleft() for _ in range(limit)]
        if lane is not self._main:
            self._elsewhere -= len(taken)
        return taken

    def surely_before(self, behind: Reference) -> int:
        """How many certainly come before one that is kept behind memory; if there are any, the first does."""
        lane = self._first()
        if lane is None:
            return 0
        plain = not (self._shells or lane.returned)
        return len(lane.fresh) if plain and lane.fresh[0].priority <= behind.priority else 1

    def fitting(self, limit: int, size: int) -> tuple[int, int]:
        """How many of the first `limit` have no more than so many bytes together, and what is left of these.

        Others may fit beside them; but if none does, the first is too large, or there is none.
        """
        lane = self._first()
        if lane is None:
            return 0, size
        # What came back stands between the others: one is looked at after the other then.
        first = (self.first(),) if self._shells or lane.returned else islice(lane.fresh, limit)
        fits = 0
        for reference in first:
            left = size if reference is None else size - reference.message.size
            if left < 0:
                break
            size = left
            fits += 1
        return fits, size

    def take_out(self, reference: Reference) -> None:
        """Take one from the middle that may come back: a shell would be ready again with it."""
        priority = reference.priority
        lane = self._main if priority == self._main_priority else self._lanes[priority]
        if reference in lane.returned:
            lane.returned.remove(reference)
            heapify(lane.returned)
        else:
            lane.fresh.remove(reference)
        self._elsewhere -= lane is not self._main

    def urgent(self, below: int) -> int:
        """How many have a priority more urgent than this."""
        return sum(
            sum(reference.state is READY for reference in lane) if self._shells else len(lane)
            for priority, lane in self._every_lane()
            if priority < below
        )

    def withdrawn(self) -> None:
        """One that stands here has left from the middle: it is no longer READY."""
        self._shells += 1
        if self._shells > FEW_SHELLS and self._shells > len(self):
            for _, lane in self._every_lane():
                ready = [reference for reference in lane.fresh if reference.state is READY]
                lane.fresh.clear()
                lane.fresh.extend(ready)
                lane.returned = sorted(reference for reference in lane.returned if reference.state is READY)
            self._elsewhere = sum(map(len, self._lanes.values()))
            self._shells = 0

    def clear(self) -> list[Reference]:
        """Take all."""
        everything = list(self)
        self._main.fresh.clear()
        self._main.returned.clear()
        self._lanes.clear()
        self._priorities.clear()
        self._elsewhere = self._shells = 0
        return everything

    def _pop_from(self, lane: Lane) -> Reference:
        self._elsewhere -= lane is not self._main
        return lane.pop()

    def _take_slowly(self, limit: int) -> list[Reference]:
        taken: list[Reference] = []
        while len(taken) < limit and (reference := self.pop()) is not None:
            taken.append(reference)
        return taken

    def _every_lane(self) -> Iterator[tuple[int, Lane]]:
        yield self._main_priority or 0, self._main
        yield from self._lanes.items()

    def _lane(self, priority: int) -> Lane:
        """The lane one more is to stand in."""
        if self.main(priority) is not None:
            return self._main
        self._elsewhere += 1
        lane = self._lanes.get(priority)
        if lane is None:
            lane = self._lanes[priority] = Lane()
            heappush(self._priorities, priority)
        return lane

    def _first(self) -> Lane | None:
        """The most urgent lane with anything in it; empty ones before it are given up."""
        main, priorities = self._main, self._priorities
        main_waits = main.fresh or main.returned
        while priorities:
            if main_waits and self._main_priority is not None and self._main_priority < priorities[0]:
                return main
            lane = self._lanes[priorities[0]]
            if lane:
                return lane
            del self._lanes[heappop(priorities)]
        return main if main_waits else None
