"""Upkeep: what RabbitMQ's tools ask a cluster to do, of which one node has done most already.

What is so anyway is done; what cannot be is refused with the reason, so that nobody waits for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from penstock.panel.api.nodes import node_name
from penstock.panel.api.queues import find_queue
from penstock.panel.replies import DONE, ApiFault, json_reply

if TYPE_CHECKING:
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit

__all__ = [
    "ActionBody",
    "act_on_queue",
    "auth",
    "rebalance",
    "refuse_flag",
    "refuse_name",
    "refuse_reset",
    "start_vhost",
]


class ActionBody(msgspec.Struct):
    """What a mirrored queue can be told to do."""

    action: Literal["sync", "cancel_sync"]


async def auth(visit: Visit) -> Reply:
    """How to log in: with a name and a password; RabbitMQ's page asks before anybody is there."""
    return json_reply({"oauth_enabled": False, "enable_uaa": False, "uaa_client_id": "", "uaa_location": ""})


async def rebalance(visit: Visit) -> Reply:
    """All queues are where they can be: on the one node."""
    return DONE


async def act_on_queue(visit: Visit, vhost: str, name: str) -> Reply:
    """A queue without mirrors is in step with all of them."""
    find_queue(visit.host(vhost), name)
    return DONE


async def start_vhost(visit: Visit, vhost: str, node: str) -> Reply:
    """A virtual host runs as long as the node does."""
    visit.host(vhost)
    if node != node_name():
        raise ApiFault(400, f"there is no node '{node[:100]}': this broker is '{node_name()}'")
    return DONE


async def refuse_name(visit: Visit) -> Reply:
    """The broker is called after its machine."""
    raise ApiFault(400, f"this broker is called after its machine, '{node_name()}', and by no other name")


async def refuse_reset(visit: Visit, **names: str) -> Reply:
    """Counts are what has happened."""
    raise ApiFault(400, "counts are since the broker started: start it again to begin with none")


async def refuse_flag(visit: Visit, **names: str) -> Reply:
    """Everything is enabled."""
    raise ApiFault(400, "this broker has no feature flags: what it can is enabled")
