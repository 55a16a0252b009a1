"""Where messages go: exchanges, queues, bindings, and the messages themselves."""

from __future__ import annotations

from typing import Any, TypedDict

from penstock.panel.api.shapes.clients import Consumer  # noqa: TC001  msgspec reads them
from penstock.panel.api.shapes.flow import Depths, MessageStats, Passed

__all__ = [
    "Binding",
    "Exchange",
    "Got",
    "Moved",
    "OneExchange",
    "OneQueue",
    "Peeked",
    "Queue",
    "Routed",
]


#: The class of a proxy; RabbitMQ has none, and the word is Python's own.
_Class = TypedDict("_Class", {"class": str}, total=False)


class Exchange(_Class, total=False):
    """A proxy, as AMQP has it."""

    name: str
    vhost: str
    type: str
    durable: bool
    auto_delete: bool
    internal: bool
    arguments: dict[str, Any]
    policy: None
    message_stats: Passed


class OneExchange(Exchange, total=False):
    """An exchange by itself."""

    incoming: list[Any]
    outgoing: list[Any]


class Owner(TypedDict):
    """The connection that a queue belongs to."""

    name: str


class Queue(Depths, total=False):
    """A queue."""

    name: str
    vhost: str
    type: str
    durable: bool
    auto_delete: bool
    exclusive: bool
    arguments: dict[str, Any]
    node: str
    state: str
    policy: None
    operator_policy: None
    effective_policy_definition: dict[str, Any]
    consumers: int
    single_active_consumer_tag: str | None
    exclusive_consumer_tag: str | None
    head_message_timestamp: None
    #: Since when nothing has happened to it; not there while something does.
    idle_since: str
    #: Seconds that the first in line has waited.
    oldest_age: float | None
    message_stats: MessageStats
    message_bytes_ready: int
    owner_pid_details: Owner


class OneQueue(Queue, total=False):
    """A queue, with its consumers and readers."""

    consumer_details: list[Consumer]
    readers: list[dict[str, Any]]
    incoming: list[Any]
    deliveries: list[Any]


class Binding(TypedDict, total=False):
    """What leads from an exchange to a queue or an exchange."""

    source: str
    vhost: str
    destination: str
    destination_type: str
    routing_key: str
    arguments: dict[str, Any]
    properties_key: str


class Message(TypedDict, total=False):
    """A message."""

    #: Of all of it, however much of it is told.
    payload_bytes: int
    exchange: str
    routing_key: str
    properties: dict[str, Any]
    payload: str
    #: "string" or "base64".
    payload_encoding: str
    redelivered: bool


class Got(Message, total=False):
    """A message that was taken, and how many were left then."""

    message_count: int


class Peeked(Message, total=False):
    """A message where it stands; times in seconds."""

    position: int
    deliveries: int
    failures: int
    error: str | None
    age: float
    due_in: float | None


class Moved(TypedDict):
    """How many messages were moved."""

    moved: int


class Routed(TypedDict):
    """Whether a queue asked for the message."""

    routed: bool
