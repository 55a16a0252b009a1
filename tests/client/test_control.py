from __future__ import annotations

import asyncio
from typing import Any, Self

import pytest

from penstock.client import Binding, ClientSettings, Exchange, Queue, QueueState
from penstock.client.control import Control
from penstock.client.counters import Counters
from penstock.client.desired import Desired
from penstock.client.link import Link
from penstock.client.road import Road
from penstock.clock import VirtualClock
from penstock.errors import BrokerRefused, NotConnected
from penstock.wire.amqp.methods import (
    ChannelClose,
    ChannelOpen,
    ExchangeDeclare,
    ExchangeDelete,
    ExchangeDeleteOk,
    Method,
    QueueBind,
    QueueDeclare,
    QueueDelete,
    QueuePurge,
    QueuePurgeOk,
)
from tests.client.fake import FakeBroker, turns
from tests.client.support import story

E, Q, BINDING = Exchange("e", "topic"), Queue("q"), Binding("e", "q", "k")


class Scene:
    """The control of a client at a fake broker, with a clock that stands."""

    def __init__(self, **settings: Any) -> None:
        self.broker = FakeBroker()
        self.clock = VirtualClock()
        chosen = ClientSettings(**settings)
        road = Road(["amqp://one"], self.broker.dial, chosen, Counters())
        self.link = Link("test", road, chosen, Counters(), self.clock)
        self.desired = Desired()
        self.control = Control(self.link, self.desired, chosen)
        self.link.prepare = self.control.restore

    async def __aenter__(self) -> Self:
        self.link.start()
        await self.link.ready()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.link.close(1)

    async def reconnect(self) -> None:
        self.broker.session.wire.abort()
        await turns(20)
        self.clock.advance(60)
        await turns(40)

    def heard(self, *kinds: type[Method]) -> list[Any]:
        return [method for _, method in self.broker.session.heard if isinstance(method, kinds)]


def refusing(name: str, code: int = 406) -> Any:
    """A broker's answer to a declaration: not this one."""

    def answer(declare: Any) -> Method:
        if name in (getattr(declare, "queue", None), getattr(declare, "exchange", None)):
            return ChannelClose(code, f"no {name}", 50, 10)
        return FakeBroker()._declare(declare)

    return answer


@story
async def test_things_are_declared_in_order_whatever_the_callers() -> None:
    async with Scene() as scene:
        await scene.control.declare([BINDING, Q, E])
        declared = scene.heard(ExchangeDeclare, QueueDeclare, QueueBind)
        assert [type(method) for method in declared] == [ExchangeDeclare, QueueDeclare, QueueBind]
        assert scene.desired.all() == [E, Q, BINDING]
        assert len(scene.heard(ChannelOpen)) == 1
        assert "Control on" in repr(scene.control)


@story
async def test_a_queue_without_a_name_is_bound_by_the_brokers() -> None:
    async with Scene() as scene:
        queue = Queue()
        await scene.control.declare([Binding("e", queue), queue])
        assert scene.heard(QueueBind) == [QueueBind("fake-1", "e")]
        await scene.reconnect()
        assert scene.heard(QueueBind) == [QueueBind("fake-2", "e")]


@story
async def test_what_is_refused_is_not_kept_and_the_next_one_is_asked_on_another_channel() -> None:
    async with Scene() as scene:
        scene.broker.answers[QueueDeclare] = refusing("bad")
        with pytest.raises(BrokerRefused, match="no bad"):
            await scene.control.declare([E, Queue("bad")])
        assert scene.desired.all() == []
        await scene.control.declare([Q])
        assert scene.desired.all() == [Q]


@story
async def test_after_a_loss_everything_is_made_again_before_anybody_has_the_connection() -> None:
    async with Scene() as scene:
        await scene.control.declare([E, Q, BINDING])
        await scene.reconnect()
        assert len(scene.broker.sessions) == 2
        assert len(scene.heard(ExchangeDeclare, QueueDeclare, QueueBind)) == 3
        await scene.control.state("q")
        assert len(scene.heard(ChannelOpen)) == 1


@story
async def test_what_cannot_be_made_again_does_not_keep_the_rest_away(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with Scene() as scene:
        await scene.control.declare([Queue("bad"), Q, E])
        scene.broker.answers[QueueDeclare] = refusing("bad")
        await scene.reconnect()
        assert scene.link.is_up
        assert QueueDeclare("q", durable=True) in scene.heard(QueueDeclare)
        assert "cannot restore Queue(name='bad'" in caplog.text


@story
async def test_what_is_withdrawn_is_removed_in_reverse_and_not_made_again() -> None:
    async with Scene() as scene:
        scene.broker.answers[ExchangeDelete] = lambda _: ExchangeDeleteOk()
        await scene.control.declare([E, Q, BINDING])
        await scene.control.withdraw([E, Q])
        assert scene.heard(QueueDelete, ExchangeDelete) == [QueueDelete("q"), ExchangeDelete("e")]
        await scene.reconnect()
        assert scene.heard(ExchangeDeclare, QueueDeclare, QueueBind) == []


@story
async def test_a_queue_may_be_removed_only_if_nobody_misses_it() -> None:
    async with Scene() as scene:
        scene.broker.answers[ExchangeDelete] = lambda _: ExchangeDeleteOk()
        await scene.control.withdraw([Q, E], only_if_idle=True)
        assert scene.heard(QueueDelete, ExchangeDelete) == [
            QueueDelete("q", if_unused=True, if_empty=True),
            ExchangeDelete("e"),
        ]


@story
async def test_a_queue_is_mended_with_what_belongs_to_it() -> None:
    async with Scene() as scene:
        await scene.control.declare([E, Q, BINDING, Queue("other")])
        scene.broker.session.heard.clear()
        await scene.control.mend("q")
        assert [type(method) for _, method in scene.broker.session.heard] == [
            ExchangeDeclare,
            QueueDeclare,
            QueueBind,
        ]
        scene.broker.session.heard.clear()
        await scene.control.mend("unknown")
        assert scene.broker.session.heard == []


@story
async def test_a_queues_state_is_asked_without_making_it() -> None:
    async with Scene() as scene:
        assert await scene.control.state("q") == QueueState(3, 1)
        assert scene.heard(QueueDeclare) == [QueueDeclare("q", passive=True)]
        scene.broker.answers[QueueDeclare] = refusing("q", 404)
        assert await scene.control.state("q") is None
        scene.broker.answers[QueueDeclare] = refusing("q", 405)
        with pytest.raises(BrokerRefused):
            await scene.control.state("q")


@story
async def test_a_purge_tells_how_many_there_were() -> None:
    async with Scene() as scene:
        scene.broker.answers[QueuePurge] = lambda _: QueuePurgeOk(7)
        assert await scene.control.purge("q") == 7


@story
async def test_a_question_is_asked_again_on_the_next_connection() -> None:
    async with Scene() as scene:
        scene.broker.answers[QueuePurge] = lambda _: None
        asking = asyncio.ensure_future(scene.control.purge("q"))
        await turns()
        scene.broker.answers[QueuePurge] = lambda _: QueuePurgeOk(7)
        await scene.reconnect()
        assert await asking == 7


@story
async def test_an_answer_is_not_waited_for_for_ever_and_its_channel_is_not_used_again() -> None:
    async with Scene(answer_timeout=0.01) as scene:
        scene.broker.answers[QueuePurge] = lambda _: None
        with pytest.raises(NotConnected, match=r"did not answer within 0\.01 s"):
            await scene.control.purge("q")
        assert await scene.control.state("q") == QueueState(3, 1)
        assert len(scene.heard(ChannelOpen)) == 2
        assert len(scene.heard(ChannelClose)) == 1


@story
async def test_without_a_channel_left_the_question_fails() -> None:
    async with Scene() as scene:
        assert scene.link.connection is not None
        scene.control._channel = None
        while scene.link.connection.has_room:
            scene.link.connection._numbers.take()
        with pytest.raises(NotConnected, match="all 10 channels"):
            await scene.control.state("q")


@story
async def test_a_broker_that_does_not_answer_the_restoring_is_left() -> None:
    async with Scene(answer_timeout=0.01) as scene:
        connection = await scene.broker.connection()
        scene.desired.add([Q])
        scene.broker.answers[QueueDeclare] = lambda _: None
        with pytest.raises(NotConnected, match="not restored"):
            await scene.control.restore(connection)
