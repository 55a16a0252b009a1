"""Counts: what queues, proxies and virtual hosts tell about themselves, as plain numbers.

Nothing is counted here: queues keep a tally, a batch at a time, and these functions read it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from penstock.wiring import Reason

if TYPE_CHECKING:
    from penstock.broker.host import VirtualHost
    from penstock.wiring import Proxy, Queue

__all__ = [
    "COUNTED",
    "Counts",
    "Depths",
    "Figures",
    "Growth",
    "Passed",
    "Rates",
    "Sum",
    "counts_of",
    "figures_of",
    "passed",
]

#: Counts, then depths, of a queue or virtual host; or whatever numbers something else has.
Figures: TypeAlias = tuple[int, ...]

#: Rows that are added up in one go, column by column.
TOGETHER: Final = 500


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


class Growth(NamedTuple):
    """By how many more stand there a second; fewer if it is negative."""

    ready: float = 0.0
    held: float = 0.0
    delayed: float = 0.0
    buried: float = 0.0
    taken: float = 0.0


class Passed(NamedTuple):
    """What has passed a proxy: messages in, and references to queues out."""

    published: int = 0
    routed: int = 0


def figures_of(queue: Queue) -> Figures:
    """What a queue has counted, then what stands where in it: the counts and the depths in a row.

    It is asked of all queues every few seconds, so it is quick rather than beautiful.
    """
    tally, holders, readers = queue.tally, queue.dispatch.holders, queue.readers
    deaths = tally.deaths
    return (
        queue.sequence - tally.began,
        tally.delivered,
        tally.acked,
        tally.returned,
        deaths.get(Reason.EXPIRED, 0) if deaths else 0,
        sum(deaths.values()) if deaths else 0,
        len(queue.waiting),
        queue.held if holders else 0,
        len(queue.timers.delayed),
        len(queue.buried),
        sum(reader.uncommitted for reader in readers.values()) if readers else 0,
    )


def counts_of(queue: Queue) -> Counts:
    """What a queue has counted."""
    return Counts._make(figures_of(queue)[:COUNTED])


def passed(proxy: Proxy) -> Passed:
    """What has passed a proxy."""
    return Passed(proxy.published, proxy.routed)


class Sum:
    """The figures of the queues of a virtual host together."""

    __slots__ = ("_published", "_rows")

    def __init__(self, host: VirtualHost) -> None:
        """Nothing but what is gone; read before the queues, so that one that goes is not counted twice."""
        self._rows: list[Figures] = [(*host.retired, *Depths())]
        self._published = host.wiring.published

    def __repr__(self) -> str:
        return f"<Sum {self.figures()}>"

    def add(self, figures: Figures) -> None:
        """One more queue's."""
        self._rows.append(figures)
        if len(self._rows) > TOGETHER:
            self._rows = [_added(self._rows)]

    def figures(self) -> Figures:
        """Counts and depths; messages that were sent to proxies count once, wherever they went."""
        return (self._published, *_added(self._rows)[1:])


def _added(rows: list[Figures]) -> Figures:
    return tuple(map(sum, zip(*rows, strict=True)))


#: How many of the figures are counts; the others are depths.
COUNTED: Final = len(Counts._fields)
