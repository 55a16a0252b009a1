"""penstock.client: a coroutine for each message as the others have it, and the batches that it adds."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import uvloop
from workload import BODY, PREFETCH, QUEUE, WINDOW, Stopwatch

from penstock.client import Outgoing, connect
from penstock.wire.amqp import BasicProperties

if TYPE_CHECKING:
    from penstock.client import Delivery

__all__ = ["Ours", "OursInBatches"]

PROPERTIES: Final = BasicProperties.of(content_type="text/plain", delivery_mode=1)


class Ours:
    """`publish` for each message, gathered; a receiver that acknowledges each delivery."""

    name = "penstock"

    def publish(self, url: str, count: int) -> float:
        return uvloop.run(self._publish(url, count))

    def consume(self, url: str, count: int) -> float:
        return uvloop.run(self._consume(url, count))

    async def _publish(self, url: str, count: int) -> float:
        async with await connect(url) as client:
            await client.publish(Outgoing("", QUEUE, BODY, PROPERTIES))
            with Stopwatch() as watch:
                for _ in range(count // WINDOW):
                    await asyncio.gather(
                        *[client.publish(Outgoing("", QUEUE, BODY, PROPERTIES)) for _ in range(WINDOW)]
                    )
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


class OursInBatches(Ours):
    """`publish_many`, a window at a time."""

    name = "penstock, publish_many"

    async def _publish(self, url: str, count: int) -> float:
        async with await connect(url) as client:
            await client.publish(Outgoing("", QUEUE, BODY, PROPERTIES))
            with Stopwatch() as watch:
                for _ in range(count // WINDOW):
                    outgoings = [Outgoing("", QUEUE, BODY, PROPERTIES) for _ in range(WINDOW)]
                    assert not any(await client.publish_many(outgoings))
        return watch.seconds
