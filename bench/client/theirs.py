"""aio-pika and pika, used as their own documentation has it for throughput."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import aio_pika
import pika
import uvloop
from workload import BODY, PREFETCH, QUEUE, Stopwatch, timed

if TYPE_CHECKING:
    from aio_pika.abc import AbstractIncomingMessage

__all__ = ["AioPika", "Pika"]


class AioPika:
    """A channel with confirms; a callback that acknowledges each message."""

    name = "aio-pika"

    def publish(self, url: str, count: int) -> float:
        return uvloop.run(self._publish(url, count))

    def consume(self, url: str, count: int) -> float:
        return uvloop.run(self._consume(url, count))

    async def _publish(self, url: str, count: int) -> float:
        async with await aio_pika.connect(url) as connection:
            channel = await connection.channel(publisher_confirms=True)
            publish = channel.default_exchange.publish
            return await timed(lambda: publish(self._message(), QUEUE), count)

    def _message(self) -> aio_pika.Message:
        return aio_pika.Message(
            BODY, content_type="text/plain", delivery_mode=aio_pika.DeliveryMode.NOT_PERSISTENT
        )

    async def _consume(self, url: str, count: int) -> float:
        left = count
        done = asyncio.Event()

        async def receive(message: AbstractIncomingMessage) -> None:
            nonlocal left
            assert message.body == BODY
            await message.ack()
            left -= 1
            if left <= 0:
                done.set()

        async with await aio_pika.connect(url) as connection:
            channel = await connection.channel()
            await channel.set_qos(prefetch_count=PREFETCH)
            queue = await channel.get_queue(QUEUE, ensure=False)
            with Stopwatch() as watch:
                await queue.consume(receive)
                await done.wait()
        return watch.seconds


class Pika:
    """A BlockingConnection: a publish returns when it is confirmed; a callback acknowledges each message."""

    name = "pika"

    def publish(self, url: str, count: int) -> float:
        connection = pika.BlockingConnection(pika.URLParameters(url))
        channel = connection.channel()
        channel.confirm_delivery()
        properties = pika.BasicProperties(content_type="text/plain", delivery_mode=1)
        with Stopwatch() as watch:
            for _ in range(count):
                channel.basic_publish("", QUEUE, BODY, properties, mandatory=True)
        connection.close()
        return watch.seconds

    def consume(self, url: str, count: int) -> float:
        connection = pika.BlockingConnection(pika.URLParameters(url))
        channel = connection.channel()
        channel.basic_qos(prefetch_count=PREFETCH)
        left = count

        def receive(channel: Any, method: Any, _properties: Any, body: bytes) -> None:
            nonlocal left
            assert body == BODY
            channel.basic_ack(method.delivery_tag)
            left -= 1
            if left <= 0:
                channel.stop_consuming()

        with Stopwatch() as watch:
            channel.basic_consume(QUEUE, receive)
            channel.start_consuming()
        connection.close()
        return watch.seconds
