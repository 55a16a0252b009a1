"""What the broker must have for redelivery, by Orb's names. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.client import Binding, Exchange, Queue
from penstock.messaging.port import Topology
from penstock.messaging.topology.deriving import Home, last_arguments, queue_arguments

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["RedeliveryNames", "redelivery_topology"]


@dataclass(frozen=True, slots=True)
class RedeliveryNames:
    """The names that all have in common what they begin with: in Orb, `orb`."""

    domain: str = "orb"

    @property
    def redelivery(self) -> str:
        """The dead-letter home of all queues, an exchange and a queue."""
        return f"{self.domain}.redelivery"

    @property
    def wait(self) -> str:
        """Where messages wait, an exchange and a queue; nobody subscribes to it."""
        return f"{self.domain}.wait"

    @property
    def dead_letters(self) -> str:
        """The queue for what was redelivered often enough."""
        return f"{self.domain}.dead-letters"

    @property
    def home(self) -> Home:
        """Where every queue sends what is to be redelivered."""
        return Home(exchange=self.redelivery, key=self.redelivery)


def redelivery_topology(
    queues: Iterable[str] = (),
    *,
    names: RedeliveryNames | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> Topology:
    """The domain's exchange with these queues, each bound by its own name, and the queues of redelivery.

    Args:
        queues: The application's; none if it declares them and its exchange itself, with `names.home` as
            the queues' home.
        names: What everything is called; by default as in Orb.
        arguments: Of every queue, such as `{"x-queue-type": "quorum"}`.
    """
    names = names or RedeliveryNames()
    own, extra = tuple(queues), dict(arguments or {})
    ways = [(names.domain, queue) for queue in own] + [
        (name, name) for name in (names.redelivery, names.wait)
    ]
    return Topology(
        exchanges=tuple(Exchange(name, "direct") for name in dict.fromkeys(exchange for exchange, _ in ways)),
        queues=(
            *(Queue(queue, arguments=queue_arguments(extra, names.home)) for queue in own),
            Queue(names.redelivery, arguments=last_arguments(extra)),
            # A message is held back before it gets here, so that none waits behind another; then it dies
            # at once.
            Queue(names.wait, arguments={**queue_arguments(extra, names.home), "x-message-ttl": 0}),
            Queue(names.dead_letters, arguments=last_arguments(extra)),
        ),
        bindings=tuple(Binding(exchange, queue, queue) for exchange, queue in ways),
    )
