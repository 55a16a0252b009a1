"""aio-pika, the asyncio client most Python services use."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import aio_pika
import pytest
from aio_pika.exceptions import ChannelNotFoundEntity, ChannelPreconditionFailed, DeliveryError, PublishError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from tests.servers.running import Running

PATIENCE_S = 60


@asynccontextmanager
async def open_channel(broker: Running) -> AsyncIterator[Any]:
    connection = await aio_pika.connect(broker.url)
    async with connection:
        yield await connection.channel(on_return_raises=True)


def converse(broker: Running, story: Callable[[Any], Awaitable[None]]) -> None:
    """Tell a story on a channel, within reason."""

    async def tell() -> None:
        async with asyncio.timeout(PATIENCE_S), open_channel(broker) as channel:
            await story(channel)

    asyncio.run(tell())


def test_messages_are_published_consumed_and_acknowledged(broker: Running, name: str) -> None:
    async def story(channel: Any) -> None:
        queue = await channel.declare_queue(name, exclusive=True)
        for number in range(3):
            message = aio_pika.Message(b"%d" % number, headers={"number": number})
            await channel.default_exchange.publish(message, name)
        seen = []
        async with queue.iterator() as messages:
            async for message in messages:
                async with message.process():
                    seen.append((message.body, message.headers["number"], message.redelivered))
                if len(seen) == 3:
                    break
        assert seen == [(b"0", 0, False), (b"1", 1, False), (b"2", 2, False)]

    converse(broker, story)


def test_a_handler_that_fails_makes_a_dead_letter(broker: Running, name: str) -> None:
    async def story(channel: Any) -> None:
        dead = await channel.declare_queue(f"{name}-dead", exclusive=True)
        arguments = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": dead.name}
        queue = await channel.declare_queue(name, exclusive=True, arguments=arguments)

        async def handle(message: Any) -> None:
            async with message.process(requeue=False):
                raise ArithmeticError

        found: asyncio.Queue[Any] = asyncio.Queue()
        await dead.consume(found.put, no_ack=True)
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        await queue.consume(handle)
        await channel.default_exchange.publish(aio_pika.Message(b"bad"), name)
        letter = await found.get()
        (death,) = letter.headers["x-death"]
        assert (death["count"], death["reason"], death["queue"]) == (1, "rejected", name)

    converse(broker, story)


def test_publishing_tells_what_became_of_a_message(broker: Running, name: str) -> None:
    async def story(channel: Any) -> None:
        arguments = {"x-max-length": 0, "x-overflow": "reject-publish"}
        await channel.declare_queue(name, exclusive=True, arguments=arguments)
        with pytest.raises(DeliveryError):
            await channel.default_exchange.publish(aio_pika.Message(b"full"), name)

    async def returned(channel: Any) -> None:
        with pytest.raises(PublishError):
            await channel.default_exchange.publish(aio_pika.Message(b"nobody"), f"{name}-not-there")

    converse(broker, story)
    converse(broker, returned)


def test_errors_have_their_own_types(broker: Running, name: str) -> None:
    async def missing(channel: Any) -> None:
        with pytest.raises(ChannelNotFoundEntity, match="no queue"):
            await channel.get_queue(name)

    async def different(channel: Any) -> None:
        await channel.declare_queue(name, exclusive=True)
        with pytest.raises(ChannelPreconditionFailed, match="inequivalent arg 'auto_delete'"):
            await channel.declare_queue(name, exclusive=True, auto_delete=True)

    converse(broker, missing)
    converse(broker, different)


def test_many_at_once(broker: Running, name: str) -> None:
    async def story(channel: Any) -> None:
        queue = await channel.declare_queue(name, exclusive=True)
        publish = channel.default_exchange.publish
        bodies = [b"%d" % number for number in range(200)]
        await asyncio.gather(*(publish(aio_pika.Message(body), name) for body in bodies))
        taken = [(await queue.get(no_ack=True)).body for _ in bodies]
        assert sorted(taken) == sorted(bodies)
        assert await queue.get(fail=False) is None

    converse(broker, story)


def test_remote_calls(broker: Running, name: str) -> None:
    async def story(channel: Any) -> None:
        rpc = await aio_pika.patterns.RPC.create(channel)

        async def multiply(*, x: int, y: int) -> int:
            return x * y

        await rpc.register(name, multiply, auto_delete=True)
        assert await rpc.call(name, kwargs={"x": 6, "y": 7}) == 42
        await rpc.close()

    converse(broker, story)


def test_a_window_limits_what_is_out(broker: Running, name: str) -> None:
    async def story(channel: Any) -> None:
        await channel.set_qos(prefetch_count=2)
        queue = await channel.declare_queue(name, exclusive=True)
        for _ in range(5):
            await channel.default_exchange.publish(aio_pika.Message(b""), name)
        held: asyncio.Queue[Any] = asyncio.Queue()
        await queue.consume(held.put)
        first, second = await held.get(), await held.get()
        declared = await channel.declare_queue(name, passive=True)
        assert (held.qsize(), declared.declaration_result.message_count) == (0, 3)
        await second.ack(multiple=True)
        assert [(await held.get()).delivery_tag for _ in range(2)] == [3, 4]
        assert first.delivery_tag == 1

    converse(broker, story)


def test_a_robust_connection_works_as_a_plain_one(broker: Running, name: str) -> None:
    async def story() -> None:
        connection = await aio_pika.connect_robust(broker.url)
        async with connection:
            channel = await connection.channel()
            queue = await channel.declare_queue(name, auto_delete=True)
            await channel.default_exchange.publish(aio_pika.Message(b"hello"), name)
            message = await queue.get(timeout=PATIENCE_S)
            await message.ack()
            assert message.body == b"hello"

    asyncio.run(story())
