from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.server.amqp.verbs import VERBS
from penstock.wire.amqp import BasicProperties, content_frames, method_frame
from penstock.wire.amqp.content import body_frames
from penstock.wire.amqp.methods import (
    BasicAck,
    BasicConsume,
    BasicNack,
    BasicPublish,
    BasicQos,
    BasicQosOk,
    BasicReject,
    ChannelClose,
    ChannelCloseOk,
    ChannelOpen,
    ChannelOpenOk,
    ConnectionClose,
    ConnectionCloseOk,
    ConnectionTuneOk,
    ConnectionUpdateSecret,
    ConnectionUpdateSecretOk,
    QueueDeclare,
    TxRollback,
    TxSelect,
)
from penstock.wire.amqp.methods.basic import BasicCancelOk
from tests.server.amqp.talk import Client
from tests.server.amqp.test_streaming import BODY, beginning, frames

if TYPE_CHECKING:
    from penstock.wire.amqp.methods import Method
    from tests.server.amqp.talk import World

HEARTBEAT = b"\x08\0\0\0\0\0\0\xce"


def publish(body: bytes, *, key: str = "q", channel: int = 1) -> bytes:
    method = method_frame(channel, BasicPublish("", key))
    return method + content_frames(channel, BasicProperties.of(), body, 4096)


def said(*methods: Method, channel: int = 1) -> bytes:
    return b"".join(method_frame(channel, method) for method in methods)


# Channels come and go


def test_a_channel_is_opened_once(client: Client) -> None:
    assert client.ask(ChannelOpen(), channel=2) == ChannelOpenOk()
    assert client.refused(ChannelOpen(), channel=2) == (504, "CHANNEL_ERROR - second 'channel.open' seen")


def test_only_so_many_channels_are_open(client: Client) -> None:
    client.session.channel_max = 2
    client.open(60_000)
    assert client.refused(ChannelOpen(), channel=2)[0] == 530


@pytest.mark.parametrize(
    "data",
    [
        said(QueueDeclare("q"), channel=2),
        said(ChannelClose(200, "", 0, 0), channel=2),
        said(BasicAck(1), channel=2),
        publish(b"", channel=2),
    ],
    ids=["method", "close", "ack", "publish"],
)
def test_nothing_is_said_on_a_channel_that_is_not_open(client: Client, data: bytes) -> None:
    assert client.told(client.send_bytes(data)) == (504, "CHANNEL_ERROR - expected 'channel.open'")


def test_a_client_may_close_a_channel_and_open_it_again(client: Client) -> None:
    assert client.ask(ChannelClose(200, "", 0, 0)) == ChannelCloseOk()
    assert client.ask(ChannelOpen()) == ChannelOpenOk()


def test_publishes_of_several_channels_go_where_they_should(client: Client, world: World) -> None:
    client.say(QueueDeclare("q"))
    client.open(2)
    client.send_bytes(publish(b"a") + publish(b"b", channel=2) + publish(b"c") + said(BasicQos(0, 1, False)))  # noqa: FBT003
    assert world.host.wiring.queue("q").ready == 3


def test_no_answer_is_given_if_none_is_wanted(client: Client) -> None:
    assert client.say(QueueDeclare("q", nowait=True)) == []
    assert client.say(BasicCancelOk("nobody")) == []
    assert client.ask(BasicQos(0, 1, False)) == BasicQosOk()  # noqa: FBT003


# What fails


@pytest.mark.parametrize(
    ("method", "failing"),
    [(BasicAck(9), (60, 80)), (BasicNack(9), (60, 120)), (BasicReject(9), (60, 90))],
    ids=["ack", "nack", "reject"],
)
def test_a_settlement_of_nothing_closes_the_channel(
    client: Client, method: Method, failing: tuple[int, int]
) -> None:
    close = client.say(method)[-1].method
    assert (close.reply_code, (close.class_id, close.method_id)) == (406, failing)


def test_what_follows_a_failure_is_skipped_until_the_client_agrees(client: Client, world: World) -> None:
    # Given a failure and much more in one read
    heard = client.send_bytes(
        said(QueueDeclare("q"), BasicAck(9))
        + publish(b"late")
        + said(BasicAck(1), BasicConsume("q"), ChannelOpen())
        + beginning(100_000)
        + body_frames(1, bytes(100_000), 131_072)
    )
    # Then only the close is said, once, and nothing came of the rest
    assert [type(each.method).__name__ for each in heard] == ["QueueDeclareOk", "ChannelClose"]
    assert world.host.wiring.queue("q").ready == 0
    # And when it agrees, the number is free
    assert client.ask(ChannelCloseOk(), ChannelOpen()) == ChannelOpenOk()


def test_a_close_that_crosses_ours_is_answered(client: Client) -> None:
    heard = client.say(BasicAck(9), ChannelClose(200, "", 0, 0))
    assert [type(each.method) for each in heard] == [ChannelClose, ChannelCloseOk]
    assert client.ask(ChannelCloseOk(), ChannelOpen()) == ChannelOpenOk()


def test_a_publish_that_cannot_be_closes_the_channel(client: Client) -> None:
    assert client.told(client.publish(b"", "q", "nonesuch"))[0] == 404
    assert client.session.is_open


def test_a_hard_error_ends_the_connection_and_the_rest_of_the_read(client: Client, world: World) -> None:
    client.open(2)
    heard = client.send_bytes(
        said(BasicQos(1, 1, False))  # noqa: FBT003 (as the standard has it)
        + said(QueueDeclare("late"), BasicAck(1), channel=2)
        + publish(b"late", channel=2)
        + said(ConnectionUpdateSecret(b"secret", "late"), channel=0)
    )
    assert client.told(heard)[0] == 540
    assert len(heard) == 1
    assert ("", "late") not in world.host.wiring.queues
    # And when the client agrees, the socket is closed.
    client.say(ConnectionCloseOk(), channel=0)
    assert client.wire.is_over


def test_a_broken_frame_ends_the_connection(client: Client) -> None:
    heard = client.send_bytes(said(BasicQos(0, 1, False))[:-1] + b"\0")  # noqa: FBT003
    assert client.told(heard)[0] == 501


def test_a_broken_body_ends_the_connection_once(client: Client) -> None:
    assert client.told(client.send_bytes(publish(b"body")[:-1] + b"\0" + HEARTBEAT))[0] == 501


def test_a_body_too_large_closes_its_channel(client: Client) -> None:
    assert client.told(client.send_bytes(beginning(10**12)))[0] == 311
    assert client.session.is_open
    assert client.send_bytes(said(BasicQos(0, 1, False))) == []  # noqa: FBT003


# The connection's own


def test_channel_zero_has_its_own_methods(client: Client) -> None:
    answer = client.ask(ConnectionUpdateSecret(b"secret", "it is time"), channel=0)
    assert answer == ConnectionUpdateSecretOk()
    assert client.send_bytes(HEARTBEAT) == []
    assert client.refused(ConnectionTuneOk(0, 0, 0), channel=0) == (
        504,
        "CHANNEL_ERROR - unexpected method in connection state running",
    )


def test_a_client_takes_leave(client: Client) -> None:
    heard = client.say(ConnectionClose(200, "", 0, 0), channel=0)
    assert [each.method for each in heard] == [ConnectionCloseOk()]
    assert client.wire.is_over


def test_publishes_before_the_connection_is_open_are_the_handshakes_business(world: World) -> None:
    client = Client(world)
    client.greet()
    assert client.told(client.send_bytes(publish(b"early")))[0] in (503, 504, 505)


# Held


def test_what_comes_while_held_is_taken_later_in_order(client: Client, world: World) -> None:
    client.say(QueueDeclare("q"))
    client.session.hold(client.session.WRITING)
    client.session.hold(client.session.UNREAD)
    assert client.send_bytes(publish(b"one") + said(TxSelect(), TxRollback())) == []
    world.run(lambda: client.session.act(lambda: client.session.release(client.session.WRITING)))
    assert (client.hear(), client.session.is_held) == ([], True)
    world.run(lambda: client.session.act(lambda: client.session.release(client.session.UNREAD)))
    assert [type(each.method).__name__ for each in client.hear()] == ["TxSelectOk", "TxRollbackOk"]
    assert world.host.wiring.queue("q").ready == 1


def test_what_was_parked_is_forgotten_at_the_end(client: Client, world: World) -> None:
    client.say(QueueDeclare("q"))
    client.session.hold(client.session.WRITING)
    client.send_bytes(publish(b"one"))
    world.run(client.wire.close)
    assert world.host.wiring.queue("q").ready == 0


def test_a_large_body_is_abandoned_with_all_that_was_parked(client: Client, world: World) -> None:
    client.say(QueueDeclare("q"))
    client.send_bytes(beginning() + body_frames(1, BODY[:100], 131_072))
    assert client.session.intake.streaming
    world.run(client.wire.close)
    assert not client.session.intake.streaming


def test_a_large_body_ends_with_its_channel(client: Client, world: World) -> None:
    client.say(QueueDeclare("q"))
    client.send_bytes(frames())
    world.until(lambda: world.host.wiring.queue("q").ready == 1)
    assert client.ask(ChannelClose(200, "", 0, 0)) == ChannelCloseOk()


def test_a_method_without_a_verb_is_not_implemented(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(VERBS, BasicQos)
    assert client.refused(BasicQos(0, 1, False)) == (540, "NOT_IMPLEMENTED - basic.qos is not implemented")  # noqa: FBT003


def test_a_failure_after_the_end_is_not_told(client: Client) -> None:
    # Two hard errors in one read, the second found by the decoder.
    heard = client.send_bytes(said(BasicQos(1, 1, False)) + b"\x09" + bytes(6) + b"\xce")  # noqa: FBT003
    assert len(heard) == 1
