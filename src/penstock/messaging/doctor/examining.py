"""The examination: an application's topology, and a broker by what it says of itself. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.errors import NotPortable
from penstock.messaging.doctor.finding import Finding, Severity
from penstock.messaging.doctor.rules import PENSTOCK, RABBITMQ, RULES
from penstock.messaging.topology.plan import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.client import ServerInfo
    from penstock.messaging.topology.model import Topology
    from penstock.messaging.topology.plan import Plan

__all__ = ["demand_portable", "examine", "examine_broker", "examine_plan"]

#: The versions of RabbitMQ that applications are held to run on: the first, and the first that is too new.
FIRST: Final = (3, 10)
BEYOND: Final = (4, 4)
#: What every application needs of a broker, by the name it is announced under.
NEEDED: Final = {
    "publisher_confirms": "without confirms nobody knows whether a message has arrived",
    "basic.nack": "without it a message cannot be put back",
    "consumer_cancel_notify": "without it a consumer does not hear that its queue is gone",
}


def examine_broker(server: ServerInfo) -> Iterator[Finding]:
    """Whether any application can run on a broker."""
    name = f"{server.product or 'this broker'} {'.'.join(map(str, server.version))}".rstrip()
    for ability, why in NEEDED.items():
        if ability not in server.capabilities:
            yield Finding(Severity.REFUSED, name, f"it has no {ability}: {why}")
    if server.product == RABBITMQ and server.version < FIRST:
        yield Finding(Severity.REFUSED, name, "applications are held to run on 3.10 and later: upgrade it")
    elif server.product == RABBITMQ and server.version >= BEYOND:
        yield Finding(Severity.NOTE, name, "nothing is known here of versions after 4.3")
    elif server.product not in (RABBITMQ, PENSTOCK):
        yield Finding(Severity.NOTE, name, "nothing is known here of this product but what it announces")


def examine(topology: Topology, server: ServerInfo) -> Iterator[Finding]:
    """What of an application cannot run on a broker, or not as it should."""
    for rule in RULES:
        if rule.holds_on(server.product, server.version):
            for subject in rule.finds(topology):
                yield Finding(rule.severity, subject, rule.text)


def demand_portable(topology: Topology, server: ServerInfo) -> None:
    """Refuse a topology that cannot run on a broker, before it is tried.

    Raises:
        NotPortable: naming everything that stands in the way.
    """
    refused = [str(found) for found in examine(topology, server) if found.severity is Severity.REFUSED]
    if refused:
        raise NotPortable("; ".join(refused))


def examine_plan(plan: Plan) -> Iterator[Finding]:
    """What of it the broker has already, and differently."""
    for step in plan.conflicts:
        yield Finding(Severity.REFUSED, shown(step.thing), f"it is there, but not like that: {step.why}")
