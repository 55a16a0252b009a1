"""Topology: what an application wants the broker to have, against what it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.client import Binding, Exchange, Queue
from penstock.messaging.topology.live import from_definitions
from penstock.messaging.topology.plan import Action, make_plan
from penstock.messaging.topology.written import load
from penstock.panel.replies import json_reply
from penstock.server.amqp.inventory import inventory

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.messaging.topology.plan import Step
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit

__all__ = ["TopologyDesk", "plan"]

VERBS: Final = {
    Action.CREATE: "create",
    Action.DELETE: "delete",
    Action.RECREATE: "recreate",
    Action.CONFLICT: "conflict",
    Action.LEAVE: "leave",
}
NOUNS: Final = {Exchange: "exchange", Queue: "queue", Binding: "binding"}


class TopologyDesk:
    """A file with what is wanted, as `penstock topology` reads it, in one virtual host."""

    def __init__(self, file: Path, vhost: str) -> None:
        self._file = file
        self.vhost = vhost

    def plan(self, there: dict[str, Any]) -> dict[str, Any]:
        """The way from what is there to what the file wants; read anew each time, since it is edited."""
        found = make_plan(load(self._file), from_definitions(there))
        return {
            "vhost": self.vhost,
            "in_step": found.is_in_sync,
            "changes": [_change(step) for step in found.steps],
        }


async def plan(visit: Visit) -> Reply:
    """What would have to be done to the broker."""
    desk: TopologyDesk = visit.panel.resources.demand("topology")
    host = visit.host(desk.vhost)
    visit.broker.settle(host)
    return json_reply(desk.plan(inventory(host, lambda _: True)))


def _change(step: Step) -> dict[str, str]:
    thing = step.thing
    name = f"{thing.source} → {_name(thing.target)}" if isinstance(thing, Binding) else thing.name
    return {"verb": VERBS[step.action], "noun": NOUNS[type(thing)], "name": name, "reason": step.why}


def _name(target: Any) -> str:
    return target if isinstance(target, str) else target.name
