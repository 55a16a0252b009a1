"""The overview: what the broker is, has and carries."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any, Final

from penstock import __version__
from penstock.broker import Counts, Depths, Growth, Rates
from penstock.broker.host import PASSAGE
from penstock.broker.turns import in_turns
from penstock.panel.api.figures import depths_told, message_stats
from penstock.panel.api.listeners import listeners
from penstock.panel.api.listing import one
from penstock.panel.api.nodes import exchange_types, node_name
from penstock.panel.api.queues import is_shown
from penstock.panel.api.samples import Asked, added
from penstock.panel.api.slices import chosen, mapped

if TYPE_CHECKING:
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit

__all__ = ["COMPATIBLE", "overview"]

#: The RabbitMQ whose API this is: tools choose by it what they ask for.
COMPATIBLE: Final = "3.13.0"
#: Seconds of the past that can be asked for: of the broker and its virtual hosts; of queues, exchanges and
#: connections; and of channels, of which none is kept here.
RETAINED: Final = {"global": [600, 3600, 28800, 86400], "basic": [600, 3600], "detailed": []}


async def overview(visit: Visit) -> Reply:
    """The overview, over the virtual hosts that the visitor may see."""
    for host in visit.hosts():
        visit.broker.settle(host)
    hosts, asked = visit.hosts(), Asked.by(visit)
    told = [await in_turns(visit.broker.statistics.totals(host, visit.broker.now)) for host in hosts]
    counts = Counts(*map(sum, zip(Counts(), *(each.counts for each in told), strict=True)))
    rates = Rates(*map(sum, zip(Rates(), *(each.rates for each in told), strict=True)))
    depths = Depths(*map(sum, zip(Depths(), *(each.depths for each in told), strict=True)))
    growth = Growth(*map(sum, zip(Growth(), *(each.growth for each in told), strict=True)))
    flowed, stood = (
        added(
            asked.past(kind, visit, *pair)
            for pair in zip(hosts, (each.figures for each in told), strict=True)
        )
        for kind in ("msg_rates", "lengths")
    )
    return one(
        visit,
        {
            "product_name": "Penstock",
            "product_version": __version__,
            "management_version": COMPATIBLE,
            "rabbitmq_version": COMPATIBLE,
            "python_version": platform.python_version(),
            "cluster_name": node_name(),
            "node": node_name(),
            "rates_mode": "basic",
            "sample_retention_policies": RETAINED,
            "exchange_types": exchange_types(),
            "message_stats": message_stats(counts, rates, flowed),
            "queue_totals": depths_told(depths, growth, stood),
            "object_totals": await _objects(visit),
            "listeners": [{"node": node_name(), **each._asdict()} for each in listeners(visit)],
            "contexts": [],
            "alarms": visit.front.blocked,
            "disable_stats": False,
            "enable_queue_totals": True,
            "statistics_db_event_queue": 0,
        },
    )


async def _objects(visit: Visit) -> dict[str, Any]:
    hosts, sessions = visit.hosts(), [each for each in visit.front.sessions if each.is_open]
    sessions = [each for each in sessions if visit.sees_all or each.user_name == visit.user.name]
    queues = await chosen([queue for host in hosts for queue in host.wiring.queues.values()], is_shown)
    consumers = sum(await mapped(queues, lambda queue: len(queue.dispatch.consumers)))
    exchanges = [name for host in hosts for name in host.wiring.proxies if not name.startswith(PASSAGE)]
    return {
        "connections": len(sessions)
        + (len(visit.panel.embedded.beanstalk.sessions) if visit.sees_all else 0),
        "channels": sum(len(session.channels) for session in sessions),
        "consumers": consumers,
        "exchanges": len(exchanges),
        "queues": len(queues),
    }
