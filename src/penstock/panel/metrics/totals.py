"""What is told of the broker as a whole: what there is, what has flowed, and whether it stands.

A table: a family, and how an embedded broker tells it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.panel.metrics.family import COUNTER, GAUGE, Family, labelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.server.embedded import Embedded

__all__ = ["DROPPED", "TOTALS", "totals"]


class Total(NamedTuple):
    """One family with one number."""

    family: Family
    of: Callable[[Embedded], float]


def _flowed(name: str) -> Callable[[Embedded], float]:
    """What all queues have counted, those that are gone included."""
    return lambda embedded: sum(
        getattr(host.retired, name) + sum(_COUNTS[name](queue) for queue in host.wiring.queues.values())
        for host in embedded.broker.hosts.values()
    )


_COUNTS: Final[dict[str, Callable[..., int]]] = {
    "published": lambda queue: queue.sequence - queue.tally.began,
    "delivered": lambda queue: queue.tally.delivered,
    "acked": lambda queue: queue.tally.acked,
    "redelivered": lambda queue: queue.tally.returned,
}


def _low_on(what: str) -> Callable[[Embedded], float]:
    return lambda embedded: int(what in (embedded.front.blocked or ""))


def _channels(embedded: Embedded) -> int:
    return sum(len(session.channels) for session in embedded.front.sessions)


def _consumers(embedded: Embedded) -> int:
    hosts = embedded.broker.hosts.values()
    return sum(len(queue.dispatch.consumers) for host in hosts for queue in host.wiring.queues.values())


TOTALS: Final = (
    Total(
        Family("rabbitmq_connections", GAUGE, "Connections currently open"),
        lambda embedded: len(embedded.front.sessions) + len(embedded.beanstalk.sessions),
    ),
    Total(Family("rabbitmq_channels", GAUGE, "Channels currently open"), _channels),
    Total(Family("rabbitmq_consumers", GAUGE, "Consumers currently connected"), _consumers),
    Total(
        Family("rabbitmq_queues", GAUGE, "Queues available"),
        lambda embedded: sum(len(host.wiring.queues) for host in embedded.broker.hosts.values()),
    ),
    Total(
        Family(
            "rabbitmq_global_messages_received_total",
            COUNTER,
            "Total number of messages received from publishers",
        ),
        lambda embedded: sum(host.wiring.published for host in embedded.broker.hosts.values()),
    ),
    Total(
        Family(
            "rabbitmq_global_messages_routed_total",
            COUNTER,
            "Total number of messages routed to queues or streams",
        ),
        _flowed("published"),
    ),
    Total(
        Family(
            "rabbitmq_global_messages_delivered_total",
            COUNTER,
            "Total number of messages delivered to consumers",
        ),
        _flowed("delivered"),
    ),
    Total(
        Family(
            "rabbitmq_global_messages_acknowledged_total",
            COUNTER,
            "Total number of messages acknowledged by consumers",
        ),
        _flowed("acked"),
    ),
    Total(
        Family(
            "rabbitmq_global_messages_redelivered_total",
            COUNTER,
            "Total number of messages redelivered to consumers",
        ),
        _flowed("redelivered"),
    ),
    Total(
        Family(
            "rabbitmq_alarms_memory_used_watermark",
            GAUGE,
            "is 1 if VM memory watermark alarm is in effect",
        ),
        _low_on("memory"),
    ),
    Total(
        Family(
            "rabbitmq_alarms_free_disk_space_watermark",
            GAUGE,
            "is 1 if free disk space watermark alarm is in effect",
        ),
        _low_on("disk"),
    ),
    Total(
        Family("penstock_store_batches_written_total", COUNTER, "Batches that were written to disk"),
        lambda embedded: embedded.broker.writer.written,
    ),
    Total(
        Family("penstock_store_unwritten", GAUGE, "What has been noted and is in no batch yet"),
        lambda embedded: embedded.broker.unwritten,
    ),
    Total(
        Family("penstock_store_failing", GAUGE, "1 while the store cannot be written, else 0"),
        lambda embedded: int(embedded.broker.writer.trouble is not None),
    ),
)
DROPPED: Final = Family(
    "penstock_dead_letters_dropped_total", COUNTER, "Dead letters that found no home, by why not"
)


def totals(embedded: Embedded) -> Iterator[str]:
    """The broker's own numbers."""
    for family, of in TOTALS:
        yield family.told([("", of(embedded))])
    yield DROPPED.told(
        [
            (labelled(vhost=host.name, reason=reason), count)
            for host in embedded.broker.hosts.values()
            for reason, count in host.wiring.dropped.items()
            if count
        ]
    )
