"""A consumer at work on a broker that notes everything."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from random import Random
from typing import TYPE_CHECKING, Any

from penstock.messaging import Destination, Message
from penstock.messaging.subscriptions import Consumer, Subscription
from tests.messaging.fakes import FakeAlerts, FakeBroker, FakeReceived

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

HOME = Destination.queue("shop.dead-letters")


class Shop:
    """A subscription to "shop.bills"."""

    def __init__(self, handler: Callable[..., Any], **options: Any) -> None:
        self.broker = FakeBroker()
        self.alerts = FakeAlerts()
        consumer = Consumer(name="shop.bills", queue="shop.bills", handler=handler, **options)
        self.subscription = Subscription(
            consumer, self.broker, dead_letters=HOME, alerts=self.alerts, random=Random(1)
        )
        self.counters = self.subscription.counters

    def deliver(self, *ids: str, **properties: Any) -> list[FakeReceived]:
        """Messages come."""
        received = [FakeReceived(Message(body=b"{}", id=each, type="Bill", **properties)) for each in ids]
        self.broker.deliver(*received)
        return received

    @property
    def dead(self) -> list[str]:
        """The ids of dead letters."""
        return [message.id for message, to in self.broker.published if to == HOME]

    @property
    def retried(self) -> list[str]:
        """The ids of messages sent back to the queue."""
        return [message.id for message, to in self.broker.published if to != HOME]


@asynccontextmanager
async def opened(handler: Callable[..., Any], **options: Any) -> AsyncIterator[Shop]:
    shop = Shop(handler, **options)
    await shop.subscription.start()
    try:
        yield shop
    finally:
        stopping = asyncio.create_task(shop.subscription.stop(0))
        await asyncio.sleep(0)
        shop.broker.clock.advance(0)
        await stopping


def run(story: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await story()

    asyncio.run(main())
