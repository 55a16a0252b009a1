"""A topology derived from an application's handlers.

Each consumer has a queue, bound to the application's exchange once for each of its events, by the event's
name; an override replaces that key or drops it. Every queue has a home for its dead letters.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from penstock.client import Binding, Exchange, Queue
from penstock.errors import TopologyError
from penstock.messaging.topology.model import Publication, Subscription, Topology

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Consuming", "Home", "dead_letter_queue", "derive", "last_arguments", "queue_arguments"]

#: A quorum queue hands its dead letters over safely only if asked to, and only if it refuses what does not
#: fit instead of dropping it (RabbitMQ, "at-least-once dead lettering").
SAFE_QUORUM: Final = {"x-dead-letter-strategy": "at-least-once", "x-overflow": "reject-publish"}
#: A quorum queue without a home for its dead letters drops a message whose consumer went away twenty times
#: (RabbitMQ 4). A million times is as good as never, and every version knows the number.
PATIENT_QUORUM: Final = {"x-delivery-limit": 1_000_000}


@dataclass(frozen=True, slots=True, kw_only=True)
class Consuming:
    """A consumer, as far as the topology goes."""

    name: str
    #: The names of the events it is told of.
    events: tuple[str, ...]
    #: Its queue's name exactly; `<application>.<name>` if it is empty.
    queue: str = ""
    #: Keys of its own for some of the events: another key, or None for no binding at all.
    overrides: Mapping[str, str | None] = field(default_factory=dict)
    #: Of its queue, beside those that all queues have.
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where queues send their dead letters."""

    exchange: str
    key: str


def dead_letter_queue(application: str) -> str:
    """The queue that an application's dead letters go to."""
    return f"{application}.dead-letters"


def queue_arguments(given: Mapping[str, Any], home: Home) -> dict[str, Any]:
    """What a consumer's queue is declared with: its dead letters' home, unless it says otherwise."""
    kept = {"x-dead-letter-exchange": home.exchange, "x-dead-letter-routing-key": home.key}
    return {**kept, **(SAFE_QUORUM if _is_quorum(given) else {}), **given}


def last_arguments(given: Mapping[str, Any]) -> dict[str, Any]:
    """What a queue is declared with that has no home for dead letters, being one itself."""
    return {**(PATIENT_QUORUM if _is_quorum(given) else {}), **given}


def _is_quorum(arguments: Mapping[str, Any]) -> bool:
    return arguments.get("x-queue-type") == "quorum"


def derive(
    application: str,
    consumers: Iterable[Consuming],
    *,
    published: Iterable[str] = (),
    exchange: str | None = None,
    home: Home | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> Topology:
    """What an application with these consumers needs.

    Args:
        application: Its name, which its exchange has and its queues begin with.
        consumers: Its handlers.
        published: Names of the events it publishes, which nobody here may consume.
        exchange: The exchange's name, if it is not the application's.
        home: Where dead letters go; a queue `<application>.dead-letters`, declared with the rest, if None.
        arguments: Of every queue, such as `{"x-queue-type": "quorum"}`.

    Raises:
        TopologyError: two consumers want different things of one queue, or an override is for nothing.
    """
    exchange = exchange or application
    everyone = dict(arguments or {})
    topology = Topology(exchanges=(Exchange(exchange, type="topic"),))
    if home is None:
        home = Home(exchange="", key=dead_letter_queue(application))
        topology += Topology(queues=(Queue(home.key, arguments=last_arguments(everyone)),))
    names = list(published)
    for consumer in consumers:
        topology += _consumer(application, exchange, consumer, queue_arguments(everyone, home))
        names += consumer.events
    ways = (Publication(name=name, exchange=exchange, key=name) for name in dict.fromkeys(names))
    return topology + Topology(publications=tuple(ways))


def _consumer(application: str, exchange: str, consumer: Consuming, arguments: dict[str, Any]) -> Topology:
    queue = consumer.queue or f"{application}.{consumer.name}"
    return Topology(
        queues=(Queue(queue, arguments={**arguments, **consumer.arguments}),),
        bindings=tuple(Binding(exchange, queue, key) for key in _keys(consumer)),
        subscriptions=(Subscription(name=consumer.name, queue=queue),),
    )


def _keys(consumer: Consuming) -> list[str]:
    """The keys its queue is bound by, each once."""
    stray = [name for name in consumer.overrides if name not in consumer.events]
    if stray:
        raise TopologyError(
            f"consumer {consumer.name} has overrides for {', '.join(stray)}, which it does not consume"
        )
    keys = (consumer.overrides.get(name, name) for name in consumer.events)
    return list(dict.fromkeys(key for key in keys if key is not None))
