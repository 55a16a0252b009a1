from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.server.amqp.output import ANSWERS_MOST, APART_FROM, Output
from penstock.wire.amqp.methods import (
    BasicAck,
    BasicConsume,
    BasicGet,
    BasicGetOk,
    BasicQos,
    BasicReturn,
    ConfirmSelect,
    QueueDeclare,
)
from tests.server.amqp.letters import large, small
from tests.server.amqp.test_outflow import BODY, made, send

if TYPE_CHECKING:
    from tests.server.amqp.talk import Client, World


def test_what_gathers_in_a_turn_leaves_in_one_write(client: Client, world: World) -> None:
    client.say(QueueDeclare("q"), BasicConsume("q"))

    def talk() -> None:
        for body in (b"one", b"two"):
            world.host.wiring.publish("", [small_to_q(body)], world.broker.now)
        world.broker.turn()

    world.run(talk)
    assert len(client.wire.written) == 1
    assert [heard.body for heard in client.hear()] == [b"one", b"two"]


def test_large_pieces_are_not_copied_into_one(client: Client, world: World) -> None:
    client.say(QueueDeclare("q"), BasicConsume("q"))
    body = b"x" * APART_FROM

    def talk() -> None:
        world.host.wiring.publish("", [small_to_q(body), small_to_q(body)], world.broker.now)
        world.broker.turn()

    world.run(talk)
    assert client.wire.pieces[-1] > 2
    assert [heard.body for heard in client.hear()] == [body, body]


def small_to_q(body: bytes) -> Any:
    message = small(body)
    message.destination = "q"
    return message


def test_confirms_of_a_turn_leave_together(client: Client) -> None:
    client.say(ConfirmSelect(), QueueDeclare("q"))
    assert [heard.method for heard in client.publish(b"one", "q")] == [BasicAck(1)]
    assert [heard.method for heard in client.publish(b"two", "q")] == [BasicAck(2)]


def test_a_message_may_come_with_a_method(client: Client, world: World) -> None:
    method = BasicGetOk(1, False, "exchange", "key", 0)  # noqa: FBT003 (as the standard has it)

    def talk() -> None:
        client.session.send_content(1, method, small(b"small"))
        client.session.send_content(1, method, large(world.front.bodies, b"large"))
        world.broker.turn()

    world.run(talk)
    assert [(heard.method, heard.body) for heard in client.hear()] == [(method, b"small"), (method, b"large")]


def test_a_large_message_nobody_wants_comes_back(client: Client, world: World) -> None:
    world.run(lambda: None)
    heard = client.hear_in_time(client.publish(BODY, "nowhere", mandatory=True))
    assert (type(heard[0].method), heard[0].body) == (BasicReturn, BODY)


def test_a_large_body_waits_if_the_client_does_not_read_already(client: Client, world: World) -> None:
    def begin() -> None:
        client.session.pause_writing()
        client.session.out.append(b"before")
        send(client, made(world))

    world.loop.call_soon(begin)
    world.until(lambda: client.wire.written)
    assert client.session.is_sending
    client.session.pause_writing()  # again, with a large body on its way
    world.run(client.session.resume_writing)
    assert not client.session.is_sending


def test_a_large_body_on_its_way_is_given_up_at_the_end(client: Client, world: World) -> None:
    def begin_and_end() -> None:
        send(client, made(world))
        client.session.stop_outflow()

    world.run(begin_and_end)
    assert (client.wire.written, client.session.is_sending) == ([], False)


# A client that does not read


def test_its_deliveries_stop_and_go_on(client: Client, world: World) -> None:
    client.say(QueueDeclare("q"), BasicConsume("q", no_ack=True))
    world.run(client.session.pause_writing)
    assert client.publish(b"later", "q") == []
    client.open(2)
    client.hear()
    assert client.say(BasicConsume("q", no_ack=True), channel=2)[1:] == []
    world.run(client.session.resume_writing)
    assert [heard.body for heard in client.hear()] == [b"later"]


def test_it_is_not_read_from_if_it_goes_on_asking(client: Client, world: World) -> None:
    world.run(client.session.pause_writing)
    client.wire.unsent = ANSWERS_MOST
    client.say(BasicQos(0, 1, False))  # noqa: FBT003
    assert client.wire.reads
    client.wire.unsent += 1
    client.say(BasicQos(0, 1, False))  # noqa: FBT003
    assert (client.wire.reads, client.session.is_held) == (False, True)
    world.run(client.session.resume_writing)
    assert (client.wire.reads, client.session.is_held) == (True, False)


def test_nor_if_it_asks_for_too_much_in_one_go(client: Client, world: World) -> None:
    client.say(QueueDeclare("q"))
    body = bytes(60_000)
    count = 2 * ANSWERS_MOST // len(body)
    for _ in range(count):
        client.publish(body, "q")
    # As a socket does that is full
    world.run(client.session.pause_writing)
    client.wire.unsent = ANSWERS_MOST + 1
    heard = client.say(*[BasicGet("q", no_ack=True)] * count)
    assert 0 < len(heard) < count // 2 + 5
    assert not client.wire.reads
    assert world.host.wiring.queue("q").ready == count - len(heard)
    # When it reads, the rest comes.
    client.wire.unsent = 0
    world.run(client.session.resume_writing)
    assert len(heard) + len(client.hear()) == count


def test_nor_if_answers_gather_behind_a_large_body(client: Client, world: World) -> None:
    def begin() -> None:
        client.session.pause_writing()
        send(client, made(world))
        client.session.out.append(bytes(ANSWERS_MOST + 1))
        client.session.flush()

    world.loop.call_soon(begin)
    world.until(lambda: not client.wire.reads)
    world.run(client.session.resume_writing)
    assert client.wire.reads
    assert not client.session.is_sending


def test_deliveries_wait_until_a_large_body_has_left(client: Client, world: World) -> None:
    client.say(QueueDeclare("q"), BasicConsume("q", no_ack=True))

    def begin() -> None:
        send(client, made(world))
        assert not client.session.is_flowing
        world.host.wiring.publish("", [small_to_q(b"behind")], world.broker.now)
        world.broker.turn()

    world.run(begin)
    written = b"".join(client.wire.written)
    assert written.endswith(b"behind\xce")
    assert client.session.is_flowing


def test_after_the_end_nothing_is_written(client: Client, world: World) -> None:
    world.run(client.wire.close)
    client.session.write(b"too late")
    world.run(lambda: send(client, made(world)))
    assert client.wire.written == []
    assert not client.session.is_sending


def test_the_other_half_is_the_sessions(world: World) -> None:
    half = Output(world.front)
    with pytest.raises(NotImplementedError):
        half.act(lambda: None)
    with pytest.raises(NotImplementedError):
        half.mind_unread(0)
