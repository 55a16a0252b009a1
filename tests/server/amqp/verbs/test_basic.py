from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.wire.amqp.methods import (
    BasicAck,
    BasicCancel,
    BasicCancelOk,
    BasicConsume,
    BasicConsumeOk,
    BasicGet,
    BasicGetEmpty,
    BasicGetOk,
    BasicQos,
    BasicQosOk,
    BasicRecover,
    BasicRecoverAsync,
    BasicRecoverOk,
    QueueDeclare,
)

if TYPE_CHECKING:
    from tests.server.amqp.talk import Client, Heard

REPLY_TO = "amq.rabbitmq.reply-to"


@pytest.fixture
def full(client: Client) -> Client:
    """A client with messages "0" to "4" in a queue "q"."""
    client.say(QueueDeclare("q"))
    for number in range(5):
        client.publish(str(number).encode(), "q")
    return client


def bodies(heard: list[Heard]) -> list[bytes]:
    return [each.body for each in heard if each.content is not None]


# Windows


def test_a_window_is_for_each_consumer_to_come(full: Client) -> None:
    assert full.ask(BasicQos(0, 2)) == BasicQosOk()
    assert bodies(full.say(BasicConsume("q"))) == [b"0", b"1"]


def test_a_window_may_be_for_the_whole_channel(full: Client) -> None:
    full.say(BasicQos(0, 3, is_global=True))
    assert len(bodies(full.say(BasicConsume("q"), BasicConsume("q")))) == 3
    assert bodies(full.say(BasicQos(0, 4, is_global=True))) == [b"3"]


def test_a_window_in_bytes_is_not_implemented(full: Client) -> None:
    assert full.refused(BasicQos(10, 0)) == (540, "NOT_IMPLEMENTED - prefetch_size!=0 (10)")


# Consumers


def test_a_consumer_gets_what_waits_and_is_named(full: Client) -> None:
    first, *rest = full.say(BasicConsume("", no_ack=True))
    assert first.method.consumer_tag.startswith("amq.ctag-")
    assert len(bodies(rest)) == 5


def test_a_tag_is_used_once(full: Client) -> None:
    full.say(BasicConsume("q", "t"))
    told = "NOT_ALLOWED - attempt to reuse consumer tag 't'"
    assert full.refused(BasicConsume("q", "t")) == (530, told)


def test_a_consumer_ends(full: Client) -> None:
    full.say(BasicConsume("q", "t"))
    assert full.ask(BasicCancel("t")) == BasicCancelOk("t")
    assert full.ask(BasicCancel("nobody")) == BasicCancelOk("nobody")
    assert full.say(BasicCancelOk("t")) == []


def test_a_priority_is_a_number(full: Client) -> None:
    arguments: Any = {"x-priority": "high"}
    why = "invalid arg 'x-priority' for queue 'q' in vhost '/': \"expected integer, got longstr\""
    assert full.refused(BasicConsume("q", arguments=arguments)) == (406, f"PRECONDITION_FAILED - {why}")


def test_an_exclusive_consumer_is_alone(full: Client, other: Client) -> None:
    full.say(BasicConsume("q", exclusive=True))
    in_use = (403, "ACCESS_REFUSED - queue 'q' in vhost '/' in exclusive use")
    assert other.refused(BasicConsume("q")) == in_use


def test_an_exclusive_consumer_is_not_one_of_several_waiting(client: Client) -> None:
    single: Any = {"x-single-active-consumer": True}
    client.say(QueueDeclare("single", arguments=single))
    in_use = (403, "ACCESS_REFUSED - queue 'single' in vhost '/' in exclusive use")
    assert client.refused(BasicConsume("single", exclusive=True)) == in_use


def test_a_queue_may_take_a_few_only(client: Client) -> None:
    few: Any = {"x-max-consumers": 1}
    client.say(QueueDeclare("few", arguments=few), BasicConsume("few"))
    code, text = client.refused(BasicConsume("few"))
    assert (code, "at most 1 consumers" in text) == (403, True)


def test_replies_are_consumed_without_acks(client: Client) -> None:
    assert client.ask(BasicConsume(REPLY_TO, "t", no_ack=True)) == BasicConsumeOk("t")
    told = "PRECONDITION_FAILED - reply consumer cannot acknowledge"
    assert client.refused(BasicConsume(REPLY_TO)) == (406, told)


# Getting, and giving back


def test_a_message_is_got_with_what_is_left(full: Client) -> None:
    (got,) = full.say(BasicGet("q"))
    assert (got.method, got.body) == (
        BasicGetOk(1, redelivered=False, exchange="", routing_key="q", message_count=4),
        b"0",
    )


def test_nothing_is_got_from_an_empty_queue(client: Client) -> None:
    client.say(QueueDeclare("q"))
    assert client.ask(BasicGet("q")) == BasicGetEmpty()


@pytest.mark.parametrize("no_ack", [False, True])
def test_a_message_whose_body_is_lost_is_none(full: Client, monkeypatch: Any, no_ack: bool) -> None:  # noqa: FBT001  a column
    def lose(number: int, method: Any, message: Any, lost: Any) -> None:
        lost()

    monkeypatch.setattr(type(full.session), "send_content", lambda _, *given: lose(*given))
    assert full.ask(BasicGet("q", no_ack)) == BasicGetEmpty()
    assert full.channel().ledger.unsettled == {}


def test_what_is_in_hand_may_be_recovered(full: Client) -> None:
    full.say(BasicGet("q"), BasicGet("q"), BasicAck(1))
    assert full.ask(BasicRecover(requeue=True)) == BasicRecoverOk()
    (got,) = full.say(BasicGet("q"))
    assert (got.body, got.method.redelivered) == (b"1", True)
    assert full.say(BasicRecoverAsync(requeue=True)) == []


def test_recovering_to_the_same_consumer_is_not_implemented(full: Client) -> None:
    assert full.refused(BasicRecover(requeue=False)) == (540, "NOT_IMPLEMENTED - requeue=false")
