"""/metrics: everything together, and /metrics/per-object: queue by queue, as RabbitMQ's plugin has it."""

from __future__ import annotations

import asyncio
from itertools import chain
from typing import TYPE_CHECKING, Final

from penstock.panel.metrics.family import CONTENT_TYPE
from penstock.panel.metrics.pipelines import by_pipeline
from penstock.panel.metrics.process import process
from penstock.panel.metrics.queues import by_queue, together
from penstock.panel.metrics.readers import by_reader
from penstock.panel.metrics.totals import totals
from penstock.panel.replies import Reply
from penstock.panel.routes import MONITORING, Route

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from penstock.panel.routes import Table
    from penstock.panel.visit import Visit

__all__ = ["ROUTES"]

#: What a broker calls itself before those who ask for a node.
NODE: Final = "penstock"


async def metrics(visit: Visit) -> Reply:
    """All queues in one: what an overview needs."""
    hosts = visit.broker.hosts.values()
    return _told(chain(_broker(visit), together(hosts, visit.broker.now), await _pipelines(visit)))


async def per_object(visit: Visit) -> Reply:
    """Queue by queue, and reader by reader."""
    hosts, now = list(visit.broker.hosts.values()), visit.broker.now
    readers, pipelines = by_reader(hosts, now), await _pipelines(visit)
    return _told(chain(_broker(visit), by_queue(hosts, now), readers, pipelines))


def _broker(visit: Visit) -> Iterable[str]:
    up_for = visit.broker.now - visit.panel.started_at
    return chain(process(visit.front.settings, NODE, up_for), totals(visit.panel.embedded))


async def _pipelines(visit: Visit) -> Iterable[str]:
    source = visit.panel.resources.pipelines
    return () if source is None else by_pipeline(await source.listed())


def _told(families: Iterable[str]) -> Reply:
    return Reply(kind=CONTENT_TYPE, stream=_in_pieces(families))


async def _in_pieces(families: Iterable[str]) -> AsyncIterator[bytes]:
    """A family at a time, or less: messages flow in between."""
    for text in families:
        if text:
            yield text.encode()
        await asyncio.sleep(0)


ROUTES: Final[Table] = {
    ("GET", "/metrics"): Route(
        metrics,
        "Numbers for Prometheus, all queues together.",
        MONITORING,
        reply=str,
        reply_kind=CONTENT_TYPE,
    ),
    ("GET", "/metrics/per-object"): Route(
        per_object, "Numbers for Prometheus, queue by queue.", MONITORING, reply=str, reply_kind=CONTENT_TYPE
    ),
}
