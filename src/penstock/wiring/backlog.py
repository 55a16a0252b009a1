"""Backlog: where a queue keeps what does not fit its memory window.

A port that `store` fills with disk; the memory adapter here keeps the contract and serves queues
whose wiring has no store. A backlog keeps references in order of delivery: (priority, sequence).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from math import inf
from typing import TYPE_CHECKING, Protocol

from penstock.wiring.schedule import Schedule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.wiring.pieces import Pieces
    from penstock.wiring.reference import Reference
    from penstock.wiring.stretch import Run

__all__ = ["Backlog", "MemoryBacklog"]


class Backlog(Protocol):
    """What a queue asks of the place behind its memory window."""

    def __len__(self) -> int:
        """How many references are kept."""
        ...

    def __iter__(self) -> Iterator[Reference]:
        """All of them in order of delivery, undisturbed; read lazily."""
        ...

    def counts(self) -> Mapping[int, int]:
        """How many are kept of each priority."""
        ...

    def looking(self, priority: int, skip: int, limit: int) -> Pieces[list[Reference]]:
        """Some of a priority, after the first `skip`, undisturbed; in pieces, since these may be millions."""
        ...

    def put(self, reference: Reference) -> None:
        """Keep this newcomer, the last of its priority; it leaves the queue's memory."""
        ...

    def take(self, limit: int) -> list[Reference]:
        """Give back the first `limit` in order of delivery, and keep them no longer."""
        ...

    def take_run(self, limit: int, size: int, *, weighed: bool) -> Run | None:
        """Keep the first neighbours in order of delivery no longer, but leave them where they are.

        None if that cannot be done with them, and `take` must.

        Args:
            limit: so many at most.
            size: bytes of bodies at most.
            weighed: whether their size is to be told exactly.
        """
        ...

    def first(self) -> Reference | None:
        """The first in order of delivery."""
        ...

    def holds(self, priority: int) -> bool:
        """Whether any of this priority is kept."""
        ...

    def pick(self, sequence: int) -> Reference | None:
        """Give back the one with this sequence, if it is kept, and keep it no longer."""
        ...

    def take_expired(self, now: float) -> list[Reference]:
        """Give back those whose time is over, and keep them no longer."""
        ...

    def next_expiry(self) -> float:
        """When the next one expires; inf for never."""
        ...

    def purge(self) -> int:
        """Let go of all of them and of the messages they refer to; how many there were."""
        ...


class MemoryBacklog:
    """A sorted list. It saves no memory: it is there so that the contract holds without a disk."""

    def __init__(self) -> None:
        self._kept: list[Reference] = []
        self._by_sequence: dict[int, Reference] = {}
        self._priorities: Counter[int] = Counter()
        self._expiring: Schedule[Reference] = Schedule(
            lambda _at, reference: self._by_sequence.get(reference.sequence) is reference
        )

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[Reference]:
        return iter(tuple(self._kept))

    def counts(self) -> Mapping[int, int]:
        return {priority: count for priority, count in self._priorities.items() if count}

    def looking(self, priority: int, skip: int, limit: int) -> Pieces[list[Reference]]:
        yield from ()  # nothing here takes long
        before = sum(count for other, count in self._priorities.items() if other < priority)
        end = before + self._priorities[priority]
        return self._kept[before + skip : min(before + skip + limit, end)]

    def put(self, reference: Reference) -> None:
        if self._kept and reference < self._kept[-1]:
            insort(self._kept, reference)
        else:
            self._kept.append(reference)
        self._by_sequence[reference.sequence] = reference
        self._priorities[reference.priority] += 1
        if reference.expires_at != inf:
            self._expiring.add(reference.expires_at, reference)

    def take(self, limit: int) -> list[Reference]:
        taken = self._kept[:limit]
        del self._kept[:limit]
        for reference in taken:
            self._forget(reference)
        return taken

    def take_run(self, limit: int, size: int, *, weighed: bool) -> Run | None:
        """Nothing is anywhere but in memory."""
        return None

    def first(self) -> Reference | None:
        return self._kept[0] if self._kept else None

    def holds(self, priority: int) -> bool:
        return self._priorities[priority] > 0

    def pick(self, sequence: int) -> Reference | None:
        reference = self._by_sequence.get(sequence)
        if reference is not None:
            del self._kept[bisect_left(self._kept, reference)]
            self._forget(reference)
        return reference

    def take_expired(self, now: float) -> list[Reference]:
        expired = []
        for reference in self._expiring.due(now):
            self._forget(reference)
            expired.append(reference)
        if expired:
            self._kept = [reference for reference in self._kept if reference.expires_at > now]
        return expired

    def next_expiry(self) -> float:
        return self._expiring.next_at()

    def purge(self) -> int:
        for reference in self._kept:
            reference.message.references -= 1
        purged = len(self._kept)
        self._kept.clear()
        self._by_sequence.clear()
        self._priorities.clear()
        self._expiring.clear()
        return purged

    def _forget(self, reference: Reference) -> None:
        del self._by_sequence[reference.sequence]
        self._priorities[reference.priority] -= 1
        if reference.expires_at != inf:
            self._expiring.drop()
