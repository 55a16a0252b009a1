from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.client import Queue
from penstock.errors import BrokerRefused
from penstock.wire.amqp.methods import BasicConsume, BasicConsumeOk, ChannelClose
from tests.client.support import HASTY, Inbox, connected, story, to, until
from tests.client.test_consumer import Scene

if TYPE_CHECKING:
    from tests.servers.running import Running


@story
async def test_a_pool_is_as_many_channels() -> None:
    async with Scene() as scene:
        consumption = await scene.client.consume("q", scene.inbox, pool=3)
        channels = {number for number, method in scene.session.heard if isinstance(method, BasicConsume)}
        assert len(channels) == 3
        assert consumption.is_live
        assert repr(consumption) == "<Consumption of 'q', 3 of 3 live>"
        for channel in channels:
            scene.session.deliver(channel, 1, b"a", b"b")
        await until(lambda: consumption.in_hand == 6)


@story
async def test_of_a_pool_that_cannot_be_none_is() -> None:
    async with Scene() as scene:
        answers = [BasicConsumeOk("tag"), ChannelClose(403, "ACCESS_REFUSED - exclusive", 60, 20)]
        scene.broker.answers[BasicConsume] = lambda _: answers.pop(0)
        with pytest.raises(BrokerRefused):
            await scene.client.consume("q", scene.inbox, pool=2)
        assert scene.client._links.main.load == 0


@story
async def test_one_that_was_cancelled_is_over() -> None:
    async with Scene() as scene:
        consumption = await scene.client.consume("q", scene.inbox, pool=1)
        assert not consumption.is_over
        await consumption.cancel()
        assert not consumption.is_live
        assert consumption.is_over


@story
async def test_a_pool_shares_the_messages_of_a_real_queue(broker: Running, name: str) -> None:
    async with connected(broker.url, HASTY) as client:
        queue = Queue(name, durable=False, auto_delete=True)
        await client.declare(queue)
        inbox = Inbox()
        await client.consume(queue, inbox, prefetch=1, pool=4)
        assert not any(await client.publish_many([to(name, b"%d" % number) for number in range(200)]))
        await until(lambda: len(inbox.deliveries) == 200)
        assert sorted(map(int, inbox.bodies)) == list(range(200))
