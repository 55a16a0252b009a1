from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.server.amqp import front
from penstock.settings import Address
from penstock.wire.amqp.constants import PROTOCOL_HEADER
from penstock.wire.amqp.methods import (
    BasicAck,
    BasicConsume,
    BasicGet,
    ConnectionClose,
    ConnectionCloseOk,
    QueueDeclare,
)
from tests.server.amqp.talk import Client, World
from tests.server.amqp.test_intake import publish, said

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def small(tmp_path: Path) -> Iterator[World]:
    """A broker with room for two, and little patience."""
    world = World(tmp_path, max_connections=2, handshake_timeout=1, stop_timeout=0.05)
    yield world
    world.close()


def test_it_listens_where_it_is_told(world: World) -> None:
    async def main() -> tuple[str, bytes]:
        url = await world.front.listen("amqp", Address("127.0.0.1", 0))
        reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rsplit(":", 1)[1]))
        writer.write(PROTOCOL_HEADER)
        start = await reader.readexactly(11)
        writer.close()
        await world.front.close()
        return url, start

    url, start = world.loop.run_until_complete(main())
    assert url.startswith("amqp://127.0.0.1:")
    assert start[7:] == b"\0\x0a\0\x0a"


def test_an_address_of_six_numbers_is_in_brackets(world: World) -> None:
    async def main() -> str:
        url = await world.front.listen("amqp", Address("::1", 0))
        await world.front.close()
        return url

    assert world.loop.run_until_complete(main()).startswith("amqp://[::1]:")


def test_only_so_many_are_let_in(small: World) -> None:
    one, two = small.client(), small.client()
    three = Client(small)
    assert three.wire.is_over
    assert repr(small.front) == "<AmqpFront 2 sessions, blocked: None>"
    small.run(one.wire.close)
    assert not small.client().wire.is_over
    assert not two.wire.is_over


def test_who_does_not_introduce_itself_is_closed(small: World) -> None:
    silent, swift = Client(small), small.client()
    small.until(lambda: silent.wire.is_over)
    assert not swift.wire.is_over
    assert swift.session.deadline is None


def test_who_does_not_take_leave_is_cut_off(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front, "FAREWELL_IN", 0.01)
    client = world.client()
    client.refused(BasicConsume("nonesuch", exclusive=True), channel=7)  # not open
    world.until(lambda: client.wire.is_over)


# The end


def test_everybody_is_told(world: World) -> None:
    client, stranger = world.client(), Client(world)
    closing = world.loop.create_task(world.front.close())
    assert client.told(client.hear_in_time([])) == (
        320,
        "CONNECTION_FORCED - broker forced connection closure with reason 'shutdown'",
    )
    assert stranger.wire.is_over
    world.loop.call_soon(client.session.data_received, said(ConnectionCloseOk(), channel=0))
    world.loop.run_until_complete(closing)
    assert not world.front.sessions


def test_what_is_in_hand_is_waited_for_and_nothing_is_added(world: World) -> None:
    client = world.client()
    client.say(QueueDeclare("q"))
    client.publish(b"one", "q")
    client.say(BasicGet("q"))
    closing = world.loop.create_task(world.front.close())
    world.until(lambda: world.front.is_stopping)
    client.session.data_received(publish(b"two"))
    world.loop.call_soon(client.session.data_received, said(BasicConsume("q")))
    world.until(lambda: client.channel().ledger.consumers)
    assert [type(each.method).__name__ for each in client.hear()] == ["BasicConsumeOk"]
    assert not closing.done()
    world.loop.call_soon(client.session.data_received, said(BasicAck(1)))
    world.until(lambda: client.wire.written)
    client.session.transport.close()
    world.loop.run_until_complete(closing)


def test_who_does_not_settle_or_answer_is_not_waited_for_for_ever(
    small: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(front, "FAREWELL_IN", 0.01)
    client = small.client()
    client.say(QueueDeclare("q"))
    client.publish(b"one", "q")
    client.say(BasicGet("q"))
    small.loop.run_until_complete(small.front.close())
    assert client.wire.is_over
    assert "not everything is settled" in caplog.text


def test_who_takes_leave_is_answered_and_hung_up_on(world: World) -> None:
    client = world.client()
    heard = client.say(ConnectionClose(200, "", 0, 0), channel=0)
    assert [each.method for each in heard] == [ConnectionCloseOk()]
    assert client.wire.is_over


def test_an_alarm_concerns_those_who_publish(world: World) -> None:
    publisher, other = world.client(), world.client()
    publisher.publish(b"one", "q")
    world.run(lambda: world.front.block("low on memory"))
    assert (publisher.wire.reads, other.wire.reads) == (False, True)
    assert world.front.blocked == "low on memory"
    world.run(lambda: world.front.block(None))
    assert publisher.wire.reads
