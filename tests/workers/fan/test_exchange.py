"""Publish and subscribe on real brokers: ours in this process, and RabbitMQ."""

from __future__ import annotations

import asyncio
import os
import signal
import uuid
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import BadChannel, InvalidMessage
from penstock.messaging import open_amqp_broker
from penstock.workers.fan import FanExchange, Pipe
from tests.client.support import until
from tests.servers import penstock
from tests.servers.running import free_port

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.servers.running import Running

#: Seconds after which something must be wrong.
SOON = 60.0


@asynccontextmanager
async def fan_at(url: str | None) -> AsyncIterator[FanExchange]:
    broker = await open_amqp_broker(url)
    try:
        yield FanExchange(broker)
    finally:
        await broker.close()


@pytest.fixture
def channel() -> str:
    return f"ps_{uuid.uuid4().hex[:12]}"


async def of(pipe: Pipe) -> Any:
    return await asyncio.wait_for(anext(pipe), SOON)


def test_what_is_published_reaches_every_pipe(mq_url: str | None, channel: str) -> None:
    async def story() -> None:
        async with fan_at(mq_url) as fan, fan.subscribe(channel) as one, fan.subscribe(channel) as two:
            message = {"route": "/building/upgraded", "user_id": 3, "content": {"building_id": 6545}}
            assert await fan.publish(channel, message) is True
            assert [await of(one), await of(two)] == [message, message]
            assert one.name != two.name
            assert repr(fan) == f"<FanExchange of {channel}>"

    asyncio.run(story())


def test_nobody_subscribed_means_the_message_is_deleted_and_said_so(mq_url: str | None, channel: str) -> None:
    async def story() -> None:
        async with fan_at(mq_url) as fan:
            assert await fan.publish(channel, {}) is False
            async with fan.subscribe(channel) as pipe:
                await fan.publish(channel, 2)
                assert await of(pipe) == 2
            assert await fan.publish(channel, 3) is False
            assert await fan.broker.depth(pipe.name) is None

    asyncio.run(story())


def test_one_pipe_may_take_from_several_channels(channel: str) -> None:
    async def story() -> None:
        async with fan_at(None) as fan, fan.subscribe(channel, f"{channel}.more") as pipe:
            await fan.publish(channel, 1)
            await fan.publish(f"{channel}.more", 2)
            assert [await of(pipe), await of(pipe)] == [1, 2]

    asyncio.run(story())


def test_a_named_pipe_keeps_what_came_meanwhile_and_what_was_not_done_with(
    mq_url: str | None, channel: str
) -> None:
    async def story() -> None:
        name = f"{channel}_statistics"
        async with fan_at(mq_url) as fan:
            async with fan.subscribe(channel, pipe=name) as pipe:
                for number in (1, 2):
                    await fan.publish(channel, number)
                assert [await of(pipe), await of(pipe)] == [1, 2]
            await fan.publish(channel, 3)
            async with fan.subscribe(channel, pipe=name) as pipe:
                assert [await of(pipe), await of(pipe)] == [2, 3]
            await fan.remove(name)

    asyncio.run(story())


def test_the_pipe_of_a_dead_subscriber_goes_away_and_is_not_made_again(
    mq_url: str | None, channel: str
) -> None:
    async def story() -> None:
        name = f"{channel}_short-lived"
        async with fan_at(mq_url) as fan:
            async with fan.subscribe(channel, pipe=name, lease=0.5):
                # It lives as long as it is used, however short its lease.
                await asyncio.sleep(0.8)
                assert await fan.publish(channel, 1) is True
            # Asking a queue by declaring it would renew its lease: the message tells.
            async with asyncio.timeout(SOON):
                while await fan.publish(channel, 2):  # noqa: ASYNC110  the broker tells nobody
                    await asyncio.sleep(0.1)

    asyncio.run(story())


def test_subscriptions_are_the_brokers_and_outlive_the_fan_exchange(
    penstock_server: Running, channel: str
) -> None:
    async def story() -> None:
        async with fan_at(penstock_server.url) as fan:
            await fan.add(f"{channel}_1")
        async with fan_at(penstock_server.url) as fan:
            assert await fan.publish(channel, "kept") is True
            found = await fan.broker.fetch(f"{channel}_1")
            assert found is not None
            assert found.body == b'"kept"'
            found.ack()
            await fan.remove(f"{channel}_1")
            await fan.remove(f"{channel}_1")
            assert await fan.publish(channel, "gone") is False

    asyncio.run(story())


def test_a_pipe_is_bounded_and_the_oldest_go_first(channel: str) -> None:
    async def story() -> None:
        name = f"{channel}_1"
        async with fan_at(None) as fan:
            async with fan.subscribe(channel, pipe=name, length=2):
                pass
            for number in range(5):
                await fan.publish(channel, number)
            async with fan.subscribe(channel, pipe=name, length=2) as pipe:
                assert [await of(pipe), await of(pipe)] == [3, 4]

    asyncio.run(story())


def test_what_cannot_be_published_is_told(channel: str) -> None:
    async def story() -> None:
        async with fan_at(None) as fan:
            with pytest.raises(BadChannel):
                await fan.publish("bg_building", {})
            with pytest.raises(InvalidMessage, match="cannot be written as JSON"):
                await fan.publish(channel, object())
            with pytest.raises(BadChannel):
                async with fan.subscribe(channel, pipe="bg_building"):
                    pass

    asyncio.run(story())


def test_a_subscription_comes_back_with_the_connection(penstock_server: Running, channel: str) -> None:
    async def story() -> None:
        async with fan_at(penstock_server.url) as fan, fan.subscribe(channel) as pipe:
            client = fan.broker.client
            await fan.publish(channel, 1)
            assert await of(pipe) == 1
            connection = client._links.main.connection
            assert connection is not None
            connection.transport.abort()
            await until(lambda: client.is_connected and client._links.main.connection is not connection)
            await fan.publish(channel, 2)
            found = await of(pipe)
            # The first was not done with when the connection went.
            assert found == 2 or (found == 1 and await of(pipe) == 2)

    asyncio.run(story())


def test_a_broker_that_is_killed_loses_no_subscription_and_no_message(tmp_path: Path, channel: str) -> None:
    port = free_port()

    async def before(url: str) -> None:
        async with fan_at(url) as fan:
            await fan.add(f"{channel}_1")
            await fan.publish(channel, "before")

    async def after(url: str) -> None:
        async with fan_at(url) as fan, fan.subscribe(channel, pipe=f"{channel}_1") as pipe:
            await fan.publish(channel, "after")
            assert [await of(pipe), await of(pipe)] == ["before", "after"]

    broker = penstock.bear(tmp_path, port)
    try:
        asyncio.run(before(broker.url))
        [process] = broker.processes
        os.kill(process.pid, signal.SIGKILL)
        broker.end()
        broker = penstock.bear(tmp_path, port)
        asyncio.run(after(broker.url))
    finally:
        broker.end()
