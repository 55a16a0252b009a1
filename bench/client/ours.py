"""penstock.client, with a future, a coroutine, and a batch: three ways to publish many messages at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import uvloop
from workload import BODY, PREFETCH, QUEUE, WINDOW, Stopwatch

from penstock.client import Outgoing, connect
from penstock.wire.amqp import BasicProperties

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from penstock.client import Client, Delivery

__all__ = ["Ours", "OursAsCoroutines", "OursInBatches"]

PROPERTIES: Final = BasicProperties.of(content_type="text/plain", delivery_mode=1)


def message() -> Outgoing:
    return Outgoing("", QUEUE, BODY, PROPERTIES)


class Ours:
    """`publish_soon` for each message, gathered; a receiver that acknowledges each delivery."""

    name = "penstock"

    def publish(self, url: str, count: int) -> float:
        return uvloop.run(self._publish(url, count))

    def consume(self, url: str, count: int) -> float:
        return uvloop.run(self._consume(url, count))

    def _one(self, client: Client) -> Awaitable[None]:
        return client.publish_soon(message())

    async def _window(self, client: Client) -> None:
        await asyncio.gather(*[self._one(client) for _ in range(WINDOW)])

    async def _publish(self, url: str, count: int) -> float:
        async with await connect(url) as client:
            await client.publish(message())
            with Stopwatch() as watch:
                for _ in range(count // WINDOW):
                    await self._window(client)
        return watch.seconds

    async def _consume(self, url: str, count: int) -> float:
        left = count
        done = asyncio.Event()

        def receive(deliveries: list[Delivery]) -> None:
            nonlocal left
            for delivery in deliveries:
                assert delivery.body == BODY
                delivery.ack()
            left -= len(deliveries)
            if left <= 0:
                done.set()

        async with await connect(url) as client:
            with Stopwatch() as watch:
                await client.consume(QUEUE, receive, prefetch=PREFETCH)
                await done.wait()
        return watch.seconds


class OursAsCoroutines(Ours):
    """`publish` for each message, which costs a task each."""

    name = "penstock, publish"

    def _one(self, client: Client) -> Awaitable[None]:
        return client.publish(message())


class OursInBatches(Ours):
    """`publish_many`, a window at a time."""

    name = "penstock, publish_many"

    async def _window(self, client: Client) -> None:
        assert not any(await client.publish_many([message() for _ in range(WINDOW)]))
