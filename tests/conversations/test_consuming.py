"""Consumers: their tags, their turns, their windows, and how they end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.conversations.line import CAPABILITIES, beginning, dial

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conversations.codec import Method
    from tests.conversations.line import Channel
    from tests.servers.running import Running


def publish_numbers(channel: Channel, queue: str, count: int) -> None:
    for number in range(count):
        channel.publish(str(number), queue)


def bodies(methods: list[Method]) -> list[str]:
    assert {method.name for method in methods} <= {"basic.deliver"}
    return [method.body.decode() for method in methods]


# Delivery


def test_a_delivery_says_all_about_itself(channel: Channel, name: str) -> None:
    channel.exchange(name, "direct")
    queue = channel.queue()
    channel.bind(queue, name, "k")
    tag = channel.consume(queue)
    channel.publish("hello", "k", exchange=name, message_id="id")
    delivery = channel.delivery()
    assert delivery.arguments == {
        "tag": tag,
        "delivery": 1,
        "redelivered": False,
        "exchange": name,
        "key": "k",
    }
    assert (delivery.body, delivery.properties) == (b"hello", {"message_id": "id"})


def test_messages_come_in_the_order_they_were_published(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    publish_numbers(channel, queue, 100)
    channel.consume(queue, no_ack=True)
    assert channel.bodies(100) == [str(number) for number in range(100)]


def test_delivery_tags_count_on_for_the_whole_channel(channel: Channel, name: str) -> None:
    first, second = channel.queue(f"{name}-1"), channel.queue(f"{name}-2")
    channel.publish("a", first)
    assert channel.get(first, no_ack=False).delivery == 1
    channel.consume(second)
    channel.publish("b", second)
    assert channel.delivery().delivery == 2
    channel.publish("c", first)
    assert channel.get(first, no_ack=True).delivery == 3


def test_consumers_take_turns(line_channels: list[Channel], name: str) -> None:
    publisher, *consumers = line_channels
    queue = publisher.queue(name)
    for consumer in consumers:
        consumer.consume(queue)
    publish_numbers(publisher, queue, 6)
    assert [consumer.bodies(3) for consumer in consumers] == [["0", "2", "4"], ["1", "3", "5"]]


@pytest.fixture
def line_channels(channel: Channel) -> list[Channel]:
    """Three channels of one connection."""
    return [channel, channel.line.channel(), channel.line.channel()]


def test_without_acks_messages_are_gone_when_they_are_sent(
    broker: Running, other: Channel, name: str
) -> None:
    other.queue(name, exclusive=False)
    other.publish("gone", name)
    other.wait_for_count(name, 1)
    with dial(broker) as line:
        channel = line.channel()
        channel.consume(name, no_ack=True)
        channel.delivery()
        line.close()
    assert other.call("queue.delete", queue=name).messages == 0


# Tags and cancelling


def test_the_broker_gives_a_tag(channel: Channel) -> None:
    queue = channel.queue()
    first, second = channel.consume(queue), channel.consume(queue)
    assert first != second
    assert first.startswith("amq.ctag-")


def test_a_tag_is_used_once_in_a_channel(channel: Channel) -> None:
    queue = channel.queue()
    channel.consume(queue, tag="mine")
    channel.line.channel().consume(queue, tag="mine")  # another channel's tags are its own
    channel.send("basic.consume", queue=queue, tag="mine")
    assert channel.line.closed_by_broker() == (530, "NOT_ALLOWED - attempt to reuse consumer tag 'mine'")


def test_a_tag_may_be_used_again_after_cancelling(channel: Channel) -> None:
    queue = channel.queue()
    for _ in range(2):
        channel.consume(queue, tag="mine")
        assert channel.call("basic.cancel", tag="mine").tag == "mine"


def test_cancelling_what_is_not_there_is_fine(channel: Channel) -> None:
    assert channel.call("basic.cancel", tag="nobody").tag == "nobody"


def test_after_cancelling_nothing_comes_and_what_came_can_be_settled(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    tag = channel.consume(queue)
    publish_numbers(channel, queue, 1)
    delivery = channel.delivery()
    channel.call("basic.cancel", tag=tag)
    channel.publish("later", queue)
    assert channel.pending(queue) == []
    channel.send("basic.nack", delivery=delivery.delivery, requeue=True)
    assert channel.drain(queue) == ["0", "later"]


def test_nowait_is_not_answered(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    channel.send("basic.consume", queue=queue, tag="t", nowait=True)
    channel.publish("hello", queue)
    assert channel.delivery().tag == "t"
    channel.send("basic.cancel", tag="t", nowait=True)
    assert channel.pending(queue) == []
    assert channel.call("queue.declare", queue=queue, passive=True).consumers == 0


def test_a_consumer_is_told_when_its_queue_is_deleted(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    channel.consume(queue, tag="t")
    channel.line.channel().call("queue.delete", queue=queue)
    assert channel.expect("basic.cancel").arguments == {"tag": "t", "nowait": True}
    assert channel.is_still_open()


def test_a_client_that_does_not_understand_it_is_not_told(broker: Running, name: str) -> None:
    with dial(broker, capabilities=CAPABILITIES | {"consumer_cancel_notify": False}) as line:
        channel = line.channel()
        queue = channel.queue(name)
        channel.consume(queue)
        line.channel().call("queue.delete", queue=queue)
        assert channel.pending() == []


# Exclusive consumers


def test_an_exclusive_consumer_is_alone(channel: Channel, other: Channel, name: str) -> None:
    channel.queue(name, exclusive=False, auto_delete=True)
    tag = channel.consume(name, exclusive=True)
    in_use = (403, f"ACCESS_REFUSED - queue '{name}' in vhost '/' in exclusive use")
    assert other.refusal("basic.consume", queue=name) == in_use
    again = other.line.channel()
    assert again.get(name).name == "basic.get-empty"  # getting is not consuming
    channel.queue(f"{name}-keep")
    assert tag


def test_an_exclusive_consumer_does_not_come_second(channel: Channel, other: Channel, name: str) -> None:
    channel.queue(name, exclusive=False, auto_delete=True)
    channel.consume(name)
    in_use = (403, f"ACCESS_REFUSED - queue '{name}' in vhost '/' in exclusive use")
    assert other.refusal("basic.consume", queue=name, exclusive=True) == in_use


# Windows


def test_each_consumer_has_its_own_window(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    publish_numbers(channel, queue, 10)
    channel.call("basic.qos", prefetch_count=2)
    channel.consume(queue)
    assert bodies(channel.pending(queue)) == ["0", "1"]
    channel.ask("basic.qos", prefetch_count=3)
    channel.consume(queue)
    assert bodies(channel.pending(queue)) == ["2", "3", "4"]


def test_an_ack_opens_the_window(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    publish_numbers(channel, queue, 5)
    channel.call("basic.qos", prefetch_count=2)
    channel.consume(queue)
    first, second = channel.delivery(), channel.delivery()
    channel.send("basic.ack", delivery=first.delivery)
    assert channel.delivery().body == b"2"
    assert channel.pending(queue) == []
    channel.send("basic.ack", delivery=3, multiple=True)
    assert channel.bodies(2) == ["3", "4"]
    assert second.delivery == 2


def test_a_window_for_the_whole_channel_is_shared(channel: Channel, name: str) -> None:
    # RabbitMQ 4.3 refuses is_global by default (global_qos is deprecated there); Penstock keeps it.
    queue = channel.queue(name)
    publish_numbers(channel, queue, 10)
    channel.call("basic.qos", prefetch_count=3, is_global=True)
    channel.consume(queue)
    channel.consume(queue)
    assert sorted(bodies(channel.pending(queue))) == ["0", "1", "2"]
    channel.send("basic.ack", delivery=1)
    assert channel.delivery().body == b"3"


def test_both_windows_count(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    publish_numbers(channel, queue, 10)
    channel.call("basic.qos", prefetch_count=2)
    channel.call("basic.qos", prefetch_count=3, is_global=True)
    channel.consume(queue)
    channel.consume(queue)
    assert len(channel.pending(queue)) == 3


def test_no_window_is_no_limit(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    publish_numbers(channel, queue, 300)
    channel.call("basic.qos", prefetch_count=0)
    channel.consume(queue)
    assert len(channel.bodies(300)) == 300


def test_what_needs_no_ack_needs_no_window(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    publish_numbers(channel, queue, 10)
    channel.call("basic.qos", prefetch_count=1)
    channel.consume(queue, no_ack=True)
    assert len(channel.bodies(10)) == 10


def test_getting_asks_for_no_window(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    publish_numbers(channel, queue, 3)
    channel.call("basic.qos", prefetch_count=1)
    assert [channel.get(queue, no_ack=False).body for _ in range(3)] == [b"0", b"1", b"2"]


def test_a_window_in_bytes_is_not_implemented(channel: Channel) -> None:
    channel.send("basic.qos", prefetch_size=10)
    assert channel.line.closed_by_broker() == (540, "NOT_IMPLEMENTED - prefetch_size!=0 (10)")


# Who is first


def test_the_consumer_with_more_priority_is_first_while_its_window_lasts(
    line_channels: list[Channel], name: str
) -> None:
    publisher, low, high = line_channels
    queue = publisher.queue(name)
    for consumer, priority in [(low, 1), (high, 10)]:
        consumer.call("basic.qos", prefetch_count=2)
        consumer.consume(queue, arguments={"x-priority": priority})
    publish_numbers(publisher, queue, 3)
    assert high.bodies(2) == ["0", "1"]
    assert low.bodies(1) == ["2"]
    high.send("basic.ack", delivery=2, multiple=True)
    publish_after(high, publisher, queue, "3")
    assert high.bodies(1) == ["3"]


def publish_after(acker: Channel, publisher: Channel, queue: str, body: str) -> None:
    acker.ask("queue.declare", queue=queue, passive=True)  # the queue has seen the ack
    publisher.publish(body, queue)


def test_a_consumers_priority_is_a_number(channel: Channel) -> None:
    queue = channel.queue()
    refusal = channel.refusal("basic.consume", queue=queue, arguments={"x-priority": "high"})
    text = f"PRECONDITION_FAILED - invalid arg 'x-priority' for queue '{queue}' in vhost '/': "
    assert beginning(refusal, text) == (406, text)


@pytest.mark.parametrize("kind", ["classic", "quorum"])
def test_a_single_active_consumer_works_while_others_wait(
    line_channels: list[Channel], name: str, kind: str
) -> None:
    publisher, first, second = line_channels
    arguments: dict[str, Any] = {"x-single-active-consumer": True, "x-queue-type": kind}
    publisher.queue(name, exclusive=False, durable=True, arguments=arguments)
    tag = first.consume(name)
    second.consume(name)
    publish_numbers(publisher, name, 3)
    assert first.bodies(3) == ["0", "1", "2"]
    assert second.pending(name) == []
    first.send("basic.ack", delivery=3, multiple=True)
    first.call("basic.cancel", tag=tag)
    publisher.publish("next", name)
    assert second.bodies(1) == ["next"]
    publisher.call("queue.delete", queue=name)


def test_an_active_consumer_that_leaves_gives_back_what_it_had(
    line_channels: list[Channel], name: str
) -> None:
    publisher, first, second = line_channels
    queue = publisher.queue(name, arguments={"x-single-active-consumer": True})
    first.consume(queue)
    second.consume(queue)
    publish_numbers(publisher, queue, 2)
    assert first.bodies(2) == ["0", "1"]
    first.call("channel.close", code=200)
    found = [second.delivery(), second.delivery()]
    assert [(delivery.body, delivery.redelivered) for delivery in found] == [(b"0", True), (b"1", True)]


def test_an_exclusive_consumer_cannot_be_one_of_several_waiting(channel: Channel, name: str) -> None:
    queue = channel.queue(name, arguments={"x-single-active-consumer": True})
    code, _ = channel.refusal("basic.consume", queue=queue, exclusive=True)
    assert code == 403


# Getting


def test_getting_tells_how_many_are_left(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    publish_numbers(channel, queue, 2)
    assert channel.call("basic.get", queue=queue).arguments == {
        "delivery": 1,
        "redelivered": False,
        "exchange": "",
        "key": queue,
        "messages": 1,
    }
    assert channel.call("basic.get", queue=queue).messages == 0
    assert channel.call("basic.get", queue=queue).arguments == {"cluster_id": ""}


# Direct reply-to


def test_a_reply_finds_its_way_without_a_queue(channel: Channel, other: Channel, name: str) -> None:
    other.queue(name)
    channel.consume("amq.rabbitmq.reply-to", no_ack=True)
    channel.publish("question", name, reply_to="amq.rabbitmq.reply-to", correlation_id="7")
    question = other.get_soon(name)
    reply_to = question.properties["reply_to"]
    assert reply_to.startswith("amq.rabbitmq.reply-to.")
    other.publish("answer", reply_to, correlation_id=question.properties["correlation_id"])
    answer = channel.delivery()
    assert (answer.body, answer.properties, answer.exchange) == (b"answer", {"correlation_id": "7"}, "")
    assert answer.key == reply_to
    assert other.pending() == []


def test_a_mandatory_answer_arrives(
    channel: Channel, other: Channel, name: str, expected: Callable[[str], Any]
) -> None:
    # https://www.rabbitmq.com/docs/3.13/direct-reply-to: such a name does not count as a queue.
    other.queue(name)
    channel.consume("amq.rabbitmq.reply-to", no_ack=True)
    channel.publish("question", name, reply_to="amq.rabbitmq.reply-to")
    other.publish("answer", other.get_soon(name).properties["reply_to"], mandatory=True)
    assert channel.delivery().body == b"answer"
    comes_back = bool(other.pending())
    assert comes_back == expected("mandatory-answers")


def test_an_answer_to_nobody_is_dropped(broker: Running, other: Channel, name: str) -> None:
    other.queue(name)
    with dial(broker) as line:
        channel = line.channel()
        channel.consume("amq.rabbitmq.reply-to", no_ack=True)
        channel.publish("question", name, reply_to="amq.rabbitmq.reply-to")
        reply_to = other.get_soon(name).properties["reply_to"]
        line.close()
    other.call("confirm.select")
    other.publish("too late", reply_to)
    other.expect("basic.ack")


def test_whether_someone_waits_for_an_answer_can_be_asked(
    channel: Channel, other: Channel, name: str
) -> None:
    other.queue(name)
    channel.consume("amq.rabbitmq.reply-to", no_ack=True)
    channel.publish("question", name, reply_to="amq.rabbitmq.reply-to")
    reply_to = other.get_soon(name).properties["reply_to"]
    assert other.call("queue.declare", queue=reply_to, passive=True).queue == reply_to
    missing = f"{reply_to[:-4]}AAAA"
    assert other.refusal("queue.declare", queue=missing, passive=True)[0] == 404


def test_reply_to_is_consumed_without_acks(channel: Channel) -> None:
    assert channel.refusal("basic.consume", queue="amq.rabbitmq.reply-to") == (
        406,
        "PRECONDITION_FAILED - reply consumer cannot acknowledge",
    )


def test_reply_to_is_consumed_once(channel: Channel) -> None:
    channel.consume("amq.rabbitmq.reply-to", no_ack=True)
    assert channel.refusal("basic.consume", queue="amq.rabbitmq.reply-to", no_ack=True) == (
        406,
        "PRECONDITION_FAILED - reply consumer already set",
    )


def test_reply_to_needs_its_consumer_first(channel: Channel) -> None:
    channel.publish("question", "k", reply_to="amq.rabbitmq.reply-to")
    assert channel.closed_by_broker() == (
        406,
        "PRECONDITION_FAILED - fast reply consumer does not exist",
    )
