"""Ack, nack, reject, recover; and what happens to messages whose client is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conversations.line import dial

if TYPE_CHECKING:
    from tests.conversations.line import Channel
    from tests.servers.running import Running


@pytest.fixture
def queue(channel: Channel, name: str) -> str:
    """A queue with messages "0" to "4", on whose channel all tags are known."""
    queue = channel.queue(name)
    for number in range(5):
        channel.publish(str(number), queue)
    return queue


def take(channel: Channel, queue: str, count: int) -> list[int]:
    return [channel.get(queue, no_ack=False).delivery for _ in range(count)]


def test_an_ack_settles_one(channel: Channel, queue: str) -> None:
    take(channel, queue, 3)
    channel.send("basic.ack", delivery=2)
    channel.call("basic.recover", requeue=True)
    assert channel.drain(queue) == ["0", "2", "3", "4"]


def test_an_ack_of_many_settles_all_up_to_it(channel: Channel, queue: str) -> None:
    take(channel, queue, 4)
    channel.send("basic.ack", delivery=3, multiple=True)
    channel.call("basic.recover", requeue=True)
    assert channel.drain(queue) == ["3", "4"]


def test_an_ack_of_zero_and_many_settles_everything(channel: Channel, queue: str) -> None:
    channel.send("basic.ack", delivery=0, multiple=True)  # nothing to settle is no error
    take(channel, queue, 4)
    channel.send("basic.ack", delivery=0, multiple=True)
    channel.call("basic.recover", requeue=True)
    assert channel.drain(queue) == ["4"]


@pytest.mark.parametrize("delivery", [0, 9])
@pytest.mark.parametrize("method", ["basic.ack", "basic.nack", "basic.reject"])
def test_an_unknown_tag_closes_the_channel(channel: Channel, queue: str, method: str, delivery: int) -> None:
    take(channel, queue, 1)
    assert channel.refusal(method, delivery=delivery) == (
        406,
        f"PRECONDITION_FAILED - unknown delivery tag {delivery}",
    )


def test_a_tag_is_settled_once(channel: Channel, queue: str) -> None:
    take(channel, queue, 1)
    channel.send("basic.ack", delivery=1)
    assert channel.refusal("basic.ack", delivery=1) == (406, "PRECONDITION_FAILED - unknown delivery tag 1")


def test_a_tag_belongs_to_its_channel(channel: Channel, queue: str) -> None:
    take(channel, queue, 1)
    assert channel.line.channel().refusal("basic.ack", delivery=1)[0] == 406


def test_what_needs_no_ack_has_no_tag_to_settle(channel: Channel, queue: str) -> None:
    channel.get(queue, no_ack=True)
    assert channel.refusal("basic.ack", delivery=1)[0] == 406


def test_an_unknown_tag_gives_back_what_the_channel_had(channel: Channel, queue: str) -> None:
    take(channel, queue, 2)
    channel.refusal("basic.ack", delivery=9)
    assert channel.line.channel().drain(queue) == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize("method", ["basic.nack", "basic.reject"])
def test_what_is_put_back_comes_again_at_its_place(channel: Channel, queue: str, method: str) -> None:
    take(channel, queue, 3)
    channel.send(method, delivery=2, requeue=True)
    got = [channel.get(queue) for _ in range(2)]
    assert [(message.body, message.redelivered) for message in got] == [(b"1", True), (b"3", False)]


@pytest.mark.parametrize("method", ["basic.nack", "basic.reject"])
def test_what_is_not_put_back_is_gone(channel: Channel, queue: str, method: str) -> None:
    take(channel, queue, 2)
    channel.send(method, delivery=1, requeue=False)
    channel.call("basic.recover", requeue=True)
    assert channel.drain(queue) == ["1", "2", "3", "4"]


@pytest.mark.parametrize(("delivery", "left"), [(3, ["0", "1", "2", "4"]), (0, ["0", "1", "2", "3", "4"])])
def test_a_nack_of_many_puts_all_back(channel: Channel, queue: str, delivery: int, left: list[str]) -> None:
    take(channel, queue, 4)
    channel.send("basic.nack", delivery=delivery, multiple=True, requeue=True)
    assert channel.drain(queue) == left


def test_recover_gives_all_to_the_queue_again(channel: Channel, queue: str) -> None:
    take(channel, queue, 2)
    channel.call("basic.recover", requeue=True)
    assert [channel.get(queue).redelivered for _ in range(3)] == [True, True, False]


def test_recover_may_go_without_an_answer(channel: Channel, queue: str) -> None:
    take(channel, queue, 2)
    channel.send("basic.recover-async", requeue=True)
    assert channel.call("basic.get", queue=queue).redelivered is True


def test_recover_to_the_same_consumer_is_not_implemented(channel: Channel) -> None:
    channel.send("basic.recover", requeue=False)
    assert channel.line.closed_by_broker() == (540, "NOT_IMPLEMENTED - requeue=false")


def test_a_consumer_gets_again_what_it_puts_back(channel: Channel, queue: str) -> None:
    channel.call("basic.qos", prefetch_count=1)
    channel.consume(queue)
    first = channel.delivery()
    assert (first.body, first.redelivered) == (b"0", False)
    channel.send("basic.reject", delivery=first.delivery, requeue=True)
    again = channel.delivery()
    assert (again.body, again.redelivered, again.delivery) == (b"0", True, 2)


@pytest.mark.parametrize("way", ["close the channel", "close the connection", "hang up"])
def test_a_client_that_leaves_gives_back_what_it_had(
    broker: Running, channel: Channel, name: str, way: str
) -> None:
    channel.queue(name, exclusive=False)
    for number in range(3):
        channel.publish(str(number), name)
    channel.wait_for_count(name, 3)
    with dial(broker) as line:
        leaving = line.channel()
        take(leaving, name, 2)
        if way == "close the channel":
            leaving.call("channel.close", code=200)
        elif way == "close the connection":
            line.close()
        else:
            line.hang_up()
        channel.wait_for_count(name, 3)
    got = [channel.get(name) for _ in range(3)]
    assert [(message.body, message.redelivered) for message in got] == [
        (b"0", True),
        (b"1", True),
        (b"2", False),
    ]
    channel.call("queue.delete", queue=name)
