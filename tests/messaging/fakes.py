"""Stand-ins for the broker's side of the port: they note what is done to them."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.clock import VirtualClock
from penstock.messaging import Alert, Destination, Message, Topology
from penstock.messaging.message import Heading, Wishes
from penstock.messaging.tracing import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.errors import ClientError, PenstockError, PublishError
    from penstock.messaging import Death, Received


class FakeReceived:
    """A message in hand, and what became of it."""

    def __init__(
        self,
        message: Message | None = None,
        *,
        queue: str = "shop.bills",
        destination: Destination | None = None,
        is_lost: bool = False,
        is_heard: bool = True,
    ) -> None:
        self.message = message or Message(body=b"{}", id="m1", type="Bill")
        self.queue = queue
        self.destination = destination or Destination("shop", "Bill")
        self.redelivered = False
        self.delivery_count = 0
        self.deaths: Sequence[Death] = ()
        self.is_lost = is_lost
        #: Whether a certain ack is.
        self.is_heard = is_heard
        #: Each verb that settled it.
        self.settled: list[str] = []

    @property
    def heading(self) -> Heading:
        return Heading(self.message.type, self.message.version, self.message.content_type)

    @property
    def type(self) -> str:
        return self.message.type

    @property
    def wishes(self) -> Wishes:
        return Wishes(self.message.reply_to, float(self.message.headers.get("x-ttr", 0)) or None)

    @property
    def trace(self) -> Trace | None:
        return Trace.maybe_in(self.message.headers)

    @property
    def body(self) -> bytes:
        return self.message.body

    def _settle(self, how: str) -> None:
        if not self.settled:
            self.settled.append(how)

    def ack(self) -> None:
        self._settle("ack")

    async def ack_for_certain(self) -> bool:
        self._settle("ack for certain")
        return self.is_heard

    def reject(self) -> None:
        self._settle("reject")

    def requeue(self) -> None:
        self._settle("requeue")


@dataclass
class FakeSubscribed:
    """A subscription as the broker sees it."""

    queue: str
    receive: Callable[[list[Received]], None]
    prefetch: int
    pool: int
    is_live: bool = True

    async def cancel(self) -> None:
        self.is_live = False


@dataclass
class FakeBroker:
    """A broker that notes what is published, and fails when told to."""

    clock: VirtualClock = field(default_factory=lambda: VirtualClock(1000.0))
    published: list[tuple[Message, Destination]] = field(default_factory=list)
    subscriptions: list[FakeSubscribed] = field(default_factory=list)
    topologies: list[Topology] = field(default_factory=list)
    #: What the next publishes raise; None is one that works.
    errors: deque[PenstockError | None] = field(default_factory=deque)
    #: What the next subscriptions raise.
    refusals: deque[ClientError | None] = field(default_factory=deque)
    #: What `fetch` finds.
    waiting: deque[FakeReceived] = field(default_factory=deque)
    product: str = "Fake"
    version: tuple[int, ...] = (1,)
    is_connected: bool = True

    async def initialize(self, topology: Topology) -> None:
        self.topologies.append(topology)

    async def publish(self, message: Message, to: Destination, *, timeout: float | None = None) -> None:  # noqa: ASYNC109
        error = self.errors.popleft() if self.errors else None
        if error is not None:
            raise error
        self.published.append((message, to))

    async def publish_many(
        self,
        messages: Sequence[tuple[Message, Destination]],
        *,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> list[PublishError | None]:
        self.published += messages
        return [None] * len(messages)

    async def subscribe(
        self,
        queue: str,
        receive: Callable[[list[Received]], None],
        *,
        prefetch: int,
        pool: int = 1,
        any_size: bool = False,
    ) -> FakeSubscribed:
        error = self.refusals.popleft() if self.refusals else None
        if error is not None:
            raise error
        self.subscriptions.append(FakeSubscribed(queue, receive, prefetch, pool))
        return self.subscriptions[-1]

    async def fetch(self, queue: str) -> FakeReceived | None:
        return self.waiting.popleft() if self.waiting else None

    async def depth(self, queue: str) -> int | None:
        declared = {each.name for topology in self.topologies for each in topology.queues}
        return len(self.waiting) if self.waiting or queue in declared else None

    async def close(self) -> None:
        self.is_connected = False

    def deliver(self, *received: FakeReceived) -> None:
        """Hand messages to the subscriber."""
        self.subscriptions[-1].receive(list(received))


@dataclass
class FakeAlerts:
    """Alerts that were raised."""

    raised: list[Alert] = field(default_factory=list)

    def raise_alert(self, alert: Alert) -> None:
        self.raised.append(alert)

    @property
    def kinds(self) -> list[str]:
        return [alert.kind for alert in self.raised]


async def turns(count: int = 20) -> None:
    """Let everybody do what they can do now."""
    for _ in range(count):
        await asyncio.sleep(0)


async def advance(broker: FakeBroker, seconds: float) -> None:
    """Let so much time pass, and everybody do what they do about it."""
    broker.clock.advance(seconds)
    await turns()


def headers_of(broker: FakeBroker) -> dict[str, Any]:
    """The headers of the only message that was published."""
    ((message, _),) = broker.published
    return dict(message.headers)
