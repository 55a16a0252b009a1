from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.server.amqp.counting import CountingSubscription, counted
from penstock.wire.amqp.methods import (
    BasicConsume,
    BasicGet,
    BasicNack,
    BasicQos,
    BasicReject,
    QueueDeclare,
)
from penstock.wiring import Message
from penstock.wiring.reference import Reference

if TYPE_CHECKING:
    from tests.server.amqp.talk import Client, Heard

QUORUM: Any = {"x-queue-type": "quorum"}


@pytest.fixture
def quorum(client: Client) -> Client:
    """A client with a quorum queue "q"."""
    client.say(QueueDeclare("q", durable=True, arguments=QUORUM))
    return client


def counts(heard: Heard) -> tuple[Any, Any]:
    return heard.headers.get("x-acquired-count"), heard.headers.get("x-delivery-count")


def test_the_first_delivery_says_nothing() -> None:
    reference = Reference(Message(b""), 1)
    reference.acquired = 1
    assert counted(reference) is reference


def test_a_consumer_is_told_how_often_a_message_came_and_failed(quorum: Client) -> None:
    quorum.say(BasicConsume("q", "t"))
    assert isinstance(quorum.channel().ledger.consumers["t"].remarks, CountingSubscription)
    (first,) = quorum.publish(b"x", "q", headers={"mine": 1})
    assert (first.method.redelivered, first.headers) == (False, {"mine": 1})
    (second,) = quorum.say(BasicReject(1, requeue=True))
    assert (second.method.redelivered, counts(second), second.headers["mine"]) == (True, (1, 1), 1)
    (third,) = quorum.say(BasicNack(2, requeue=True))
    # A nack blames nobody (RabbitMQ 4.3).
    assert (counts(third), third.body) == ((2, 1), b"x")


def test_a_message_that_nobody_failed_on_has_no_delivery_count(quorum: Client) -> None:
    quorum.publish(b"x", "q")
    quorum.say(BasicGet("q"), BasicNack(1, requeue=True))
    (again,) = quorum.say(BasicGet("q"))
    assert (again.method.redelivered, counts(again)) == (True, (1, None))


def test_new_and_old_come_in_one_delivery(quorum: Client) -> None:
    quorum.publish(b"old", "q")
    quorum.say(BasicGet("q"), BasicReject(1, requeue=True))
    quorum.publish(b"new", "q")
    _, *heard = quorum.say(BasicQos(0, 10), BasicConsume("q"))
    deliveries = [each for each in heard if each.content is not None]
    assert [(each.body, counts(each)) for each in deliveries] == [(b"old", (1, 1)), (b"new", (None, None))]


def test_what_is_kept_in_the_queue_stays_as_it_was(quorum: Client) -> None:
    quorum.publish(b"x", "q")
    quorum.say(BasicGet("q"), BasicReject(1, requeue=True))
    quorum.say(BasicGet("q"))
    (reference,) = quorum.channel().ledger.unsettled.values()
    assert reference.message.properties == {}


def test_a_classic_queue_does_not_count(client: Client) -> None:
    client.say(QueueDeclare("c"), BasicConsume("c", "t"))
    client.publish(b"x", "c")
    (again,) = client.say(BasicReject(1, requeue=True))
    assert (again.method.redelivered, again.headers) == (True, {})
