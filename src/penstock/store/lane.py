"""Lane: what a stored backlog keeps under one priority.

Newcomers come in order of sequence and their batches are committed in order, so a lane is: rows in
the store from `first` on, then references that wait for their commit. What was taken from the middle
leaves a hole: its row may still be there.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from penstock.store.rows import END

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.wiring.reference import Reference

__all__ = ["Lane"]


class Lane:
    """The references of one priority, in order of sequence."""

    __slots__ = ("_marks", "first", "holes", "is_plain", "largest", "last", "stored", "uncommitted")

    def __init__(self, first: int, last: int, stored: int = 0) -> None:
        #: Rows with a lower sequence are in memory or in hand, and none of the backlog's business.
        self.first = first
        #: The highest sequence there was.
        self.last = last
        #: How many stand in the store only.
        self.stored = stored
        #: Kept in memory until their batch is committed.
        self.uncommitted: deque[Reference] = deque()
        #: Batch → the highest sequence that goes with it.
        self._marks: dict[int, int] = {}
        #: Sequence → the batch whose commit takes the row away; END if nobody knows.
        self.holes: dict[int, int] = {}
        #: Whether no more than a plain row is to be said of all that came while this broker runs.
        self.is_plain = True
        #: The longest body there was; None if some came before.
        self.largest: int | None = None if stored else 0

    def __len__(self) -> int:
        return self.stored + len(self.uncommitted)

    def __repr__(self) -> str:
        return f"<Lane from {self.first}: {self.stored} stored, {len(self.uncommitted)} uncommitted>"

    @property
    def below(self) -> int:
        """Where those in the store end."""
        return self.uncommitted[0].sequence if self.uncommitted else END

    @property
    def last_stored(self) -> int:
        """The highest sequence that one in the store may have."""
        return self.uncommitted[0].sequence - 1 if self.uncommitted else self.last

    @property
    def is_whole(self) -> bool:
        """Whether every sequence from the first on is one of those in the store, and nothing is between."""
        return self.last_stored - self.first + 1 == self.stored

    def append(self, batch: int, reference: Reference) -> None:
        """A newcomer.

        Raises:
            ValueError: it is not one: its sequence is not higher than all before.
        """
        if reference.sequence <= self.last:
            raise ValueError(f"{reference!r} is no newcomer: {self.last} was here before")
        self.last = self._marks[batch] = reference.sequence
        self.uncommitted.append(reference)
        if self.is_plain:
            terms = reference.message.terms
            self.is_plain = reference.notes is None and terms.persistent and terms.group is None
            if self.largest is not None:
                self.largest = max(self.largest, reference.message.size)

    def commit(self, batch: int) -> None:
        """All up to this batch stand in the store."""
        written = [self._marks.pop(number) for number in list(self._marks) if number <= batch]
        while written and self.below <= written[-1]:
            self.uncommitted.popleft()
            self.stored += 1
        if self.holes:
            self.holes = {sequence: gone for sequence, gone in self.holes.items() if gone > batch}

    def advance(self, first: int) -> None:
        """Those below were taken."""
        self.first = first
        if self.holes:
            self.holes = {sequence: gone for sequence, gone in self.holes.items() if sequence >= first}

    def keeps(self, sequence: int) -> bool:
        """Whether a row in the store is kept here."""
        return self.first <= sequence < self.below and sequence not in self.holes

    def take_uncommitted(self, reference: Reference) -> None:
        """One from the middle; its row will be written all the same."""
        # References are compared by their place for order only: what is equal is the same.
        self.uncommitted.remove(reference)

    def spans(self) -> Iterator[tuple[int, int]]:
        """(first, below) of all that is kept, around the holes."""
        start = self.first
        for hole in sorted(self.holes):
            if hole > start:
                yield start, hole
            start = hole + 1
        if start <= self.last:
            yield start, self.last + 1
