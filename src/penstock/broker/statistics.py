"""Statistics: what flows and what waits, by queue, its readers, by proxy and virtual host, now and before.

Nothing is counted here: the queues keep a tally, a batch at a time, which is read. Now and then everything is
looked at, a slice at a time so that nobody waits for it: rates are taken between two looks, and what has
changed from one to the next is written into the history.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final

from penstock.broker.counts import (
    COUNTED,
    Counts,
    Depths,
    Growth,
    Passed,
    Rates,
    Sum,
    figures_of,
    passed,
)
from penstock.broker.history import History
from penstock.broker.seen import HostStatistics, QueueStatistics, ReaderStatistics, Totals
from penstock.broker.track import DAY, HOUR
from penstock.wiring.pieces import at_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from penstock.broker.counts import Figures
    from penstock.broker.host import VirtualHost
    from penstock.wiring import Proxy, Queue
    from penstock.wiring.pieces import Pieces

    #: Tells of things that only others know, each with its numbers.
    Source = Callable[[], Iterable[tuple[object, Figures]]]

__all__ = ["Statistics"]

#: Seconds from one look to the next, and a rate is taken over at least; RabbitMQ's.
SPAN: Final = 5.0
#: Seconds after which a look is too old to say anything about now.
STALE: Final = 60.0
#: Things that are looked at in one go: about a millisecond; and in a second: of a hundred thousand, each
#: every twenty seconds, so that looking never takes more than about a hundredth of the time.
SLICE: Final = 500
PACE: Final = 5_000


@dataclass(slots=True)
class _Look:
    """What somebody saw when."""

    at: float
    values: dict[object, Figures] = field(default_factory=dict)


class Statistics:
    """Reads the tallies of all virtual hosts, and remembers some of what it read."""

    def __init__(self, hosts: Mapping[str, VirtualHost], history: History | None = None) -> None:
        self._hosts = hosts
        self._history = history or History()
        self._before = self._last = _Look(-STALE)
        self._began_at: float | None = None
        self._is_looking = False
        #: At which look each thing was last seen to have changed.
        self._changed_at: dict[object, float] = {}
        #: Who else is looked at: connections, which the wiring knows nothing of.
        self.sources: list[Source] = []

    def __repr__(self) -> str:
        return f"<Statistics of {len(self._hosts)} virtual hosts>"

    # Looking

    def is_due(self, now: float) -> bool:
        """Whether it is time to look at everything again."""
        apart = max(SPAN, len(self._last.values) / PACE)
        return not self._is_looking and now - self._last.at >= apart

    def look(self, now: float) -> None:
        """Look at everything at once, if it is time to."""
        if self.is_due(now):
            for _ in self.looking(now):
                pass

    def looking(self, now: float) -> Iterator[None]:
        """Look at everything; where it yields, others may have their turn."""
        self._is_looking = True
        try:
            look = _Look(now)
            for number, (thing, values, keeps) in enumerate(self._everything(), 1):
                self._see(look, thing, values, keeps)
                if number % SLICE == 0:
                    yield
        finally:
            self._is_looking = False
        ago = now - self._last.at
        self._before, self._last = (look if ago >= STALE else self._last), look
        self._began_at = now if self._began_at is None else self._began_at
        self._history.clear_away(look.values, now)
        if len(self._changed_at) > len(look.values):
            self._changed_at = {thing: at for thing, at in self._changed_at.items() if thing in look.values}

    def _everything(self) -> Iterator[tuple[object, Figures, float]]:
        for host in list(self._hosts.values()):
            totals = Sum(host)
            for queue in list(host.wiring.queues.values()):
                figures = figures_of(queue)
                totals.add(figures)
                yield queue, figures, HOUR
            yield host, totals.figures(), DAY
            for proxy in list(host.wiring.proxies.values()):
                yield proxy, passed(proxy), HOUR
        for source in self.sources:
            for thing, values in list(source()):
                yield thing, values, HOUR

    def _see(self, look: _Look, thing: object, values: Figures, keeps: float) -> None:
        before = self._last.values.get(thing)
        if before == values:
            # The same numbers need no second place in memory.
            look.values[thing] = before
            return
        look.values[thing] = values
        self._changed_at[thing] = look.at
        if self._began_at is not None:
            # What was not there at the last look has counted from nothing since.
            start = (0,) * len(values) if before is None else before
            self._history.note(thing, (self._last.at, start), (look.at, values), keeps)

    # Now

    def snapshot(self, now: float) -> dict[str, HostStatistics]:
        """Everything, by virtual host; rates are since the last look that is SPAN ago, or since any."""
        self.look(now)
        return {name: self._host(host, now) for name, host in self._hosts.items()}

    def queue(self, queue: Queue, now: float) -> QueueStatistics:
        """One queue."""
        figures = figures_of(queue)
        rates, readers = self.rates(queue, figures, now), queue.readers
        return QueueStatistics(
            queue.address,
            Counts._make(figures[:COUNTED]),
            Rates._make(rates[:COUNTED]),
            Depths._make(figures[COUNTED:]),
            Growth._make(rates[COUNTED:]),
            len(queue.dispatch.consumers),
            queue.waited(now),
            tuple(queue.tally.waits),
            {reader.name: ReaderStatistics.of(reader, now) for reader in readers.values()} if readers else {},
        )

    def totals(self, host: VirtualHost, now: float) -> Pieces[Totals]:
        """A virtual host; where it yields, others may have their turn."""
        totals, queues = Sum(host), iter(list(host.wiring.queues.values()))
        while some := list(islice(queues, SLICE)):
            for queue in some:
                totals.add(figures_of(queue))
            yield
        figures = totals.figures()
        rates = self.rates(host, figures, now)
        return Totals(
            Counts._make(figures[:COUNTED]),
            Rates._make(rates[:COUNTED]),
            Depths._make(figures[COUNTED:]),
            Growth._make(rates[COUNTED:]),
        )

    def proxy(self, proxy: Proxy, now: float) -> tuple[Passed, tuple[float, ...]]:
        """What has passed a proxy, and how much of it a second."""
        told = passed(proxy)
        return told, self.rates(proxy, told, now)

    def _host(self, host: VirtualHost, now: float) -> HostStatistics:
        queues = {queue.address: self.queue(queue, now) for queue in host.wiring.queues.values()}
        told = at_once(self.totals(host, now))
        return HostStatistics(host.name, told.counts, told.rates, told.depths, queues)

    def rates(self, thing: object, values: Figures, now: float) -> tuple[float, ...]:
        """How much of it a second, since the look before the last."""
        # What was not there at the last look has counted from nothing since.
        before = self._before.values.get(thing) or (0,) * len(values)
        span = now - self._before.at
        if before == values or span <= 0 or self._began_at is None:
            return (0.0,) * len(values)
        return tuple((after - earlier) / span for after, earlier in zip(values, before, strict=True))

    def maybe_idle_since(self, thing: object, values: Figures) -> float | None:
        """Since when nothing has happened to something that tells these values now; None if something has.

        It is known from one look to the next, so that nobody has to write down when a message passed.
        """
        changed_at = self._changed_at.get(thing)
        if changed_at is None or changed_at >= self._last.at or self._last.values.get(thing) != values:
            return None
        return changed_at

    # Before

    def samples(
        self, thing: object, values: Figures, moments: Sequence[float], now: float
    ) -> list[tuple[float, list[int]]]:
        """What something that tells these values now has told at some moments, as far as is known."""
        moments = [at for at in moments if self._began_at is not None and self._began_at <= at <= now]
        newer: list[tuple[float, Sequence[int]]] = [(now, values)]
        if self._last.at < now:
            newer.insert(0, (self._last.at, self._last.values.get(thing) or (0,) * len(values)))
        told = self._history.told(thing, moments, *newer)
        return [] if told is None else list(zip(moments, told, strict=True))
