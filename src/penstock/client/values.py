"""What a client is given and gives: messages to send, things to declare, what the broker says of itself.

Values only. What becomes of the declared things is in `desired.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.wire.amqp import BasicProperties

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.wire.amqp.table import Table

__all__ = ["Binding", "Exchange", "Outgoing", "Queue", "QueueState", "ServerInfo", "Thing"]

_NO_PROPERTIES: Final = BasicProperties.of()


class Outgoing(NamedTuple):  # one is made for every message: a frozen dataclass takes four times as long
    """A message and where it goes. Mandatory: a message that no queue takes is an error, not a loss."""

    exchange: str
    routing_key: str
    body: bytes
    properties: BasicProperties = _NO_PROPERTIES
    mandatory: bool = True


@dataclass(frozen=True, slots=True)
class Exchange:
    """An exchange as it should be."""

    name: str
    type: str = "direct"
    durable: bool = True
    auto_delete: bool = False
    internal: bool = False
    arguments: Table = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue as it should be.

    Without a name the broker makes one, and another one after each loss of the connection: give the Queue
    itself to `Binding` and `consume`, which follow it. Each such Queue is one of its own.
    """

    name: str = ""
    durable: bool = True
    exclusive: bool = False
    auto_delete: bool = False
    arguments: Table = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Binding:
    """Messages of the source that fit the key, or the arguments, flow to the target."""

    source: str
    target: str | Queue
    routing_key: str = ""
    arguments: Table = field(default_factory=dict, hash=False)
    to_exchange: bool = False


Thing = Exchange | Queue | Binding


@dataclass(frozen=True, slots=True)
class QueueState:
    """How full a queue is: messages ready to be delivered, and consumers."""

    messages: int
    consumers: int


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What the broker says it is."""

    product: str = ""
    version: tuple[int, ...] = ()
    capabilities: frozenset[str] = frozenset()
    #: The name of the broker, or of the cluster that it is part of; brokers of one name are one.
    cluster: str = ""

    @classmethod
    def of(cls, properties: Mapping[str, object]) -> ServerInfo:
        """What stands in the server properties of connection.start."""
        capabilities = properties.get("capabilities")
        able = capabilities if isinstance(capabilities, dict) else {}
        return cls(
            product=str(properties.get("product", "")),
            version=_version(str(properties.get("version", ""))),
            capabilities=frozenset(name for name, is_able in able.items() if is_able is True),
            cluster=str(properties.get("cluster_name", "")),
        )


def _version(text: str) -> tuple[int, ...]:
    """The leading numbers of "4.3.0-rc.1"."""
    numbers: list[int] = []
    for part in text.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if digits:
            numbers.append(int(digits))
        if digits != part:
            break
    return tuple(numbers)
