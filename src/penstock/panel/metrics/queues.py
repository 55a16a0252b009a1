"""What is told of queues: a table of families, each with how a queue tells it and how queues add up.

RabbitMQ's names where it has one (its deps/rabbitmq_prometheus/metrics.md), ours for the rest. Counters of
queues that are gone stay in the sums, so that these never fall.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.panel.metrics.family import COUNTER, GAUGE, HISTOGRAM, Family, buckets, labelled
from penstock.wiring.tally import HANDLINGS, WAITS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from penstock.broker.host import VirtualHost
    from penstock.wiring import Queue
    from penstock.wiring.tally import Tally

__all__ = ["HISTOGRAMS", "QUEUES", "by_queue", "together"]


#: Queues whose histograms, and whose numbers, are told before others have their turn.
PIECE: Final = 100
LINES: Final = 1_000


class QueueFamily(NamedTuple):
    """One family."""

    family: Family
    #: What a queue tells at a time.
    of: Callable[[Queue, float], float]
    #: How those of several queues are told together.
    joined: Callable[[Iterable[float]], float] = sum
    #: What is told, by a host's Counts, of queues that are gone.
    retired: str = ""


class QueueHistogram(NamedTuple):
    """One histogram."""

    family: Family
    bounds: tuple[float, ...]
    counts: Callable[[Tally], list[int]]
    total_in: Callable[[Tally], float]


def _largest(values: Iterable[float]) -> float:
    return max(values, default=0)


QUEUES: Final = (
    QueueFamily(
        Family("rabbitmq_queue_messages_ready", GAUGE, "Messages ready to be delivered to consumers"),
        lambda queue, _now: queue.ready,
    ),
    QueueFamily(
        Family(
            "rabbitmq_queue_messages_unacked",
            GAUGE,
            "Messages delivered to consumers but not yet acknowledged",
        ),
        lambda queue, _now: queue.held,
    ),
    QueueFamily(
        Family(
            "rabbitmq_queue_messages",
            GAUGE,
            "Sum of ready and unacknowledged messages - total queue depth",
        ),
        lambda queue, _now: queue.ready + queue.held,
    ),
    QueueFamily(
        Family("rabbitmq_queue_consumers", GAUGE, "Consumers on a queue"),
        lambda queue, _now: len(queue.dispatch.consumers),
    ),
    QueueFamily(
        Family(
            "rabbitmq_queue_messages_published_total", COUNTER, "Total number of messages published to queues"
        ),
        lambda queue, _now: queue.sequence - queue.tally.began,
        retired="published",
    ),
    QueueFamily(
        Family("penstock_queue_messages_delayed", GAUGE, "Messages that are not ready before their time"),
        lambda queue, _now: len(queue.timers.delayed),
    ),
    QueueFamily(
        Family("penstock_queue_messages_buried", GAUGE, "Messages put aside until somebody kicks them"),
        lambda queue, _now: len(queue.buried),
    ),
    QueueFamily(
        Family(
            "penstock_queue_oldest_message_age_seconds",
            GAUGE,
            "Seconds since the first in line came; 0 if nothing waits",
        ),
        lambda queue, now: queue.waited(now) or 0,
        joined=_largest,
    ),
    QueueFamily(
        Family("penstock_queue_messages_delivered_total", COUNTER, "Messages handed to consumers"),
        lambda queue, _now: queue.tally.delivered,
        retired="delivered",
    ),
    QueueFamily(
        Family("penstock_queue_messages_acked_total", COUNTER, "Messages that consumers are done with"),
        lambda queue, _now: queue.tally.acked,
        retired="acked",
    ),
    QueueFamily(
        Family(
            "penstock_queue_messages_redelivered_total",
            COUNTER,
            "Times a message came back from a consumer's hands",
        ),
        lambda queue, _now: queue.tally.returned,
        retired="redelivered",
    ),
    QueueFamily(
        Family("penstock_queue_messages_dead_total", COUNTER, "Messages that died, whatever of"),
        lambda queue, _now: sum(queue.tally.deaths.values()),
        retired="dead",
    ),
)
HISTOGRAMS: Final = (
    QueueHistogram(
        Family(
            "penstock_queue_wait_seconds", HISTOGRAM, "How long messages waited until they were delivered"
        ),
        WAITS,
        attrgetter("waits"),
        attrgetter("waited_in"),
    ),
    QueueHistogram(
        Family(
            "penstock_queue_handling_seconds",
            HISTOGRAM,
            "How long messages were in consumers' hands; of four a second at most",
        ),
        HANDLINGS,
        attrgetter("handlings"),
        attrgetter("handled_in"),
    ),
)


def by_queue(hosts: Iterable[VirtualHost], now: float) -> Iterator[str]:
    """Every queue for itself, a piece at a time; an empty one lets others have their turn, too."""
    places = [(host.name, queue) for host in hosts for queue in host.wiring.queues.values()]
    queues: list[tuple[str, Queue]] = []
    for start in range(0, len(places), LINES):
        some = places[start : start + LINES]
        queues += [(labelled(vhost=vhost, queue=queue.address), queue) for vhost, queue in some]
        yield ""
    for family, of, _, _ in QUEUES:
        yield family.head()
        for start in range(0, len(queues), LINES):
            rows = queues[start : start + LINES]
            yield family.lines([(labels, of(queue, now)) for labels, queue in rows])
    for family, bounds, counts, total_in in HISTOGRAMS:
        yield family.head()
        for start in range(0, len(queues), PIECE):
            lines = []
            for labels, queue in queues[start : start + PIECE]:
                tally = queue.tally
                # One in which nothing has happened would be a dozen lines of zeros.
                if any(counts(tally)):
                    lines += buckets(family.name, labels, bounds, counts(tally), total_in(tally))
            yield "".join(lines)


def together(hosts: Iterable[VirtualHost], now: float) -> Iterator[str]:
    """All queues in one, a family at a time, with empty pieces as above."""
    hosts = list(hosts)
    queues = [queue for host in hosts for queue in host.wiring.queues.values()]
    for family, of, joined, retired in QUEUES:
        gone = sum(getattr(host.retired, retired) for host in hosts) if retired else 0
        parts = []
        for start in range(0, len(queues), LINES):
            parts.append(joined(of(queue, now) for queue in queues[start : start + LINES]))
            yield ""
        yield family.told([("", joined(parts) + gone)])
    for family, bounds, counts, total_in in HISTOGRAMS:
        sums, seconds = [0] * (len(bounds) + 1), 0.0
        for start in range(0, len(queues), LINES):
            tallies = [queue.tally for queue in queues[start : start + LINES]]
            sums = [sum(column) for column in zip(sums, *map(counts, tallies), strict=True)]
            seconds += sum(map(total_in, tallies))
            yield ""
        yield family.head() + "".join(buckets(family.name, "", bounds, sums, seconds))
