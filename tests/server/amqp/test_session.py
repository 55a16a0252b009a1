from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.server.amqp.output import ANSWERS_MOST
from penstock.server.amqp.session import LOOK_AFTER, AmqpSession
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.methods import (
    BasicAck,
    BasicConsume,
    BasicGet,
    BasicQos,
    ConfirmSelect,
    ConnectionBlocked,
    ConnectionUnblocked,
    QueueDeclare,
    QueueDeclareOk,
)
from tests.server.amqp.talk import Client, Wire, World
from tests.server.amqp.test_intake import publish, said
from tests.server.amqp.test_outflow import made, send
from tests.server.amqp.test_streaming import frames

if TYPE_CHECKING:
    import pytest


def test_it_says_who_it_is(client: Client) -> None:
    assert repr(client.session) == "<AmqpSession 127.0.0.1:5 of 'guest', 1 channels>"


def test_it_knows_the_certificate_of_its_peer(world: World) -> None:
    class Tls:
        def getpeercert(self) -> dict[str, Any]:
            return {"subject": ()}

    wire = Wire()
    wire._extra |= {"ssl_object": Tls(), "peername": None}  # type: ignore[attr-defined]
    wire.session = AmqpSession(world.front)
    world.run(lambda: wire.session.connection_made(wire))
    assert (wire.session.peer.is_tls, wire.session.name) == (True, "here")


def test_what_a_lost_client_had_in_hand_goes_back(client: Client, other: Client, world: World) -> None:
    client.say(QueueDeclare("q"))
    client.publish(b"hello", "q")
    client.say(BasicGet("q"))
    assert world.host.wiring.queue("q").ready == 0
    world.run(client.wire.close)
    assert world.host.wiring.queue("q").ready == 1
    assert client.session not in world.front.sessions
    assert (client.session.is_open, client.session.channels) == (False, {})


def test_a_client_that_never_got_in_leaves_no_trace(world: World) -> None:
    stranger = Client(world)
    world.run(stranger.wire.close)
    assert not world.front.sessions


def test_a_mistake_of_ours_ends_one_connection_only(
    client: Client, other: Client, monkeypatch: pytest.MonkeyPatch, world: World
) -> None:
    def broken() -> None:
        raise RuntimeError("our own mistake")

    with monkeypatch.context() as patch:
        patch.setattr(client.session.decoder.__class__, "receive", lambda *_: broken())
        world.run(lambda: client.session.data_received(b"anything"))
    assert client.told(client.hear()) == (541, "INTERNAL_ERROR - internal error")
    world.run(lambda: other.session.act(broken))
    assert other.told(other.hear())[0] == 541


def test_an_end_is_said_once(client: Client, world: World) -> None:
    client.session.hold(client.session.WRITING)

    def end_twice() -> None:
        for detail in ("once", "twice"):
            client.session.end(ReplyCode.CONNECTION_FORCED, detail)
        world.broker.turn()

    world.run(end_twice)
    (close,) = client.hear()
    assert close.method.reply_text == "CONNECTION_FORCED - once"
    # It can still be heard to agree.
    assert client.wire.reads
    assert not client.session.is_held


def test_it_is_busy_while_something_is_in_hand_or_large(client: Client, world: World) -> None:
    client.say(QueueDeclare("q"))
    assert not client.session.is_busy
    client.publish(b"hello", "q")
    client.say(BasicGet("q"))
    assert client.session.is_busy
    client.say(BasicAck(1))
    busy = []
    world.run(lambda: (send(client, made(world)), busy.append(client.session.is_busy)))
    assert (busy, client.session.is_busy) == ([True], False)


# Alarms


def test_who_publishes_is_blocked_and_goes_on_later(world: World) -> None:
    client = world.client()
    client.session.hears_blocked = True
    client.say(QueueDeclare("q"), ConfirmSelect())
    client.send_bytes(publish(b"before"))
    world.run(lambda: world.front.block("low on memory"))
    assert [each.method for each in client.hear()] == [ConnectionBlocked("low on memory")]
    assert not client.wire.reads
    world.run(lambda: world.front.block("low on disk"))  # says nothing new
    assert client.hear() == []
    assert client.send_bytes(publish(b"meanwhile")) == []
    world.run(lambda: world.front.block(None))
    assert [each.method for each in client.hear()] == [ConnectionUnblocked(), BasicAck(2)]
    assert client.wire.reads


def test_who_only_consumes_is_not_blocked(client: Client, other: Client, world: World) -> None:
    client.say(QueueDeclare("q"))
    other.publish(b"one", "q")
    world.run(lambda: world.front.block("low on memory"))
    client.hear()
    assert client.wire.reads
    assert client.say(BasicConsume("q"))[-1].body == b"one"
    client.say(BasicAck(1))
    assert not client.channel().ledger.unsettled


def test_the_first_publish_into_an_alarm_waits_for_its_end(world: World) -> None:
    world.run(lambda: world.front.block("low on memory"))
    client = world.client()
    client.session.hears_blocked = True
    client.say(QueueDeclare("q"))
    heard = client.send_bytes(publish(b"one") + said(QueueDeclare("q", passive=True)))
    assert [each.method for each in heard] == [ConnectionBlocked("low on memory")]
    world.run(lambda: world.front.block(None))
    assert [each.method for each in client.hear()] == [ConnectionUnblocked(), QueueDeclareOk("q", 1, 0)]


def test_who_cannot_hear_it_is_blocked_all_the_same(client: Client, world: World) -> None:
    client.send_bytes(publish(b"one"))
    world.run(lambda: world.front.block("low on memory"))
    assert (client.hear(), client.wire.reads) == ([], False)


def test_a_large_body_into_an_alarm_waits_too(client: Client, world: World) -> None:
    client.say(QueueDeclare("q"))
    world.run(lambda: world.front.block("low on disk"))
    client.send_bytes(frames())
    assert not client.wire.reads
    assert client.session.intake.streaming is None
    world.run(lambda: world.front.block(None))
    world.until(lambda: world.host.wiring.queue("q").ready == 1)


def test_a_soft_error_closes_the_channel_and_a_hard_one_the_connection(client: Client) -> None:
    client.open(2)
    assert client.refused(BasicAck(9))[0] == 406
    assert client.session.is_open
    assert client.refused(BasicQos(1, 1, False), channel=2)[0] == 540  # noqa: FBT003
    assert client.session.is_ending


def flooded(client: Client) -> bool:
    """Whether a client is read from at once after it has filled a whole read with heartbeats."""
    front = client.session.front
    beats = b"\x08\0\0\0\0\0\0\xce" * (len(front.reads) // 8)
    front.reads[: len(beats)] = beats
    client.session.buffer_updated(len(beats))
    return client.wire.reads


def test_a_client_that_fills_a_read_is_read_on_after_the_others(client: Client, world: World) -> None:
    assert not world.run(lambda: flooded(client))
    assert client.wire.reads
    assert not client.session.is_held


def test_a_client_that_is_held_meanwhile_is_not_read_on(client: Client, world: World) -> None:
    def flood() -> None:
        flooded(client)
        client.session.hold(client.session.UNREAD)

    world.run(flood)
    assert not client.wire.reads
    # Nor does one that is held already come to be read by it
    world.run(lambda: flooded(client))
    assert not client.wire.reads
    world.run(lambda: client.session.release(client.session.UNREAD))
    assert client.wire.reads


def test_a_client_that_goes_meanwhile_is_not_read_on(client: Client, world: World) -> None:
    def flood() -> None:
        flooded(client)
        client.wire.close()

    world.run(flood)
    assert not client.wire.reads


def test_it_is_read_from_when_no_reason_is_left(client: Client, world: World) -> None:
    session = client.session
    session.mind_unread(1)
    assert not session.is_held
    session.mind_unread(ANSWERS_MOST + 1)
    session.hold(session.WRITING)
    session.mind_unread(0)
    assert (session.is_held, client.wire.reads) == (True, False)
    session.release(session.BLOCKED)  # was none
    session.release(session.WRITING)
    assert (session.is_held, client.wire.reads) == (False, True)


def test_memory_is_looked_at_when_much_has_come(client: Client, world: World) -> None:
    looks: list[int] = []
    world.front.on_much = lambda: looks.append(world.front.heard)
    client.say(QueueDeclare("q"))
    assert looks == []
    world.front.heard = LOOK_AFTER
    client.say(QueueDeclare("q"))
    assert looks == [0]
