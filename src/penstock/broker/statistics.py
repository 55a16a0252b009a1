"""Statistics: what flows and what waits, by queue, its readers, and by virtual host.

Nothing is counted here: the queues keep a tally, a batch at a time, and `snapshot` reads it. Rates are
taken between two looks, so nobody pays for them while nobody looks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.wiring import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.broker.host import VirtualHost
    from penstock.wiring import Queue, Reader

__all__ = [
    "Counts",
    "Depths",
    "HostStatistics",
    "QueueStatistics",
    "Rates",
    "ReaderStatistics",
    "Statistics",
    "counts_of",
]

#: Seconds a rate is taken over, at least, once somebody has looked for so long.
SPAN: Final = 5.0


class Counts(NamedTuple):
    """How often something has happened since the start."""

    #: To a queue: references that came in. To a virtual host: messages sent to its proxies.
    published: int = 0
    delivered: int = 0
    acked: int = 0
    #: Times one came back from a consumer's hands.
    redelivered: int = 0
    expired: int = 0
    #: Whatever they died of, expired ones among them.
    dead: int = 0

    def plus(self, other: Counts) -> Counts:
        """Both together."""
        return Counts(*(mine + its for mine, its in zip(self, other, strict=True)))


class Rates(NamedTuple):
    """The same a second."""

    published: float = 0.0
    delivered: float = 0.0
    acked: float = 0.0
    redelivered: float = 0.0
    expired: float = 0.0
    dead: float = 0.0


class Depths(NamedTuple):
    """How many stand where."""

    ready: int = 0
    held: int = 0
    delayed: int = 0
    buried: int = 0
    #: By readers, and not committed.
    taken: int = 0

    def plus(self, other: Depths) -> Depths:
        """Both together."""
        return Depths(*(mine + its for mine, its in zip(self, other, strict=True)))


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


@dataclass(frozen=True, slots=True)
class QueueStatistics:
    """One queue, now."""

    name: str
    counts: Counts
    rates: Rates
    depths: Depths
    consumers: int
    #: Seconds since the first in line came, within a few hundredths of the truth; None if nothing waits.
    waited: float | None
    #: How many were delivered after how long: for each of `penstock.wiring.tally.WAITS`, then for longer.
    waits: tuple[int, ...]
    readers: dict[str, ReaderStatistics]


@dataclass(frozen=True, slots=True)
class HostStatistics:
    """One virtual host, now."""

    name: str
    #: Those of the queues that are gone included.
    counts: Counts
    rates: Rates
    depths: Depths
    queues: dict[str, QueueStatistics]


@dataclass(slots=True)
class _Look:
    """What somebody saw when."""

    at: float
    counts: dict[object, Counts] = field(default_factory=dict)


class Statistics:
    """Reads the tallies of all virtual hosts."""

    def __init__(self, hosts: Mapping[str, VirtualHost]) -> None:
        self._hosts = hosts
        self._before = self._last = _Look(0.0)

    def __repr__(self) -> str:
        return f"<Statistics of {len(self._hosts)} virtual hosts>"

    def snapshot(self, now: float) -> dict[str, HostStatistics]:
        """Everything, by virtual host; rates are since the last look that is SPAN ago, or since any."""
        if now - self._last.at >= SPAN:
            self._before, self._last = self._last, _Look(now)
        return {name: self._host(host, now) for name, host in self._hosts.items()}

    def _host(self, host: VirtualHost, now: float) -> HostStatistics:
        queues = {queue.address: self._queue(queue, now) for queue in host.wiring.queues.values()}
        counts, depths = host.retired, Depths()
        for queue in queues.values():
            counts, depths = counts.plus(queue.counts), depths.plus(queue.depths)
        counts = counts._replace(published=host.wiring.published)
        return HostStatistics(host.name, counts, self._rates(host, counts, now), depths, queues)

    def _queue(self, queue: Queue, now: float) -> QueueStatistics:
        counts = counts_of(queue)
        return QueueStatistics(
            name=queue.address,
            counts=counts,
            rates=self._rates(queue, counts, now),
            depths=_depths(queue),
            consumers=len(queue.dispatch.consumers),
            waited=queue.waited(now),
            waits=tuple(queue.tally.waits),
            readers={reader.name: _reader(reader, now) for reader in queue.readers.values()},
        )

    def _rates(self, whose: object, counts: Counts, now: float) -> Rates:
        look = self._before if whose in self._before.counts else self._last
        before = look.counts.get(whose)
        self._last.counts.setdefault(whose, counts)
        if before is None or now <= look.at:
            return Rates()
        span = now - look.at
        return Rates(*((after - earlier) / span for after, earlier in zip(counts, before, strict=True)))


def _depths(queue: Queue) -> Depths:
    taken = sum(reader.uncommitted for reader in queue.readers.values())
    return Depths(queue.ready, queue.held, len(queue.timers.delayed), len(queue.buried), taken)


def _reader(reader: Reader, now: float) -> ReaderStatistics:
    oldest_at = reader.oldest_at
    return ReaderStatistics(
        name=reader.name,
        committed=reader.committed,
        taken=reader.taken,
        uncommitted=reader.uncommitted,
        waiting=reader.waiting,
        age=None if oldest_at is None else max(now - oldest_at, 0.0),
    )


def counts_of(queue: Queue) -> Counts:
    """What a queue has counted."""
    tally = queue.tally
    return Counts(
        published=queue.sequence - tally.began,
        delivered=tally.delivered,
        acked=tally.acked,
        redelivered=tally.returned,
        expired=tally.deaths.get(Reason.EXPIRED, 0),
        dead=sum(tally.deaths.values()),
    )
