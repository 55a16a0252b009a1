from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from penstock.client import BrokerUrl, ClientSettings
from penstock.client.channel import Channel
from penstock.client.connection import DEATHS, Connection
from penstock.client.counters import Counters
from penstock.client.receiving import ConsumerChannel
from penstock.client.values import ServerInfo
from penstock.errors import BrokerRefused, LoginRefused, NotConnected
from penstock.wire.amqp.methods import (
    BasicNack,
    ConnectionBlocked,
    ConnectionClose,
    ConnectionCloseOk,
    ConnectionOpen,
    ConnectionTuneOk,
    ConnectionUnblocked,
)
from tests.client.fake import FRAME_MAX, FakeBroker, turns
from tests.client.support import Inbox, story


@story
async def test_it_opens_with_the_limits_both_agree_on() -> None:
    broker = FakeBroker()
    connection = await broker.connection()
    assert connection.is_open
    assert connection.server == ServerInfo("Fake", (1, 2, 3), frozenset({"basic.nack"}))
    assert connection.frame_max == FRAME_MAX
    assert broker.session.methods(ConnectionTuneOk) == [ConnectionTuneOk(10, FRAME_MAX, 30)]
    assert repr(connection) == "<Connection test, 0 channels, blocked: None, clogged: False>"


@story
async def test_channels_get_numbers_until_there_are_none() -> None:
    connection = await FakeBroker().connection()
    channels = [Channel(connection) for _ in range(10)]
    assert [channel.number for channel in channels] == list(range(1, 11))
    assert not connection.has_room
    with pytest.raises(NotConnected, match="all 10 channels"):
        Channel(connection)


@story
@pytest.mark.parametrize(
    ("close", "error"),
    [
        (ConnectionClose(403, "ACCESS_REFUSED - Login was refused", 0, 0), LoginRefused),
        (ConnectionClose(541, "INTERNAL_ERROR - vhost '/' is down", 0, 0), BrokerRefused),
    ],
)
async def test_a_refusal_to_open_is_told(close: ConnectionClose, error: type[Exception]) -> None:
    broker = FakeBroker()
    broker.answers[ConnectionOpen] = lambda _: close
    with pytest.raises(error):
        await broker.connection()
    await turns()
    assert broker.session.methods(ConnectionCloseOk) == [ConnectionCloseOk()]


@story
async def test_a_server_of_another_protocol_is_told_from_a_broker() -> None:
    connection = Connection(BrokerUrl(), ClientSettings(), Counters(), "test")
    await FakeBroker().dial(lambda: connection)
    connection.data_received(b"AMQP\x00\x01\x00\x00")
    with pytest.raises(NotConnected, match="does not speak AMQP 0-9-1"):
        await connection.opened


@story
async def test_a_broker_that_closes_takes_the_channels_along() -> None:
    broker = FakeBroker()
    connection = await broker.connection()
    channel = Channel(connection)
    await turns()
    broker.session.say(0, ConnectionClose(320, "CONNECTION_FORCED - shutdown", 0, 0))
    reason = await connection.lost
    assert isinstance(reason, NotConnected)
    assert "shutdown" in str(reason)
    assert not channel.is_open
    assert not connection.is_open
    assert "lost" in repr(connection)
    with pytest.raises(NotConnected, match="shutdown"):
        Channel(connection)


@story
async def test_a_broker_that_breaks_the_protocol_is_left() -> None:
    broker = FakeBroker()
    connection = await broker.connection()
    connection.data_received(b"\x01\x00\x00\x00\x00\x00\x04abcd\x00")
    reason = await connection.lost
    assert "broke the protocol" in str(reason)
    assert broker.session.methods(ConnectionClose)[0].reply_code == 501


@story
async def test_blocking_and_unblocking_are_passed_on(caplog: pytest.LogCaptureFixture) -> None:
    broker = FakeBroker()
    connection = await broker.connection()
    calls: list[str | None] = []
    connection.on_block = lambda: calls.append(connection.blocked_reason)
    broker.session.say(0, ConnectionBlocked("low on memory"))
    await turns()
    assert connection.is_held
    broker.session.say(0, ConnectionUnblocked())
    await turns()
    assert calls == ["low on memory", None]
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 2


@story
async def test_a_farewell_is_said_and_heard() -> None:
    broker = FakeBroker()
    connection = await broker.connection()
    await connection.close(5)
    assert broker.session.methods(ConnectionClose)[0].reply_code == 200
    assert connection.lost.done()
    await connection.close(5)


@story
async def test_a_broker_that_does_not_hear_the_farewell_is_not_waited_for() -> None:
    broker = FakeBroker()
    broker.answers[ConnectionClose] = lambda _: None
    connection = await broker.connection()
    await connection.close(0.01)
    assert connection.lost.done()


@story
async def test_a_mistake_of_ours_ends_the_connection_and_nothing_else(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Broken(Channel):
        def refused(self, tag: int, *, is_multiple: bool) -> None:
            raise ZeroDivisionError

    broker = FakeBroker()
    connection = await broker.connection()
    Broken(connection)
    await turns()
    broker.session.say(1, BasicNack(1, False, False))  # noqa: FBT003 (the wire's order)
    reason = await connection.lost
    assert "internal error" in str(reason)
    assert "ZeroDivisionError" in caplog.text


@story
async def test_one_that_is_given_up_before_its_socket_comes_hangs_up_on_it() -> None:
    connection = Connection(BrokerUrl(), ClientSettings(), Counters(), "test")
    connection.abort("too late")
    await connection.close(0.01)
    await FakeBroker().dial(lambda: connection)
    assert "too late" in str(await connection.lost)


@story
async def test_who_reads_is_told_once_a_read() -> None:
    broker = FakeBroker()
    connection = await broker.connection()
    Channel(connection)
    await turns()
    reads: list[Any] = []
    connection.on_read = lambda: reads.append(1)
    broker.session.deliver(7, 1, b"for nobody", b"for nobody either")
    await turns()
    assert reads == [1]


@story
async def test_a_frame_far_above_what_was_agreed_is_not_taken() -> None:
    connection = await FakeBroker().connection()
    connection.data_received(b"\x03\x00\x01" + (FRAME_MAX + DEATHS + 1).to_bytes(4, "big"))
    assert "above frame-max" in str(await connection.lost)


@story
async def test_a_frame_a_little_above_may_hold_what_the_broker_wrote_about_deaths() -> None:
    broker = FakeBroker()
    connection = await broker.connection()
    inbox = Inbox()
    ConsumerChannel(connection, "q", inbox, lambda _error: None)
    await turns()
    broker.session.deliver(1, 1, b"dead", headers={"x-death": "x" * 2 * FRAME_MAX})
    await turns()
    assert inbox.bodies == [b"dead"]


@story
async def test_once_the_farewell_is_said_nothing_is_asked_and_nothing_is_heard() -> None:
    broker = FakeBroker()
    broker.answers[ConnectionClose] = lambda _: None
    connection = await broker.connection()
    inbox = Inbox()
    ConsumerChannel(connection, "q", inbox, lambda _error: None)
    await turns()
    closing = asyncio.ensure_future(connection.close(0.05))
    await turns()
    broker.session.deliver(1, 1, b"late")
    await turns()
    assert inbox.deliveries == []
    with pytest.raises(NotConnected, match="the connection is closed"):
        Channel(connection)
    await closing
