"""Parts of what a reader has taken: messages, or a page of the store as it is written there."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from penstock.store import Joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.store import Raw
    from penstock.wiring import Message

__all__ = ["Page", "Part", "Taken"]


class Taken(NamedTuple):
    """A message at its position."""

    position: int
    message: Message
    #: Whether somebody had it in hand before.
    redelivered: bool
    #: When it came into the queue, within a tenth of a second; if that was before the broker started, then.
    arrived_at: float


@dataclass(slots=True)
class Page:
    """Messages in the store, as a front has written them."""

    #: From a row's sequence to its position.
    offset: int
    #: As `Taken` has it, and the sequence from which on it is so; the first is true of the first row.
    arrived: Sequence[tuple[int, float]]
    rows: list[Raw] | Joined

    def __len__(self) -> int:
        """How many there are."""
        return len(self.rows.sequences if isinstance(self.rows, Joined) else self.rows)

    @property
    def sequences(self) -> Sequence[int]:
        """In their order."""
        return self.rows.sequences if isinstance(self.rows, Joined) else [row[0] for row in self.rows]

    def came_at(self, sequence: int) -> float:
        """When one of them came."""
        return self.arrived[bisect_right(self.arrived, sequence, key=itemgetter(0)) - 1][1]

    def eras(self) -> list[tuple[float, int]]:
        """When they came, and how many of them did."""
        sequences = self.sequences
        starts = (bisect_left(sequences, first) for first, _ in self.arrived[1:])
        spans = pairwise((0, *starts, len(sequences)))
        return [(at, below - start) for (_, at), (start, below) in zip(self.arrived, spans, strict=True)]


#: Messages that stand in memory, or had to be made anew; or a page of what is written.
Part: TypeAlias = list[Taken] | Page
