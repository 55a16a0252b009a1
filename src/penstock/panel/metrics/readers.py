"""What is told of readers, who take a queue in batches and commit them: how far behind each is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.panel.metrics.family import GAUGE, Family, labelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.broker.host import VirtualHost

__all__ = ["READERS", "by_reader"]

UNCOMMITTED: Final = Family(
    "penstock_reader_messages_uncommitted", GAUGE, "Messages that a reader has taken and not committed"
)
AGE: Final = Family(
    "penstock_reader_oldest_message_age_seconds",
    GAUGE,
    "Seconds since the oldest came that a reader has not committed; 0 if there is none",
)
READERS: Final = (UNCOMMITTED, AGE)


def by_reader(hosts: Iterable[VirtualHost], now: float) -> Iterator[str]:
    """Every reader for itself."""
    readers = [
        (labelled(vhost=host.name, queue=queue.address, reader=reader.name), reader)
        for host in hosts
        for queue in host.wiring.queues.values()
        for reader in queue.readers.values()
    ]
    yield UNCOMMITTED.told([(labels, reader.uncommitted) for labels, reader in readers])
    ages = [(labels, reader.oldest_at) for labels, reader in readers]
    yield AGE.told([(labels, 0 if at is None else max(now - at, 0)) for labels, at in ages])
