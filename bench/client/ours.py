"""penstock.client, message by message and in batches: two ways to publish many at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import uvloop
from workload import AT_ONCE, BODY, PREFETCH, QUEUE, Stopwatch, timed

from penstock.client import Outgoing, connect
from penstock.wire.amqp import BasicProperties

if TYPE_CHECKING:
    from penstock.client import Delivery

__all__ = ["Ours", "OursInBatches"]

PROPERTIES: Final = BasicProperties.of(content_type="text/plain", delivery_mode=1)


def message() -> Outgoing:
    return Outgoing("", QUEUE, BODY, PROPERTIES)


class Ours:
    """`publish` for each message; a receiver that acknowledges each delivery."""

    name = "penstock"

    def publish(self, url: str, count: int) -> float:
        return uvloop.run(self._publish(url, count))

    def consume(self, url: str, count: int) -> float:
        return uvloop.run(self._consume(url, count))

    async def _publish(self, url: str, count: int) -> float:
        async with await connect(url) as client:
            await client.publish(message())
            return await timed(lambda: client.publish(message()), count)

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
    """`publish_many`, so many in a batch as publish at once elsewhere."""

    name = "penstock, publish_many"

    async def _publish(self, url: str, count: int) -> float:
        async with await connect(url) as client:
            await client.publish(message())
            with Stopwatch() as watch:
                for _ in range(count // AT_ONCE):
                    assert not any(await client.publish_many([message() for _ in range(AT_ONCE)]))
        return watch.seconds
