"""The queues of a DID domain, by Orb's names, and what the broker must have for them. Pure.

Domains that share a broker have a word of their own in place of `orb`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.messaging.message import Destination
from penstock.messaging.redelivery import RedeliveryNames, redelivery_topology

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.messaging.port import Topology

__all__ = ["HANDLED", "DomainQueues"]

#: What stands behind the domain's word in the names of the queues that handlers subscribe to;
#: redelivery and wait are redelivery's own.
HANDLED: Final = ("activity.outbox", "activity.inbox", "operation", "anchor_linkset", "anchor", "did")


@dataclass(frozen=True, slots=True)
class DomainQueues(RedeliveryNames):
    """The names of all eight queues, and of the one for dead letters."""

    def named(self, what: str) -> str:
        """The whole name of one of those that handlers subscribe to.

        Raises:
            ValueError: there is no such queue.
        """
        if what not in HANDLED:
            raise ValueError(f"a domain has no queue for {what}: {', '.join(HANDLED)}")
        return f"{self.domain}.{what}"

    @property
    def operation(self) -> str:
        """Where DID operations wait for an instance to take them."""
        return self.named("operation")

    def destination(self, queue: str) -> Destination:
        """Where a message for a queue is published to: the domain's exchange, its key the queue's name."""
        return Destination(self.domain, queue)

    def topology(self, arguments: Mapping[str, Any] | None = None) -> Topology:
        """What the broker must have; `arguments` are those of every queue."""
        return redelivery_topology(map(self.named, HANDLED), names=self, arguments=arguments)
