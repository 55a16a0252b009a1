"""A broker that writes down what it is given, fails as it is told, and delivers nothing.

For tests of what a relay does about each answer; that real brokers take what it sends is tested with real
ones (test_relay_brokers.py, tests/faults).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.clock import VirtualClock
from penstock.errors import BrokerRefused, NotConnected, PublishError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.clock import Clock
    from penstock.messaging import Alert, Destination, Message, Received, Subscribed, Topology


class RecordingBroker:
    """Confirms everything, unless told otherwise."""

    product = "Recording"
    version = (1,)

    def __init__(self, clock: Clock | None = None) -> None:
        self.clock: Clock = clock or VirtualClock(1_000_000.0)
        self.is_connected = True
        self.published: list[tuple[Message, Destination]] = []
        #: How many messages each publish_many had.
        self.batches: list[int] = []
        #: What a message with this body fails with.
        self.errors: dict[bytes, PublishError] = {}
        #: Called before each batch.
        self.before: Callable[[], Any] = lambda: None

    @property
    def bodies(self) -> list[bytes]:
        return [message.body for message, _ in self.published]

    def has_published(self, count: int) -> bool:
        return len(self.published) == count

    def was_asked(self, times: int) -> bool:
        return len(self.batches) == times

    async def publish(
        self,
        message: Message,
        to: Destination,
        *,
        timeout: float | None = None,  # noqa: ASYNC109  the port's own
    ) -> None:
        (error,) = await self.publish_many([(message, to)], timeout=timeout)
        if error:
            raise error

    async def publish_many(
        self,
        messages: Sequence[tuple[Message, Destination]],
        *,
        timeout: float | None = None,  # noqa: ASYNC109  the port's own
    ) -> list[PublishError | None]:
        if (waited := self.before()) is not None:
            await waited
        self.batches.append(len(messages))
        if not self.is_connected:
            raise NotConnected("there is nobody")
        answers = [self.errors.get(message.body) for message, _ in messages]
        self.published += [sent for sent, error in zip(messages, answers, strict=True) if error is None]
        return answers

    async def initialize(self, topology: Topology) -> None:
        raise BrokerRefused("it has no queues, and no place for presences", code=540)

    async def subscribe(
        self,
        queue: str,
        receive: Callable[[list[Received]], None],
        *,
        prefetch: int,
        pool: int = 1,
        any_size: bool = False,
    ) -> Subscribed:
        raise NotImplementedError

    async def fetch(self, queue: str) -> Received | None:
        raise NotImplementedError

    async def depth(self, queue: str) -> int | None:
        raise NotImplementedError

    async def close(self) -> None:
        """Nothing to leave."""


class RecordingAlerts:
    """Everything that somebody should know."""

    def __init__(self) -> None:
        self.raised: list[Alert] = []

    def raise_alert(self, alert: Alert) -> None:
        self.raised.append(alert)
