from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import NotPermitted
from penstock.server.amqp.errors import ChannelFault
from penstock.server.operations import Operation
from penstock.server.permissions import Permission, TopicPermission
from penstock.wire.amqp import BasicProperties, PublishArgs, content_frames
from penstock.wire.amqp.items import PUBLISH
from penstock.wire.amqp.methods import (
    BasicCancel,
    BasicConsume,
    BasicGet,
    BasicGetEmpty,
    ChannelCloseOk,
    ExchangeDeclare,
    QueueDeclare,
)

if TYPE_CHECKING:
    from penstock.server.amqp.channel import Channel
    from tests.server.amqp.talk import Client, World

REPLY_TO = "amq.rabbitmq.reply-to"


def fault(ask: Any) -> tuple[int, str]:
    with pytest.raises(ChannelFault) as caught:
        ask()
    return caught.value.code, caught.value.detail


@pytest.fixture
def channel(client: Client) -> Channel:
    client.say(QueueDeclare("q"), ExchangeDeclare("x", "topic"))
    return client.channel()


def test_it_says_what_it_has_in_hand(client: Client, channel: Channel) -> None:
    client.publish(b"x", "q")
    client.say(BasicGet("q"))
    assert repr(channel).startswith("<Channel 1 of <AmqpSession 127.0.0.1:5 of 'guest'")
    assert repr(channel).endswith(", 1 unsettled>")


def test_what_it_had_goes_back_when_it_closes(client: Client, channel: Channel) -> None:
    client.publish(b"x", "q")
    client.say(BasicGet("q"))
    client.world.run(channel.close)
    assert (channel.queue("q").ready, channel.is_open) == (1, False)


# Names


def test_no_name_is_the_last_queues(channel: Channel) -> None:
    assert (channel.named(""), channel.named("other")) == ("q", "other")
    channel.last_queue = ""
    assert fault(lambda: channel.named("")) == (404, "no previously declared queue")


def test_what_is_there_is_found_and_what_is_not_is_told(channel: Channel, other: Client) -> None:
    assert channel.queue("q").name == "q"
    assert channel.exchange("x").name == "x"
    assert fault(lambda: channel.queue("no")) == (404, "no queue 'no' in vhost '/'")
    assert fault(lambda: channel.exchange("no")) == (404, "no exchange 'no' in vhost '/'")
    other.say(QueueDeclare("mine", exclusive=True))
    code, text = fault(lambda: channel.queue("mine"))
    assert (code, text[:43]) == (405, "cannot obtain exclusive access to locked qu")


def test_a_queue_is_looked_at_after_all_that_was_said_before(client: Client, channel: Channel) -> None:
    short: Any = {"x-max-length": 1}
    client.say(QueueDeclare("short", arguments=short))
    for _ in range(2):
        # As if both were in the same read as what follows: no turn is taken in between.
        publish = (
            PUBLISH,
            1,
            PublishArgs("", "short"),
            BasicProperties.of(),
            content_frames(1, BasicProperties.of(), b"x", 0),
            1,
        )
        channel.publishing.publish([publish])
    assert client.world.run(lambda: channel.queue("short").ready) == 1


def test_what_has_no_time_is_not_there_to_be_looked_at(client: Client, channel: Channel) -> None:
    none: Any = {"x-message-ttl": 0}
    client.say(QueueDeclare("short-lived", arguments=none))
    client.publish(b"x", "short-lived")
    assert client.ask(BasicGet("short-lived")) == BasicGetEmpty()


# Who may


def test_permissions_are_asked_for(world: World, channel: Channel) -> None:
    channel.check(Operation.QUEUE_BIND, "q", "x")
    world.access.realm.permissions.grant(Permission(user="guest", vhost="/", write=".*"))
    with pytest.raises(NotPermitted, match="read access to exchange 'x' in vhost '/' refused"):
        channel.check(Operation.QUEUE_BIND, "q", "x")


def test_topics_are_asked_for_where_keys_are_topics(world: World, channel: Channel) -> None:
    topics = {"user": "guest", "vhost": "/", "write": "^mine", "read": "^mine"}
    for name in ("x", "amq.direct"):
        world.access.realm.permissions.grant_topic(TopicPermission(exchange=name, **topics))
    channel.check_topic("write", channel.exchange("x"), "mine.own")
    channel.check_topic("write", channel.exchange("amq.direct"), "yours")
    with pytest.raises(NotPermitted, match="write access to topic 'yours' in exchange"):
        channel.check_topic("write", channel.exchange("x"), "yours")


# Consumers


def test_cancelling_what_is_not_there_is_fine(channel: Channel) -> None:
    channel.cancel("nobody")


def test_replies_come_without_a_queue(client: Client, other: Client) -> None:
    client.say(BasicConsume(REPLY_TO, "t", no_ack=True))
    name = client.channel().reply_queue()
    assert name.startswith(f"{REPLY_TO}.")
    other.publish(b"answer", name)
    (answer,) = client.hear()
    assert (answer.body, answer.method.consumer_tag) == (b"answer", "t")


def test_replies_have_one_consumer_until_it_is_cancelled(client: Client) -> None:
    channel = client.channel()
    none = (406, "fast reply consumer does not exist")
    assert fault(channel.reply_queue) == none
    client.say(BasicConsume(REPLY_TO, "t", no_ack=True))
    assert fault(lambda: channel.consume_replies("u")) == (406, "reply consumer already set")
    client.say(BasicCancel("t"))
    assert fault(channel.reply_queue) == none
    client.say(BasicConsume(REPLY_TO, "t", no_ack=True))
    assert channel.reply_queue()


def test_it_sends_on_its_own_number(client: Client) -> None:
    client.open(7)

    def send() -> None:
        client.channel(7).send(ChannelCloseOk())
        client.world.broker.turn()

    client.world.run(send)
    assert client.wire.written[-1][:3] == b"\x01\x00\x07"
