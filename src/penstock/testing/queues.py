"""What a test sees of a queue: how much stands where, and the messages themselves, undisturbed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.wiring import State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.server.amqp.message import AmqpMessage
    from penstock.wire.amqp import BasicProperties
    from penstock.wiring import Queue, Reference

__all__ = ["SeenMessage", "SeenQueue", "look_at"]

#: In the order in which messages are shown.
STATES: Final = (State.HELD, State.READY, State.DELAYED, State.BURIED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenMessage:
    """One message in a queue."""

    body: bytes
    exchange: str
    routing_key: str
    properties: BasicProperties
    #: Where it stands: "ready", "held" by a consumer, "delayed", or "buried".
    state: str
    #: Times it came back from a consumer's hands.
    redelivered: int

    @property
    def headers(self) -> Mapping[str, Any]:
        """The headers among its properties; none is an empty mapping."""
        return self.properties.headers or {}


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenQueue:
    """A queue when it was looked at."""

    name: str
    consumers: int
    #: Those in consumers' hands first, then in the order in which they would leave.
    messages: tuple[SeenMessage, ...]

    @property
    def depth(self) -> int:
        """How many messages are in it, wherever they stand."""
        return len(self.messages)

    @property
    def bodies(self) -> list[bytes]:
        """The bodies of all messages."""
        return [message.body for message in self.messages]

    def count(self, state: str) -> int:
        """How many are "ready", "held", "delayed" or "buried"."""
        return sum(message.state == state for message in self.messages)


def look_at(queue: Queue) -> SeenQueue:
    """What is in a queue now."""
    messages = tuple(_seen(reference, state) for state in STATES for reference in queue.peek(state))
    return SeenQueue(name=queue.name, consumers=len(queue.dispatch.consumers), messages=messages)


def _seen(reference: Reference, state: State) -> SeenMessage:
    message: AmqpMessage = reference.message  # type: ignore[assignment]
    return SeenMessage(
        body=bytes(message.body),
        exchange=message.route.exchange,
        routing_key=message.route.routing_key,
        properties=message.content,
        state=state.value,
        redelivered=reference.redelivered,
    )
