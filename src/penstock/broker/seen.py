"""Seen: what a look shows of a queue, its readers and a virtual host: values, not how they came to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from penstock.broker.counts import Counts, Depths, Growth, Rates

if TYPE_CHECKING:
    from penstock.broker.counts import Figures
    from penstock.wiring import Reader

__all__ = ["HostStatistics", "QueueStatistics", "ReaderStatistics", "Totals"]


@dataclass(frozen=True, slots=True)
class ReaderStatistics:
    """One reader, now."""

    name: str
    #: The last position that is done with, and the last that was given.
    committed: int
    taken: int
    #: How many it has taken and not committed, and how many wait in the queue, for it or others.
    uncommitted: int
    waiting: int
    #: Seconds since the oldest of these came; None if there are none.
    age: float | None

    @classmethod
    def of(cls, reader: Reader, now: float) -> ReaderStatistics:
        """What there is to see of it."""
        oldest_at = reader.oldest_at
        return cls(
            name=reader.name,
            committed=reader.committed,
            taken=reader.taken,
            uncommitted=reader.uncommitted,
            waiting=reader.waiting,
            age=None if oldest_at is None else max(now - oldest_at, 0.0),
        )


class QueueStatistics(NamedTuple):
    """One queue, now."""

    name: str
    counts: Counts
    rates: Rates
    depths: Depths
    growth: Growth
    consumers: int
    #: Seconds since the first in line came, within a few hundredths of the truth; None if nothing waits.
    waited: float | None
    #: How many were delivered after how long: for each of `penstock.wiring.tally.WAITS`, then for longer.
    waits: Figures
    readers: dict[str, ReaderStatistics]

    @property
    def figures(self) -> Figures:
        """Its numbers in a row, as their past is told."""
        return (*self.counts, *self.depths)


class Totals(NamedTuple):
    """One virtual host, now, without a word about each queue."""

    #: Those of the queues that are gone included.
    counts: Counts = Counts()
    rates: Rates = Rates()
    depths: Depths = Depths()
    growth: Growth = Growth()

    @property
    def figures(self) -> Figures:
        """Its numbers in a row, as their past is told."""
        return (*self.counts, *self.depths)


@dataclass(frozen=True, slots=True)
class HostStatistics:
    """One virtual host, now, with its queues."""

    name: str
    counts: Counts
    rates: Rates
    depths: Depths
    queues: dict[str, QueueStatistics]
