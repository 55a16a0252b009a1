from __future__ import annotations

from typing import Any

import pytest

from penstock.client.output import FLUSH_AT, Output, nothing
from penstock.wire.amqp.methods import ChannelOpen, ConfirmSelect
from tests.client.fake import FakeBroker, turns
from tests.client.support import story


@story
async def test_what_is_said_in_a_turn_leaves_in_one_write() -> None:
    broker = FakeBroker()
    connection = await broker.connection()
    before = len(broker.session.wire.writes)
    connection.send(1, ChannelOpen())
    connection.send(1, ConfirmSelect())
    assert len(broker.session.wire.writes) == before
    await turns(1)
    assert len(broker.session.wire.writes) == before + 1
    assert [type(method) for _, method in broker.session.heard[-2:]] == [ChannelOpen, ConfirmSelect]
    assert connection.heartbeat.spoke


@story
async def test_much_leaves_at_once() -> None:
    broker = FakeBroker()
    connection = await broker.connection()
    before = len(broker.session.wire.writes)
    connection.out.append(b"")
    connection.will_flush(FLUSH_AT)
    assert len(broker.session.wire.writes) == before
    connection.will_flush(1)
    assert len(broker.session.wire.writes) == before + 1


@story
async def test_a_broker_that_does_not_read_holds_publishes_until_it_does() -> None:
    connection = await FakeBroker().connection()
    calls: list[bool] = []
    connection.on_flow = lambda: calls.append(connection.is_held)
    connection.pause_writing()
    assert connection.is_held
    connection.resume_writing()
    assert calls == [False]
    connection.block("low on memory")
    connection.pause_writing()
    connection.resume_writing()
    assert connection.is_held
    connection.block(None)
    assert calls == [False, False]


@story
async def test_settlements_are_said_when_the_turn_ends() -> None:
    class Channel:
        said = 0

        def say_settled(self) -> None:
            self.said += 1

    connection = await FakeBroker().connection()
    channel: Any = Channel()
    connection.will_settle(channel)
    connection.will_settle(channel)
    await turns(1)
    assert channel.said == 1


@story
async def test_after_the_loss_nothing_is_written() -> None:
    broker = FakeBroker()
    connection = await broker.connection()
    connection.abort("gone")
    await turns()
    writes = len(broker.session.wire.writes)
    connection.send(1, ChannelOpen())
    await turns()
    assert len(broker.session.wire.writes) == writes


@story
async def test_an_output_alone_cannot_hang_up() -> None:
    nothing()
    with pytest.raises(NotImplementedError):
        Output().abort("no")
