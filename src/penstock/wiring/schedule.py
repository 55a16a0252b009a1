"""Schedule: things to be done at a time, the earliest first.

What is no longer wanted is not searched for: it stays until its time comes, or until half of the
schedule is of that kind and it is swept out, so adding and dropping cost the same however many
stand in line.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import count
from math import inf
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Schedule"]

T = TypeVar("T")

#: Sweeping a handful is not worth the call.
FEW: Final = 64


class Schedule(Generic[T]):
    """A heap of (time, thing), where `wanted(time, thing)` tells the dropped from the rest."""

    __slots__ = ("_dropped", "_heap", "_turn", "_wanted")

    def __init__(self, wanted: Callable[[float, T], bool]) -> None:
        self._heap: list[tuple[float, int, T]] = []
        self._turn = count()
        self._wanted = wanted
        self._dropped = 0

    def __len__(self) -> int:
        return max(len(self._heap) - self._dropped, 0)

    def __iter__(self) -> Iterator[T]:
        """What is still wanted, in order of time; the first few cost little, however many there are."""
        heap = self._heap
        # The next in order is always a child, in the heap, of one that was passed.
        ahead = [(heap[0], 0)] if heap else []
        while ahead:
            (at, _, thing), place = heappop(ahead)
            for child in range(2 * place + 1, min(2 * place + 3, len(heap))):
                heappush(ahead, (heap[child], child))
            if self._wanted(at, thing):
                yield thing

    def add(self, at: float, thing: T) -> None:
        """Put it in line; of equal times the first added comes first."""
        heappush(self._heap, (at, next(self._turn), thing))

    def drop(self) -> None:
        """One of the things is no longer wanted."""
        self._dropped += 1
        if self._dropped > FEW and self._dropped * 2 > len(self._heap):
            self.sweep()

    def sweep(self) -> None:
        """Throw out whatever is no longer wanted."""
        self._heap = [entry for entry in self._heap if self._wanted(entry[0], entry[2])]
        heapify(self._heap)
        self._dropped = 0

    def due(self, now: float) -> Iterator[T]:
        """Take out what is due and still wanted, the earliest first."""
        while self._heap and self._heap[0][0] <= now:
            at, _, thing = heappop(self._heap)
            if self._wanted(at, thing):
                yield thing
            elif self._dropped:
                self._dropped -= 1

    def next_at(self) -> float:
        """When the next thing is due; inf if nothing is."""
        heap = self._heap
        while heap and not self._wanted(heap[0][0], heap[0][2]):
            heappop(heap)
            self._dropped = max(self._dropped - 1, 0)
        return heap[0][0] if heap else inf

    def clear(self) -> None:
        """Nothing is wanted any more."""
        self._heap.clear()
        self._dropped = 0
