"""Workers, relays and pipelines: neighbours of the broker, shown as their sources tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.panel.replies import json_reply

if TYPE_CHECKING:
    from penstock.panel.own.port import Pipelines, Workers
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit

__all__ = ["pipelines", "relays", "workers"]


async def workers(visit: Visit) -> Reply:
    """Who is alive, and what they do."""
    source: Workers = visit.panel.resources.demand("workers")
    return json_reply(list(await source.listed()))


async def relays(visit: Visit) -> Reply:
    """Who publishes what waits in outboxes."""
    source: Workers = visit.panel.resources.demand("workers")
    return json_reply(list(await source.relays()))


async def pipelines(visit: Visit) -> Reply:
    """How each pipeline is doing."""
    source: Pipelines = visit.panel.resources.demand("pipelines")
    return json_reply(list(await source.listed()))
