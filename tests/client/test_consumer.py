from __future__ import annotations

import asyncio
from typing import Any, Self

import pytest

from penstock.client import ClientSettings, Queue
from penstock.client.client import Client
from penstock.clock import VirtualClock
from penstock.errors import BrokerRefused, LoginRefused
from penstock.wire.amqp.items import ACK
from penstock.wire.amqp.methods import (
    BasicCancel,
    BasicConsume,
    BasicConsumeOk,
    BasicQos,
    ChannelClose,
    ChannelOpen,
    ConnectionClose,
    ConnectionOpen,
    QueueDeclare,
)
from tests.client.fake import FakeBroker, Session, turns
from tests.client.support import Inbox, story


class Scene:
    """A client at a fake broker, with a clock that stands."""

    def __init__(self, **settings: Any) -> None:
        self.broker = FakeBroker()
        self.clock = VirtualClock()
        chosen = ClientSettings(backoff_initial=1, backoff_jitter=0, **settings)
        self.client = Client(["amqp://one"], self.broker.dial, chosen, self.clock)
        self.inbox = Inbox(acks=False)

    async def __aenter__(self) -> Self:
        await self.client.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.close(0)

    @property
    def session(self) -> Session:
        return self.broker.session

    async def advance(self, seconds: float) -> None:
        await turns(20)
        self.clock.advance(seconds)
        await turns(40)


def refusal(_consume: Any) -> ChannelClose:
    return ChannelClose(404, "NOT_FOUND - no queue 'q'", 60, 20)


@story
async def test_it_asks_for_its_window_and_its_messages_at_once() -> None:
    async with Scene() as scene:
        consumption = await scene.client.consume(
            "q", scene.inbox, prefetch=7, exclusive=True, arguments={"x-priority": 3}
        )
        asked = [method for _, method in scene.session.heard[-3:]]
        assert asked == [
            ChannelOpen(),
            BasicQos(prefetch_count=7),
            BasicConsume("q", exclusive=True, arguments={"x-priority": 3}),
        ]
        assert consumption.is_live
        assert "Consumer tag of 'q', live" in repr(consumption._consumers[0])


@story
async def test_one_may_take_messages_of_any_size() -> None:
    async with Scene(max_body=10) as scene:
        await scene.client.consume("q", scene.inbox, any_size=True)
        scene.session.deliver(scene.session.heard[-1][0], 1, b"x" * 100_000)
        await turns()
        assert [len(body) for body in scene.inbox.bodies] == [100_000]


@story
async def test_no_limit_needs_no_window() -> None:
    async with Scene() as scene:
        await scene.client.consume("q", scene.inbox, prefetch=0)
        assert scene.session.methods(BasicQos) == []


@story
async def test_a_queue_that_is_not_there_the_first_time_is_the_callers_mistake() -> None:
    async with Scene() as scene:
        scene.broker.answers[BasicConsume] = refusal
        with pytest.raises(BrokerRefused, match="no queue 'q'"):
            await scene.client.consume("q", scene.inbox)
        assert scene.client._links.main.load == 0


@story
async def test_cancelled_by_the_broker_it_keeps_its_channel_and_what_is_in_hand() -> None:
    async with Scene() as scene:
        await scene.client.declare(Queue("q"))
        consumption = await scene.client.consume("q", scene.inbox)
        channel = scene.session.heard[-1][0]
        scene.session.deliver(channel, 1, b"in hand")
        scene.session.say(channel, BasicCancel("tag"))
        await turns()
        assert not consumption.is_live
        await scene.advance(1)
        assert consumption.is_live
        # The queue was made again first, and the same channel consumes.
        assert len(scene.session.methods(QueueDeclare)) == 2
        assert scene.session.heard[-1] == (channel, BasicConsume("q"))
        scene.inbox.deliveries[0].ack()
        await turns()
        assert scene.session.settled == [(ACK, channel, 1, False)]


@story
async def test_after_the_loss_of_its_channel_it_opens_another() -> None:
    async with Scene() as scene:
        consumption = await scene.client.consume("q", scene.inbox)
        channel = scene.session.heard[-1][0]
        scene.session.say(channel, ChannelClose(406, "PRECONDITION_FAILED", 60, 80))
        changes: list[bool] = []
        scene.client.on_change.append(lambda: changes.append(consumption.is_live))
        await scene.advance(1)
        assert consumption.is_live
        assert changes == [False, True]
        assert len(scene.session.methods(BasicQos)) == 2


@story
async def test_it_tries_again_and_again_while_the_queue_is_not_there(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with Scene() as scene:
        consumption = await scene.client.consume("q", scene.inbox)
        scene.broker.answers[BasicConsume] = refusal
        scene.session.say(scene.session.heard[-1][0], BasicCancel("tag"))
        await scene.advance(1)
        await scene.advance(2)
        assert len(scene.session.methods(BasicConsume)) == 3
        assert "cannot consume: NOT_FOUND - no queue 'q'" in caplog.text
        assert "no queue 'q'" in str(consumption.trouble)
        scene.broker.answers[BasicConsume] = lambda _: BasicConsumeOk("tag")
        await scene.advance(4)
        assert (consumption.is_live, consumption.trouble) == (True, None)


@story
async def test_after_the_loss_of_the_connection_it_consumes_on_the_next() -> None:
    async with Scene() as scene:
        consumption = await scene.client.consume("q", scene.inbox, prefetch=5)
        scene.session.wire.abort()
        await turns()
        assert not consumption.is_live
        await scene.advance(1)
        assert consumption.is_live
        assert [method for _, method in scene.session.heard[-2:]] == [
            BasicQos(prefetch_count=5),
            BasicConsume("q"),
        ]


@story
async def test_a_loss_before_the_first_answer_is_no_failure() -> None:
    async with Scene() as scene:
        scene.broker.answers[BasicConsume] = lambda _: None
        consuming = asyncio.ensure_future(scene.client.consume("q", scene.inbox))
        await turns()
        scene.broker.answers[BasicConsume] = lambda _: BasicConsumeOk("tag")
        scene.session.wire.abort()
        await scene.advance(1)
        assert (await consuming).is_live


@story
async def test_when_the_client_has_given_up_so_does_the_consumer() -> None:
    async with Scene(reconnect_max_retries=0, login_retries=0) as scene:
        consumption = await scene.client.consume("q", scene.inbox)
        scene.broker.answers[ConnectionOpen] = lambda _: ConnectionClose(403, "ACCESS_REFUSED", 0, 0)
        scene.session.wire.abort()
        await scene.advance(1)
        assert not consumption.is_live
        assert isinstance(consumption.trouble, LoginRefused)
        with pytest.raises(LoginRefused):
            await scene.client.consume("q", scene.inbox)


@story
async def test_cancelling_says_so_and_leaves_when_nothing_is_in_hand() -> None:
    async with Scene() as scene:
        consumption = await scene.client.consume("q", scene.inbox)
        channel = scene.session.heard[-1][0]
        scene.session.deliver(channel, 1, b"in hand")
        await turns()
        await consumption.cancel()
        await consumption.cancel()
        assert scene.session.methods(BasicCancel) == [BasicCancel("tag")]
        assert (consumption.is_live, consumption.in_hand, consumption.is_over) == (False, 1, False)
        scene.inbox.deliveries[0].nack()
        await turns()
        assert scene.session.heard[-1][0] == channel
        assert isinstance(scene.session.heard[-1][1], ChannelClose)
        assert (consumption.in_hand, consumption.is_over) == (0, True)


@story
async def test_cancelled_before_the_broker_has_answered_it_leaves_at_once() -> None:
    async with Scene() as scene:
        scene.broker.answers[BasicConsume] = lambda _: None
        consuming = asyncio.ensure_future(scene.client.consume("q", scene.inbox))
        await turns(20)
        consuming.cancel()
        await turns(20)
        assert isinstance(scene.session.heard[-1][1], ChannelClose)
        assert scene.client._links.main.load == 0


@story
async def test_cancelled_twice_at_once_it_leaves_once() -> None:
    async with Scene() as scene:
        consumption = await scene.client.consume("q", scene.inbox)
        await asyncio.gather(consumption.cancel(), consumption.cancel())
        assert scene.session.methods(BasicCancel) == [BasicCancel("tag")]
        assert scene.client._links.main.load == 0


@story
async def test_cancelling_without_a_connection_is_quick() -> None:
    async with Scene() as scene:
        consumption = await scene.client.consume("q", scene.inbox)
        scene.session.wire.abort()
        await turns()
        await consumption.cancel()
        await scene.advance(1)
        assert scene.session.methods(BasicConsume) == []


@story
async def test_a_broker_that_does_not_answer_the_cancelling_is_not_waited_for() -> None:
    async with Scene(answer_timeout=0.01) as scene:
        consumption = await scene.client.consume("q", scene.inbox)
        scene.broker.answers[BasicCancel] = lambda _: None
        await consumption.cancel()
        assert not consumption.is_live
