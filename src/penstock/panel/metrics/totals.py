"""What is told of the broker as a whole: what there is, what has flowed, and whether it stands.

A table: a family, and how an embedded broker tells it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.panel.metrics.family import COUNTER, GAUGE, Family, labelled
from penstock.wiring.death import Reason

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


def _died(reason: Reason) -> Total:
    """What died of something, by RabbitMQ's name for it."""
    return Total(
        Family(
            f"rabbitmq_global_messages_dead_lettered_{reason.value}_total",
            COUNTER,
            f"Total number of messages dead-lettered due to {_DIED_OF[reason]}",
        ),
        lambda embedded: sum(
            host.deaths[reason]
            + sum(queue.tally.deaths.get(reason, 0) for queue in host.wiring.queues.values())
            for host in embedded.broker.hosts.values()
        ),
    )


_DIED_OF: Final = {
    Reason.EXPIRED: "message TTL exceeded",
    Reason.REJECTED: "basic.reject or basic.nack",
    Reason.OVER_LENGTH: "overflow drop-head or reject-publish-dlx",
    Reason.TOO_MANY_DELIVERIES: "delivery-limit exceeded",
}


def _confirmed(embedded: Embedded) -> int:
    channels = [channel for session in embedded.front.sessions for channel in session.channels.values()]
    return embedded.front.counted.confirmed + sum(channel.publishing.confirmed for channel in channels)


def _opened(embedded: Embedded) -> int:
    return embedded.front.counted.connections + embedded.beanstalk.connected


def _open(embedded: Embedded) -> int:
    return len(embedded.front.sessions) + len(embedded.beanstalk.sessions)


def _low_on(what: str) -> Callable[[Embedded], float]:
    return lambda embedded: int(what in (embedded.front.blocked or ""))


def _channels(embedded: Embedded) -> int:
    return sum(len(session.channels) for session in embedded.front.sessions)


def _consumers(embedded: Embedded) -> int:
    hosts = embedded.broker.hosts.values()
    return sum(len(queue.dispatch.consumers) for host in hosts for queue in host.wiring.queues.values())


TOTALS: Final[tuple[Total, ...]] = (
    Total(Family("rabbitmq_connections", GAUGE, "Connections currently open"), _open),
    Total(
        Family("rabbitmq_connections_opened_total", COUNTER, "Total number of connections opened"), _opened
    ),
    Total(
        Family(
            "rabbitmq_connections_closed_total", COUNTER, "Total number of connections closed or terminated"
        ),
        lambda embedded: _opened(embedded) - _open(embedded),
    ),
    Total(Family("rabbitmq_channels", GAUGE, "Channels currently open"), _channels),
    Total(
        Family("rabbitmq_channels_opened_total", COUNTER, "Total number of channels opened"),
        lambda embedded: embedded.front.counted.channels,
    ),
    Total(
        Family("rabbitmq_channels_closed_total", COUNTER, "Total number of channels closed"),
        lambda embedded: embedded.front.counted.channels - _channels(embedded),
    ),
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
            "rabbitmq_global_messages_confirmed_total",
            COUNTER,
            "Total number of messages confirmed to publishers",
        ),
        _confirmed,
    ),
    Total(
        Family(
            "rabbitmq_global_messages_unroutable_returned_total",
            COUNTER,
            "Total number of messages published as mandatory into an exchange and returned to the publisher "
            "as unroutable",
        ),
        lambda embedded: embedded.front.counted.returned,
    ),
    Total(
        Family(
            "rabbitmq_global_messages_unroutable_dropped_total",
            COUNTER,
            "Total number of messages published as non-mandatory into an exchange and dropped as unroutable",
        ),
        lambda embedded: embedded.front.counted.dropped,
    ),
    *map(_died, Reason),
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
