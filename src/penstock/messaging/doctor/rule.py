"""Rules: what stands in an application's way on some brokers, and whom in a topology it concerns.

The rules themselves are in rules.py, as data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.messaging.topology.model import Topology
from penstock.messaging.topology.routing import reached

if TYPE_CHECKING:
    from penstock.client import Binding, Exchange, Queue
    from penstock.messaging.doctor.finding import Severity

__all__ = ["Rule", "bindings", "exchanges", "is_classic", "is_quorum", "is_unsafe", "queues", "unheard"]

Things = Callable[[Topology], Iterable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Something that stands in an application's way on some brokers."""

    #: What docs and tests call it.
    name: str
    severity: Severity
    #: The subjects in a topology that it concerns.
    finds: Things
    #: Why, and what to do.
    text: str
    #: On every product if it is empty.
    product: str = ""
    #: The first version it holds for, and the first it holds for no more.
    since: tuple[int, ...] = ()
    until: tuple[int, ...] | None = None

    def holds_on(self, product: str, version: tuple[int, ...]) -> bool:
        """Whether a broker of that version has it."""
        if self.product and self.product != product:
            return False
        return self.since <= version and (self.until is None or version < self.until)


# Whom a rule concerns


def queues(is_one: Callable[[Queue, dict[str, Any]], bool]) -> Things:
    """The queues for which something is so; it is asked of the queue and its arguments."""
    return lambda topology: (
        f"queue {queue.name}" for queue in topology.queues if is_one(queue, dict(queue.arguments))
    )


def exchanges(is_one: Callable[[Exchange], bool]) -> Things:
    """The exchanges for which something is so."""
    return lambda topology: (
        f"{exchange.type} exchange {exchange.name}" for exchange in topology.exchanges if is_one(exchange)
    )


def bindings(is_one: Callable[[Binding], bool]) -> Things:
    """The bindings for which something is so."""
    return lambda topology: (
        f"binding of {binding.source} to {binding.target}" for binding in topology.bindings if is_one(binding)
    )


def unheard(topology: Topology) -> Iterable[str]:
    """The publications that no queue takes."""
    for way in topology.publications:
        if (
            way.key is not None
            and not reached(topology, way.exchange, way.key)
            and not _longer(topology, way.key)
        ):
            yield f"publication {way.name}"


def _longer(topology: Topology, key: str) -> bool:
    """Whether somebody is bound by more words after that key: a publisher may know them."""
    return any(binding.routing_key.startswith(f"{key}.") for binding in topology.bindings)


def is_quorum(arguments: dict[str, Any]) -> bool:
    """Whether a queue with these arguments is a quorum queue."""
    return bool(arguments.get("x-queue-type") == "quorum")


def is_classic(arguments: dict[str, Any]) -> bool:
    """Whether a queue with these arguments is a classic one, as it is if it does not say."""
    return bool(arguments.get("x-queue-type", "classic") == "classic")


def is_unsafe(arguments: dict[str, Any]) -> bool:
    """Whether a queue asks for safe dead-lettering, and not for what that needs."""
    is_ready = arguments.get("x-overflow") == "reject-publish" and "x-dead-letter-exchange" in arguments
    return arguments.get("x-dead-letter-strategy") == "at-least-once" and not is_ready
