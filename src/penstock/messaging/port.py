"""The Broker port: what an application asks of a broker, whichever it is, and what it lends in return.

Commonwealth's port is initialize, publish, subscribe; the rest are their companions. Adapters are in amqp.py
(RabbitMQ, or a Penstock server), embedded.py (the real broker in this process) and beanstalk/ (beanstalkd);
`open_broker` picks one by URL. Nothing here has code.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from penstock.messaging.topology.model import Topology

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from penstock.clock import Clock
    from penstock.errors import PublishError
    from penstock.messaging.message import Death, Destination, Heading, Message, Wishes
    from penstock.messaging.tracing.trace import Trace

__all__ = [
    "Alert",
    "Alerts",
    "Broker",
    "Delays",
    "Detour",
    "Received",
    "Subscribed",
    "Topology",
]


class Received(Protocol):
    """A message in hand. Settle it once, with ack, reject or requeue; settling never waits and never raises.

    A settlement after the connection was lost is a counted no-op: the broker has taken the message back and
    will give it to somebody again.
    """

    @property
    def message(self) -> Message:
        """The message, read from the wire when first asked for."""
        ...

    @property
    def heading(self) -> Heading:
        """The message's type, version and content type, without reading the rest."""
        ...

    @property
    def type(self) -> str:
        """The message's type, without reading the rest."""
        ...

    @property
    def wishes(self) -> Wishes:
        """What the message asks of whoever handles it, without reading the rest."""
        ...

    @property
    def body(self) -> bytes:
        """The message's body, without reading the rest."""
        ...

    @property
    def trace(self) -> Trace | None:
        """The trace that it is part of, if it is of one."""
        ...

    @property
    def queue(self) -> str:
        """The queue it was taken from."""
        ...

    @property
    def destination(self) -> Destination:
        """What it was published to; of a copy, what the first was published to."""
        ...

    @property
    def redelivered(self) -> bool:
        """Whether a consumer had it before and did not settle it."""
        ...

    @property
    def is_lost(self) -> bool:
        """Whether the broker has taken it back, the connection or its time being over: no use to begin."""
        ...

    @property
    def delivery_count(self) -> int:
        """How often consumers failed on it, where the broker counts (quorum queues, Penstock); else 0."""
        ...

    @property
    def deaths(self) -> Sequence[Death]:
        """Where and why it died before, newest first."""
        ...

    def ack(self) -> None:
        """It is done with."""
        ...

    async def ack_for_certain(self) -> bool:
        """Ack, and return when the broker has it; False if it was lost before, and will come again."""
        ...

    def reject(self) -> None:
        """It failed here: the broker sends it to the queue's dead-letter home, or drops it without one."""
        ...

    def requeue(self) -> None:
        """It goes back to its queue, through no fault of its own."""
        ...


class Subscribed(Protocol):
    """A standing subscription to a queue."""

    @property
    def is_live(self) -> bool:
        """Whether the broker agrees that there is a consumer, now."""
        ...

    async def cancel(self) -> None:
        """Take no more; what is in hand may still be settled."""
        ...


class Broker(Protocol):
    """A broker, from an application's side of it."""

    @property
    def product(self) -> str:
        """What answers there: "RabbitMQ", "Penstock", "beanstalkd"."""
        ...

    @property
    def version(self) -> tuple[int, ...]:
        """The product's version."""
        ...

    @property
    def clock(self) -> Clock:
        """The clock by which everything here waits."""
        ...

    @property
    def is_connected(self) -> bool:
        """Whether the broker can be reached, as far as is known."""
        ...

    async def initialize(self, topology: Topology) -> None:
        """Have all of that, now and again after every loss of the broker. May be called several times.

        Raises:
            NotPortable: that broker cannot do what is asked of it.
            BrokerRefused: something is there already, but not like that.
        """
        ...

    async def publish(
        self,
        message: Message,
        to: Destination,
        *,
        timeout: float | None = None,  # noqa: ASYNC109  by the broker's clock
    ) -> None:
        """Publish, and return when the broker has confirmed. `message.delay` is kept on every broker.

        Raises:
            Unroutable: no queue takes it.
            PublishError: it was refused, or the deadline passed, or the connection went.
        """
        ...

    async def publish_many(
        self,
        messages: Sequence[tuple[Message, Destination]],
        *,
        timeout: float | None = None,  # noqa: ASYNC109  by the broker's clock
    ) -> list[PublishError | None]:
        """Publish all of them in order with one wait; what happened to each, None is confirmed."""
        ...

    async def subscribe(
        self,
        queue: str,
        receive: Callable[[list[Received]], None],
        *,
        prefetch: int,
        pool: int = 1,
        any_size: bool = False,
    ) -> Subscribed:
        """Have the queue's messages handed over, at most `prefetch` unsettled to each of `pool` consumers.

        `receive` runs where the socket is read: it puts the messages aside and returns. What is larger than
        the settings allow is rejected unseen, but with `any_size`, for queues whose rejections go nowhere.
        """
        ...

    async def fetch(self, queue: str) -> Received | None:
        """One message, or None if the queue is empty."""
        ...

    async def depth(self, queue: str) -> int | None:
        """How many messages wait in the queue; None if there is no such queue."""
        ...

    async def close(self) -> None:
        """Flush what was settled and leave."""
        ...


# Delays on a broker that has none (delays.py)


@dataclass(frozen=True, slots=True, kw_only=True)
class Detour:
    """The way of a message that is to arrive later."""

    #: What must be there before the message is sent; declared once each.
    topology: Topology
    to: Destination
    #: Headers that the message carries on that way, beside its own.
    headers: Mapping[str, Any] = field(default_factory=dict)


class Delays(Protocol):
    """How a message waits on a broker that has no delays of its own. An adapter is lent one."""

    def detour(self, delay: float, to: Destination) -> Detour:
        """The way that takes so many seconds and ends there."""
        ...


# Alerts (alerts/)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """Something that a person should know."""

    #: What kind: exhausted, unrouted, stuck-consumer, relay-failing, paused.
    kind: str
    #: Whom it concerns; kind and subject together are what is deduplicated by.
    subject: str
    text: str
    details: Mapping[str, Any] = field(default_factory=dict)
    #: Whether somebody must do something.
    is_critical: bool = False


class Alerts(Protocol):
    """Where alerts go. Raising one never waits and never fails."""

    def raise_alert(self, alert: Alert) -> None:
        """Let somebody know, unless they were told just now."""
        ...
