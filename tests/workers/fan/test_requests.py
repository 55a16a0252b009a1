"""Keno Antigen's messages on bg_pubsub, done by a real worker."""

from __future__ import annotations

import asyncio
import uuid
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import greenstalk
import pytest

from penstock.errors import PersistentError
from penstock.messaging import open_amqp_broker
from penstock.server.embedded import Embedded
from penstock.settings import Address, Settings
from penstock.workers import Jobs, Worker
from penstock.workers.fan import PUBSUB
from penstock.workers.fan.requests import Subscribe, pubsub_routes
from penstock.workers.queues import buried_at
from tests.messaging.fakes import FakeBroker

if TYPE_CHECKING:
    from penstock.messaging.amqp import AmqpBroker

SOON = 60.0
LOOPBACK = Address("127.0.0.1", 0)


async def arrived(broker: AmqpBroker, queue: str) -> Any:
    async with asyncio.timeout(SOON):
        while (found := await broker.fetch(queue)) is None:  # noqa: ASYNC110  a worker at work
            await asyncio.sleep(0.01)
    found.ack()
    return found.body


async def gone(broker: AmqpBroker, queue: str) -> None:
    async with asyncio.timeout(SOON):
        while await broker.depth(queue) is not None:  # noqa: ASYNC110  a worker at work
            await asyncio.sleep(0.01)


async def there(broker: AmqpBroker, queue: str) -> None:
    async with asyncio.timeout(SOON):
        while await broker.depth(queue) is None:  # noqa: ASYNC110  a worker at work
            await asyncio.sleep(0.01)


def test_pipes_come_and_go_by_message_and_get_what_is_published_by_message() -> None:
    async def story() -> None:
        broker = await open_amqp_broker(None)
        channel = f"ps_{uuid.uuid4().hex[:8]}"
        pipes = [f"{channel}_1", f"{channel}_2"]
        message = {"route": "/building/upgraded", "user_id": 123, "content": {"building_id": 6545}}
        async with Jobs(broker) as jobs, Worker(pubsub_routes(), broker=broker):
            for pipe in pipes:
                await jobs.put(PUBSUB, "/pubsub/subscribe", {"pipe": pipe})
                await there(broker, pipe)
            await jobs.put(PUBSUB, "/pubsub/publish", {"channel": channel, "message": message})
            assert await arrived(broker, pipes[0]) == await arrived(broker, pipes[1])
            await jobs.put(PUBSUB, "/pubsub/unsubscribe", {"pipe": pipes[0]})
            await gone(broker, pipes[0])
            await jobs.put(PUBSUB, "/pubsub/publish", {"channel": channel, "message": {"route": "/x"}})
            assert await arrived(broker, pipes[1]) == b'{"route":"/x"}'
        await broker.close()

    asyncio.run(story())


def test_what_cannot_be_done_is_buried_and_queues_that_are_no_pipes_are_safe() -> None:
    async def story() -> None:
        broker = await open_amqp_broker(None)
        async with Jobs(broker) as jobs, Worker(pubsub_routes(), broker=broker):
            await jobs.declare("bg_building")
            await jobs.put(PUBSUB, "/pubsub/unsubscribe", {"pipe": "bg_building"})
            assert b"bg_building" in await arrived(broker, buried_at(PUBSUB).key)
            assert await broker.depth("bg_building") == 0
        await broker.close()

    asyncio.run(story())


def test_a_broker_without_channels_is_told_and_not_asked_again() -> None:
    job = SimpleNamespace(content=Subscribe("ps_a_1"), jobs=SimpleNamespace(broker=FakeBroker()))
    with pytest.raises(PersistentError, match="needs a broker that speaks AMQP"):
        asyncio.run(pubsub_routes().find("/pubsub/subscribe").handler(job))


def test_who_speaks_beanstalk_watches_its_pipe_first_and_subscribes_then() -> None:
    async def story() -> None:
        settings = Settings(amqp=(LOOPBACK,), beanstalk=(LOOPBACK,))
        embedded = await Embedded.start(settings)
        urls = {url.partition(":")[0]: url for url in await embedded.listen()}
        broker = await open_amqp_broker(urls["amqp"])
        port = int(urls["beanstalk"].rpartition(":")[2])

        def subscribe() -> greenstalk.Client[str]:
            client = greenstalk.Client(("127.0.0.1", port), use=PUBSUB, watch="ps_building_1")
            client.put('{"route": "/pubsub/subscribe", "content": {"pipe": "ps_building_1"}}')
            return client

        async with Jobs(broker) as jobs, Worker(pubsub_routes(), broker=broker) as worker:
            client = await asyncio.to_thread(subscribe)
            async with asyncio.timeout(SOON):
                while not worker.done:  # noqa: ASYNC110  a worker at work
                    await asyncio.sleep(0.01)
            content = {"channel": "ps_building", "message": {"route": "/x"}}
            await jobs.put(PUBSUB, "/pubsub/publish", content)
            assert (await asyncio.to_thread(client.reserve, timeout=60)).body == '{"route":"/x"}'
            await asyncio.to_thread(client.close)
        await broker.close()
        await embedded.close()

    asyncio.run(story())
