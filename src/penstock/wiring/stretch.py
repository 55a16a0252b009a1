"""Stretch: positions a reader has given to messages that stood one behind the other, and when these came.

What is taken together mostly stood together, so a few numbers tell where ten thousand messages are:
the position of each follows from its sequence. Holes are possible: what did not survive a restart
leaves its position empty.

A run is the same before it has positions: taken where it stands, behind the memory window, unseen.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.wiring.reference import Reference
    from penstock.wiring.tally import Tally

__all__ = ["Handful", "Run", "Stretch", "cut", "cut_run"]

#: References in one piece at most: it leaves memory as a whole.
LONGEST: Final = 4096
#: Seconds; what came within so short a time came at once, as far as a reader tells.
AT_ONCE: Final = 0.1


class Run(NamedTuple):
    """Neighbours in the store: plain, persistent, each with a row in its queue's line."""

    priority: int
    #: The first one's; each further one has the next.
    sequence: int
    length: int
    #: Bytes of their bodies, at most.
    size: int

    @property
    def last(self) -> int:
        """The last sequence."""
        return self.sequence + self.length - 1


class Stretch(NamedTuple):
    """Where neighbours are: their positions, and their places in the queue's order."""

    #: The first one's; each further one has the next.
    position: int
    length: int
    priority: int
    #: The first one's; each further one has the next.
    sequence: int
    arrived_at: float
    #: The number under which the store has them: their queue's, or that of whoever took them.
    home: int = 0

    @property
    def last(self) -> int:
        """The last position."""
        return self.position + self.length - 1

    @property
    def below(self) -> int:
        """Where the sequences end."""
        return self.sequence + self.length

    def between(self, start: int, end: int) -> Stretch:
        """What of it has positions after `start` up to `end`."""
        skipped = min(max(start + 1 - self.position, 0), self.length)
        # What is read may be committed meanwhile: then all that is left lies behind the end.
        return self.first(max(end + 1 - self.position, skipped)).without(skipped)

    def goes_on(self, after: Stretch) -> bool:
        """Whether its first stands behind the last of another, in positions and in the store."""
        here = (self.position, self.sequence, self.priority, self.home)
        return here == (after.last + 1, after.below, after.priority, after.home)

    def first(self, count: int) -> Stretch:
        """The first so many of them."""
        return self._replace(length=min(count, self.length))

    def without(self, count: int) -> Stretch:
        """All but the first so many."""
        return self._replace(
            position=self.position + count, length=self.length - count, sequence=self.sequence + count
        )


class Handful:
    """A stretch, and its references as long as they stand in memory."""

    __slots__ = ("batch", "references", "stretch", "weight")

    def __init__(self, stretch: Stretch, references: list[Reference] | None = None) -> None:
        self.stretch = stretch
        #: None if they are in the store only.
        self.references = references
        #: For whoever keeps them: the batch with which all are in the store, and their bytes in memory.
        self.batch = 0
        self.weight = 0

    def __repr__(self) -> str:
        where = "the store" if self.references is None else "memory"
        return f"<Handful {self.stretch.position} to {self.stretch.last} in {where}>"

    def drop(self, count: int) -> list[Reference]:
        """Forget the first so many; those of them that stood in memory."""
        self.stretch = self.stretch.without(count)
        if self.references is None:
            return []
        dropped = self.references[:count]
        del self.references[:count]
        return dropped


def cut_run(run: Run, position: int, tally: Tally, now: float, home: int) -> Iterator[Handful]:
    """A run, cut where its neighbours came at another time; `position` is the first one's."""
    for first, last, arrived_at in tally.eras(run.sequence, run.last, now, AT_ONCE):
        at = position + first - run.sequence
        yield Handful(Stretch(at, last - first + 1, run.priority, first, arrived_at, home))


def cut(
    references: list[Reference], position: int, tally: Tally, now: float, home: int = 0, *, in_order: bool
) -> Iterator[Handful]:
    """What was taken at once, cut where neighbours are none, or came at another time.

    Args:
        position: the first one's.
        in_order: whether it is known that they are in order of delivery.
    """
    for start in range(0, len(references), LONGEST):
        piece = references[start : start + LONGEST]
        for beginning, end in _rows(piece, in_order=in_order):
            priority, sequence = piece[beginning].priority, piece[beginning].sequence
            for first, last, arrived_at in tally.eras(sequence, piece[end - 1].sequence, now, AT_ONCE):
                at, count = beginning + first - sequence, last - first + 1
                stretch = Stretch(position + start + at, count, priority, first, arrived_at, home)
                yield Handful(stretch, piece if count == len(piece) else piece[at : at + count])


def _rows(piece: list[Reference], *, in_order: bool) -> Iterator[tuple[int, int]]:
    """Where each row of neighbours begins and ends."""
    # In order, of one priority, and as many as there are sequences: no gap is among them.
    if in_order and _is_row(piece[0], piece[-1], len(piece)):
        yield 0, len(piece)
        return
    gaps = [at for at in range(1, len(piece)) if not _is_row(piece[at - 1], piece[at], 2)]
    yield from pairwise((0, *gaps, len(piece)))


def _is_row(first: Reference, last: Reference, count: int) -> bool:
    return last.sequence - first.sequence == count - 1 and first.priority == last.priority
