"""Publishing: what comes back, what is confirmed, what is refused; transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.conversations.line import beginning

if TYPE_CHECKING:
    from tests.conversations.line import Channel


@pytest.fixture
def confirming(channel: Channel) -> Channel:
    channel.call("confirm.select")
    return channel


# Mandatory and immediate


def test_a_mandatory_message_without_a_queue_comes_back(channel: Channel, name: str) -> None:
    channel.publish("nobody", name, mandatory=True, headers={"a": 1}, message_id="id")
    returned = channel.expect("basic.return")
    assert returned.arguments == {"code": 312, "text": "NO_ROUTE", "exchange": "", "key": name}
    assert (returned.body, returned.properties) == (b"nobody", {"headers": {"a": 1}, "message_id": "id"})
    assert channel.is_still_open()


def test_a_message_that_is_not_mandatory_is_dropped(channel: Channel, name: str) -> None:
    channel.publish("nobody", name)
    assert channel.pending() == []


def test_a_returned_message_is_confirmed_afterwards(confirming: Channel, name: str) -> None:
    confirming.publish("nobody", name, mandatory=True)
    assert confirming.expect("basic.return").code == 312
    assert confirming.expect("basic.ack").arguments == {"delivery": 1, "multiple": False}


def test_immediate_is_not_implemented(channel: Channel) -> None:
    channel.publish("now", "k", immediate=True)
    assert channel.line.closed_by_broker() == (540, "NOT_IMPLEMENTED - immediate=true")


# Confirms


def test_confirms_count_from_one(confirming: Channel, name: str) -> None:
    queue = confirming.queue(name)
    confirming.publish("one", queue)
    assert confirming.expect("basic.ack").delivery == 1
    confirming.publish("two", queue)
    assert confirming.expect("basic.ack").delivery == 2


def test_every_publish_is_confirmed_once(confirming: Channel, name: str) -> None:
    queue = confirming.queue(name, exclusive=False, durable=True)
    count = 500
    for number in range(count):
        confirming.publish(str(number), queue, delivery_mode=1 + number % 2)
    assert confirmed(confirming, count) == list(range(1, count + 1))
    confirming.call("queue.delete", queue=queue)


def test_unroutable_messages_are_confirmed_too(confirming: Channel, name: str) -> None:
    for _ in range(3):
        confirming.publish("nobody", name)
    assert confirmed(confirming, 3) == [1, 2, 3]


def test_what_was_published_before_is_not_confirmed(channel: Channel, name: str) -> None:
    channel.publish("before", name)
    channel.call("confirm.select")
    channel.call("confirm.select")  # again is fine, and changes nothing
    channel.publish("after", name)
    assert channel.expect("basic.ack").delivery == 1
    assert channel.pending() == []


def test_confirm_select_may_go_without_an_answer(channel: Channel, name: str) -> None:
    channel.send("confirm.select", nowait=True)
    channel.publish("hello", name)
    assert channel.expect("basic.ack").delivery == 1


def test_a_full_queue_that_rejects_makes_a_nack(confirming: Channel, name: str) -> None:
    arguments = {"x-max-length": 1, "x-overflow": "reject-publish"}
    queue = confirming.queue(name, arguments=arguments)
    confirming.publish("fits", queue)
    assert confirming.expect("basic.ack").delivery == 1
    confirming.publish("does not", queue)
    # RabbitMQ says "multiple" although it is one, as all before it are settled.
    assert confirming.expect("basic.nack").delivery == 2
    assert confirming.drain(queue) == ["fits"]


def test_one_full_queue_of_two_makes_a_nack_and_the_other_keeps_it(confirming: Channel, name: str) -> None:
    confirming.exchange(name, "fanout")
    full = confirming.queue(arguments={"x-max-length": 0, "x-overflow": "reject-publish"})
    free = confirming.queue()
    confirming.bind(full, name)
    confirming.bind(free, name)
    confirming.publish("half", exchange=name)
    assert confirming.expect("basic.nack").delivery == 1
    assert (confirming.drain(full), confirming.drain(free)) == ([], ["half"])


def test_publishing_to_a_missing_exchange_closes_the_channel(confirming: Channel, name: str) -> None:
    queue = confirming.queue()
    confirming.publish("before", queue)
    confirming.publish("lost", exchange=name)
    confirming.publish("ignored", queue)
    # What was published before is confirmed or not, but the rest is never confirmed.
    assert confirming.closed_by_broker() == (404, f"NOT_FOUND - no exchange '{name}' in vhost '/'")
    assert confirming.line.channel().drain(queue) == ["before"]


def test_a_channel_with_confirms_cannot_have_transactions(confirming: Channel) -> None:
    assert confirming.refusal("tx.select") == (
        406,
        "PRECONDITION_FAILED - cannot switch from confirm to tx mode",
    )


def confirmed(channel: Channel, count: int) -> list[int]:
    """The numbers that were confirmed, in order, each as often as it was."""
    open_numbers, found = list(range(1, count + 1)), []
    while open_numbers:
        ack = channel.expect("basic.ack")
        now = [n for n in open_numbers if n <= ack.delivery] if ack.multiple else [ack.delivery]
        found += now
        open_numbers = [n for n in open_numbers if n not in now]
    assert channel.pending() == []
    return sorted(found)


# Transactions


def test_a_transaction_publishes_at_its_end(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    channel.call("tx.select")
    channel.publish("one", queue)
    channel.publish("two", queue)
    assert channel.drain(queue) == []
    channel.call("tx.commit")
    assert channel.drain(queue) == ["one", "two"]


def test_a_rolled_back_transaction_published_nothing(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    channel.call("tx.select")
    channel.publish("never", queue)
    channel.call("tx.rollback")
    channel.call("tx.commit")
    assert channel.drain(queue) == []


def test_a_rolled_back_ack_leaves_the_message_with_the_client(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    channel.publish("mine", queue)
    channel.call("tx.select")
    got = channel.get(queue, no_ack=False)
    channel.send("basic.ack", delivery=got.delivery)
    channel.call("tx.rollback")
    channel.send("basic.nack", delivery=got.delivery, requeue=True)
    assert channel.drain(queue) == []
    channel.call("tx.commit")
    assert channel.get(queue).redelivered is True


def test_a_mandatory_message_of_a_transaction_comes_back_at_its_end(channel: Channel, name: str) -> None:
    channel.call("tx.select")
    channel.publish("nobody", name, mandatory=True)
    assert channel.pending() == []
    channel.send("tx.commit")
    assert channel.expect("basic.return").code == 312
    channel.expect("tx.commit-ok")


@pytest.mark.parametrize("method", ["tx.commit", "tx.rollback"])
def test_there_is_no_end_without_a_beginning(channel: Channel, method: str) -> None:
    assert channel.refusal(method) == (406, "PRECONDITION_FAILED - channel is not transactional")


def test_a_channel_with_transactions_cannot_have_confirms(channel: Channel) -> None:
    channel.call("tx.select")
    assert channel.refusal("confirm.select") == (
        406,
        "PRECONDITION_FAILED - cannot switch from tx to confirm mode",
    )


# Properties the broker looks at


def test_a_user_id_must_be_ones_own(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    channel.publish("true", queue, user_id="guest")
    assert channel.get(queue).properties == {"user_id": "guest"}
    channel.publish("a lie", queue, user_id="somebody")
    assert channel.closed_by_broker() == (
        406,
        "PRECONDITION_FAILED - user_id property set to 'somebody' but authenticated user was 'guest'",
    )


@pytest.mark.parametrize("expiration", ["abc", "", " 10", "-1", "1.5"])
def test_an_expiration_is_a_number_of_milliseconds(channel: Channel, expiration: str) -> None:
    channel.publish("when?", "k", expiration=expiration)
    text = f"PRECONDITION_FAILED - invalid expiration '{expiration}'"
    assert beginning(channel.closed_by_broker(), text) == (406, text)


def test_a_delivery_mode_is_one_or_two(channel: Channel) -> None:
    channel.publish("how?", "k", delivery_mode=7)
    text = "PRECONDITION_FAILED - invalid message: "
    assert beginning(channel.closed_by_broker(), text) == (406, text)


@pytest.mark.parametrize(
    "properties",
    [
        {},
        {"content_type": ""},
        {"headers": {}},
        {"priority": 255, "delivery_mode": 1, "timestamp": 2**63, "expiration": "100000"},
        {
            "content_type": "text/plain",
            "content_encoding": "gzip",
            "headers": {"a": "b"},
            "delivery_mode": 2,
            "priority": 0,
            "correlation_id": "c" * 255,
            "reply_to": "r",
            "expiration": "60000",
            "message_id": "ü",
            "timestamp": 0,
            "type": "t",
            "user_id": "guest",
            "app_id": "a",
            "cluster_id": "c",
        },
    ],
    ids=lambda properties: f"{len(properties)} properties",
)
def test_properties_arrive_as_they_left(channel: Channel, name: str, properties: dict[str, Any]) -> None:
    queue = channel.queue(name)
    channel.publish("hello", queue, **properties)
    assert channel.get(queue).properties == properties


def test_a_client_that_publishes_behind_its_farewell_hears_the_answer(channel: Channel, name: str) -> None:
    # amqplib does so, when what it had to send was not sent yet
    channel.line.send("connection.close", code=200, text="goodbye")
    for _ in range(2000):
        channel.publish("x" * 100, name)
    channel.line.expect("connection.close-ok")
