from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

import pytest

from penstock.client import ClientSettings
from penstock.client.counters import Counters
from penstock.client.link import Link
from penstock.client.road import Road
from penstock.clock import VirtualClock
from penstock.errors import BrokerRefused, LoginRefused, NotConnected
from penstock.wire.amqp.methods import ConnectionClose, ConnectionOpen
from tests.client.fake import FakeBroker, turns
from tests.client.support import story

if TYPE_CHECKING:
    from penstock.client.connection import Connection


class Scene:
    """A link to a fake broker, with a clock that stands."""

    def __init__(self, **settings: Any) -> None:
        self.broker = FakeBroker()
        self.clock = VirtualClock()
        self.counters = Counters()
        self.settings = ClientSettings(
            backoff_initial=1, backoff_max=4, backoff_jitter=0, **{"connect_max_retries": 2, **settings}
        )
        road = Road(["amqp://one"], self.broker.dial, self.settings, self.counters)
        self.link = Link("test", road, self.settings, self.counters, self.clock)
        self.changes: list[bool] = []
        self.link.on_change = lambda: self.changes.append(self.link.is_up)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.link.close(1)

    async def pass_by(self, seconds: float) -> None:
        await turns(20)
        self.clock.advance(seconds)
        await turns(20)

    def refuse_logins(self) -> None:
        self.broker.answers[ConnectionOpen] = lambda _: ConnectionClose(403, "ACCESS_REFUSED", 0, 0)


@story
async def test_it_connects_and_says_so() -> None:
    async with Scene() as scene:
        assert not scene.link.is_started
        assert "connecting" in repr(scene.link)
        scene.link.start()
        scene.link.start()
        connection = await scene.link.ready()
        assert connection.is_open
        assert scene.link.is_up
        assert await scene.link.ready() is connection
        assert scene.changes == [True]
    assert len(scene.broker.sessions) == 1
    with pytest.raises(NotConnected, match="closed"):
        await scene.link.ready()


@story
async def test_after_a_loss_it_comes_back_and_those_who_wait_get_the_new_one() -> None:
    async with Scene() as scene:
        scene.link.start()
        first = await scene.link.ready()
        scene.broker.session.wire.abort()
        await turns(20)
        assert scene.changes == [True, False]
        waiting = asyncio.ensure_future(scene.link.ready())
        await scene.pass_by(0.9)
        assert not waiting.done()
        await scene.pass_by(0.1)
        assert await waiting is not first
        assert scene.counters.disconnected == 1


@story
async def test_each_wait_is_longer_even_if_connections_come_and_go() -> None:
    async with Scene() as scene:
        scene.link.start()
        await scene.link.ready()
        for wait in (1, 2, 4):
            scene.broker.session.wire.abort()
            await scene.pass_by(wait - 0.01)
            assert not scene.link.is_up
            await scene.pass_by(0.01)
            assert scene.link.is_up
        # One that lasted makes up for them.
        await scene.pass_by(4)
        scene.broker.session.wire.abort()
        await scene.pass_by(1)
        assert scene.link.is_up


@story
async def test_the_first_time_it_gives_up_after_as_many_attempts_as_it_may() -> None:
    async with Scene() as scene:
        scene.broker.refusals = [OSError("down")] * 3
        scene.link.start()
        waiting = asyncio.ensure_future(scene.link.ready())
        for _ in range(3):
            await scene.pass_by(5)
        with pytest.raises(NotConnected, match="down"):
            await waiting
        assert scene.counters.failed_attempts == 3
        assert scene.broker.refusals == []
        assert "down" in repr(scene.link)


@story
async def test_once_it_was_connected_it_waits_for_its_broker_as_long_as_it_takes() -> None:
    async with Scene() as scene:
        scene.link.start()
        await scene.link.ready()
        scene.broker.refusals = [OSError("down")] * 20
        scene.broker.session.wire.abort()
        for _ in range(21):
            await scene.pass_by(5)
        assert scene.link.is_up


@story
async def test_or_as_often_as_it_may() -> None:
    async with Scene(reconnect_max_retries=1) as scene:
        scene.link.start(is_known=True)
        await scene.link.ready()
        scene.broker.refusals = [OSError("down")] * 2
        scene.broker.session.wire.abort()
        for _ in range(3):
            await scene.pass_by(5)
        assert isinstance(scene.link.failure, NotConnected)


@story
async def test_a_refused_login_is_final_the_first_time() -> None:
    async with Scene() as scene:
        scene.refuse_logins()
        scene.link.start()
        for _ in range(2):
            with pytest.raises(LoginRefused):
                await scene.link.ready()
        assert len(scene.broker.sessions) == 1


@story
async def test_after_a_loss_a_refused_login_is_tried_again_but_not_for_ever() -> None:
    async with Scene(login_retries=2) as scene:
        scene.link.start()
        await scene.link.ready()
        scene.refuse_logins()
        scene.broker.session.wire.abort()
        for _ in range(4):
            await scene.pass_by(5)
        assert isinstance(scene.link.failure, LoginRefused)
        assert len(scene.broker.sessions) == 4


@story
async def test_a_connection_is_prepared_before_anybody_gets_it() -> None:
    async with Scene() as scene:
        prepared: list[Connection] = []

        async def prepare(connection: Connection) -> None:
            prepared.append(connection)
            if len(prepared) == 1:
                raise BrokerRefused("not yet", code=541)

        scene.link.prepare = prepare
        scene.link.start()
        await scene.pass_by(1)
        connection = await scene.link.ready()
        assert prepared[1] is connection
        assert not prepared[0].is_open


@story
async def test_a_mistake_of_ours_is_told_to_those_who_wait(caplog: pytest.LogCaptureFixture) -> None:
    async with Scene() as scene:
        scene.broker.refusals = [ZeroDivisionError("oops")]
        scene.link.start()
        with pytest.raises(NotConnected, match="internal error"):
            await scene.link.ready()
        assert "ZeroDivisionError" in caplog.text
