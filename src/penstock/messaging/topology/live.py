"""What a broker has, as far as it tells: the other side of a topology.

Values, and how they are read from RabbitMQ's definitions format, which its management API and Penstock's
answer over AMQP have in common. Who asks the broker is in looking.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.client import Binding, Exchange, Queue

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Live", "LiveQueue", "from_definitions", "is_built_in"]

#: Exchanges that every virtual host has begin so.
_BUILT_IN: Final = "amq."


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveQueue:
    """A queue that is there."""

    name: str
    #: How it was declared; None if the broker does not tell.
    declared: Queue | None = None
    #: All that is in it, in hands and in waiting included, as far as the broker tells.
    messages: int = 0
    consumers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """What a virtual host has."""

    product: str = ""
    version: tuple[int, ...] = ()
    queues: Mapping[str, LiveQueue] = field(default_factory=dict)
    #: None if the broker does not tell; as bindings.
    exchanges: Mapping[str, Exchange] | None = None
    bindings: tuple[Binding, ...] | None = None
    #: What could not be seen, and why; empty if everything was.
    unseen: str = ""


def is_built_in(exchange: str) -> bool:
    """Whether every virtual host has that exchange."""
    return not exchange or exchange.startswith(_BUILT_IN)


def from_definitions(found: Mapping[str, Iterable[Mapping[str, Any]]]) -> Live:
    """What lists of queues, exchanges and bindings tell; nobody else's exclusive queues are among it."""
    public = [each for each in found.get("queues", ()) if not each.get("exclusive")]
    own = [each for each in found.get("exchanges", ()) if not is_built_in(each["name"])]
    return Live(
        queues={each["name"]: _queue(each) for each in public},
        exchanges={each["name"]: _exchange(each) for each in own},
        # That every queue is bound to the default exchange goes without saying.
        bindings=tuple(_binding(each) for each in found.get("bindings", ()) if each["source"]),
    )


def _queue(found: Mapping[str, Any]) -> LiveQueue:
    name = found["name"]
    declared = Queue(
        name,
        durable=found["durable"],
        auto_delete=found["auto_delete"],
        arguments=dict(found.get("arguments") or {}),
    )
    # RabbitMQ counts every few seconds; a queue that was made just now has no counts yet.
    messages, consumers = found.get("messages") or 0, found.get("consumers") or 0
    return LiveQueue(name=name, declared=declared, messages=messages, consumers=consumers)


def _exchange(found: Mapping[str, Any]) -> Exchange:
    return Exchange(
        found["name"],
        found["type"],
        durable=found["durable"],
        auto_delete=found["auto_delete"],
        internal=bool(found.get("internal")),
        arguments=dict(found.get("arguments") or {}),
    )


def _binding(found: Mapping[str, Any]) -> Binding:
    return Binding(
        found["source"],
        found["destination"],
        found["routing_key"],
        arguments=dict(found.get("arguments") or {}),
        to_exchange=found["destination_type"] == "exchange",
    )
