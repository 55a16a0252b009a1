"""Declaring, deleting and purging queues, and whose they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.conversations.codec import Tagged
from tests.conversations.line import beginning, clipped, dial, until

if TYPE_CHECKING:
    from tests.conversations.line import Channel
    from tests.servers.running import Running


def locked(name: str) -> tuple[int, str]:
    return 405, clipped(
        f"RESOURCE_LOCKED - cannot obtain exclusive access to locked queue '{name}' in vhost '/'. It could be"
        " originally declared on another connection or the exclusive property value does not match that of"
        " the original declaration."
    )


def not_found(name: str) -> tuple[int, str]:
    return 404, f"NOT_FOUND - no queue '{name}' in vhost '/'"


def test_a_declaration_tells_messages_and_consumers(channel: Channel, name: str) -> None:
    assert channel.call("queue.declare", queue=name, exclusive=True).arguments == {
        "queue": name,
        "messages": 0,
        "consumers": 0,
    }
    channel.publish("one", name)
    channel.publish("two", name)
    assert channel.get(name, no_ack=False).body == b"one"
    # What is out with a client does not wait.
    assert channel.call("queue.declare", queue=name, passive=True).messages == 1
    channel.call("basic.qos", prefetch_count=1)
    channel.consume(name)
    channel.delivery()
    assert channel.call("queue.declare", queue=name, passive=True).consumers == 1


def test_the_broker_gives_a_name(channel: Channel) -> None:
    first, second = channel.queue(), channel.queue()
    assert first != second
    assert first.startswith("amq.gen-")


def test_no_name_means_the_last_queue_declared_on_the_channel(channel: Channel) -> None:
    name = channel.queue()
    channel.call("queue.bind", queue="", exchange="amq.direct", key="")  # an empty key becomes the name
    channel.publish("hello", name, exchange="amq.direct")
    assert channel.get("").body == b"hello"
    assert channel.consume("")
    assert channel.call("queue.purge", queue="").messages == 0
    channel.call("queue.delete", queue="")


def test_the_empty_name_is_not_a_queues_name(channel: Channel) -> None:
    channel.queue()
    assert channel.refusal("queue.declare", queue="", passive=True) == not_found("")


@pytest.mark.parametrize(
    "method", ["basic.get", "basic.consume", "queue.bind", "queue.purge", "queue.delete"]
)
def test_no_name_and_no_queue_declared_is_an_error(channel: Channel, method: str) -> None:
    arguments = {"exchange": "amq.direct"} if method == "queue.bind" else {}
    assert channel.refusal(method, queue="", **arguments) == (404, "NOT_FOUND - no previously declared queue")


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("queue.declare", {"passive": True}),
        ("queue.purge", {}),
        ("queue.bind", {"exchange": "amq.direct", "key": "k"}),
        ("basic.consume", {}),
        ("basic.get", {}),
    ],
)
def test_a_queue_that_is_not_there_is_not_found(
    channel: Channel, name: str, method: str, arguments: dict[str, Any]
) -> None:
    assert channel.refusal(method, queue=name, **arguments) == not_found(name)


def test_what_is_not_there_may_be_deleted_and_unbound(channel: Channel, name: str) -> None:
    assert channel.call("queue.delete", queue=name).messages == 0
    channel.call("queue.unbind", queue=name, exchange="amq.direct", key="k")
    channel.call("queue.unbind", queue=name, exchange=name, key="k")


def test_binding_to_an_exchange_that_is_not_there_is_refused(channel: Channel, name: str) -> None:
    refusal = channel.refusal("queue.bind", queue=channel.queue(), exchange=name)
    assert refusal == (404, f"NOT_FOUND - no exchange '{name}' in vhost '/'")


def test_names_of_the_broker_are_reserved(channel: Channel, name: str) -> None:
    assert channel.refusal("queue.declare", queue=f"amq.{name}") == (
        403,
        f"ACCESS_REFUSED - queue name 'amq.{name}' contains reserved prefix 'amq.*'",
    )
    # Even the owner of such a name may only ask for it.
    again = channel.line.channel()
    given = again.queue()
    assert again.call("queue.declare", queue=given, passive=True).queue == given
    assert again.refusal("queue.declare", queue=given, exclusive=True)[0] == 403


def test_a_name_may_be_255_bytes_long(channel: Channel) -> None:
    # 127 is the standard's limit, RabbitMQ's is what a short string holds.
    name = ("ü" * 122 + channel.queue()[-11:])[:133]
    assert len(name.encode()) == 255
    assert channel.queue(name) == name


def test_line_breaks_are_taken_out_of_a_name(channel: Channel, name: str) -> None:
    assert channel.queue(f"{name}\n-\r\nand") == f"{name}-and"


# Declaring again


@pytest.mark.parametrize(
    ("first", "again", "argument", "what"),
    [
        ({}, {"durable": True}, "durable", "received 'true' but current is 'false'"),
        ({}, {"auto_delete": True}, "auto_delete", "received 'true' but current is 'false'"),
        (
            {"x-message-ttl": 1000},
            {"x-message-ttl": 2000},
            "x-message-ttl",
            "received '2000' but current is '1000'",
        ),
        (
            {"x-message-ttl": 1000},
            {},
            "x-message-ttl",
            "received none but current is the value '1000' of type 'signedint'",
        ),
        (
            {},
            {"x-dead-letter-exchange": "x"},
            "x-dead-letter-exchange",
            "received the value 'x' of type 'longstr' but current is none",
        ),
        ({"x-max-length": 1}, {"x-max-length": 2}, "x-max-length", "received '2' but current is '1'"),
        (
            {"x-overflow": "drop-head"},
            {"x-overflow": "reject-publish"},
            "x-overflow",
            "received 'reject-publish' but current is 'drop-head'",
        ),
        (
            {},
            {"x-max-priority": 5},
            "x-max-priority",
            "received the value '5' of type 'signedint' but current is none",
        ),
        ({"x-expires": 60_000}, {"x-expires": 1}, "x-expires", "received '1' but current is '60000'"),
    ],
    ids=str,
)
def test_declaring_again_otherwise_is_refused_by_the_argument(
    channel: Channel, name: str, first: dict[str, Any], again: dict[str, Any], argument: str, what: str
) -> None:
    channel.queue(name, exclusive=False, arguments=first)
    flags = {key: value for key, value in again.items() if not key.startswith("x-")}
    arguments = first if flags else again
    refusal = channel.refusal("queue.declare", queue=name, arguments=arguments, **flags)
    text = f"PRECONDITION_FAILED - inequivalent arg '{argument}' for queue '{name}' in vhost '/': {what}"
    assert refusal == (406, text)
    channel.line.channel().call("queue.delete", queue=name)


def test_declaring_again_the_same_may_use_another_integer_type(channel: Channel, name: str) -> None:
    channel.queue(name, arguments={"x-message-ttl": Tagged("I", 1000)})
    for tag in "bBsuil"[2:]:
        channel.queue(name, arguments={"x-message-ttl": Tagged(tag, 1000)})


def test_arguments_nobody_knows_are_no_difference(channel: Channel, name: str) -> None:
    channel.queue(name, arguments={"x-nobody-knows": 1})
    channel.queue(name, arguments={"x-nobody-knows": 2, "x-queue-type": "classic"})


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("x-message-ttl", -1),
        ("x-message-ttl", "10"),
        ("x-message-ttl", 1.5),
        ("x-message-ttl", 2**40),
        ("x-expires", 0),
        ("x-expires", -1),
        ("x-max-length", -1),
        ("x-max-length", "5"),
        ("x-max-length-bytes", -5),
        ("x-overflow", "nope"),
        ("x-overflow", 5),
        ("x-max-priority", 300),
        ("x-max-priority", -1),
        ("x-dead-letter-routing-key", "k"),  # and no exchange
        ("x-queue-type", "nope"),
        ("x-queue-type", 5),
        ("x-single-active-consumer", "yes"),
    ],
)
def test_an_argument_that_makes_no_sense_is_refused(
    channel: Channel, name: str, argument: str, value: object
) -> None:
    refusal = channel.refusal("queue.declare", queue=name, arguments={argument: value})
    text = f"PRECONDITION_FAILED - invalid arg '{argument}' for queue '{name}' in vhost '/': "
    assert beginning(refusal, text) == (406, text)


def test_the_dead_letter_exchange_is_told_by_its_name(channel: Channel, name: str) -> None:
    refusal = channel.refusal("queue.declare", queue=name, arguments={"x-dead-letter-exchange": 5})
    text = "PRECONDITION_FAILED - invalid type 'signedint' for arg 'x-dead-letter-exchange'"
    assert refusal == (406, f"{text} in queue '{name}' in vhost '/'")


@pytest.mark.parametrize(
    ("flag", "called"), [("exclusive", "exclusive-owner"), ("auto_delete", "auto-delete")]
)
def test_a_quorum_queue_belongs_to_everyone(channel: Channel, name: str, flag: str, called: str) -> None:
    refusal = channel.refusal(
        "queue.declare", queue=name, durable=True, arguments={"x-queue-type": "quorum"}, **{flag: True}
    )
    assert refusal == (
        406,
        f"PRECONDITION_FAILED - invalid property '{called}' for queue '{name}' in vhost '/'",
    )


def test_a_quorum_queue_is_durable(channel: Channel, name: str) -> None:
    code, text = channel.refusal("queue.declare", queue=name, arguments={"x-queue-type": "quorum"})
    assert (code, text) == (
        406,
        f"PRECONDITION_FAILED - invalid property 'non-durable' for queue '{name}' in vhost '/'",
    )


# Exclusive queues


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("queue.declare", {"passive": True}),
        ("queue.declare", {"exclusive": True}),
        ("queue.declare", {}),
        ("queue.bind", {"exchange": "amq.direct"}),
        ("queue.purge", {}),
        ("queue.delete", {}),
        ("basic.consume", {}),
        ("basic.get", {}),
    ],
)
def test_an_exclusive_queue_is_locked_for_other_connections(
    channel: Channel, other: Channel, name: str, method: str, arguments: dict[str, Any]
) -> None:
    channel.queue(name, exclusive=True)
    assert other.refusal(method, queue=name, **arguments) == locked(name)


def test_a_reply_text_ends_with_dots_where_a_short_string_ends(
    channel: Channel, other: Channel, name: str
) -> None:
    long_name = name.ljust(100, "x")
    channel.queue(long_name)
    _, text = other.refusal("queue.purge", queue=long_name)
    assert len(text) == 255
    assert text.endswith("or the exclusive...")


def test_an_exclusive_queue_may_be_published_to_by_all(channel: Channel, other: Channel, name: str) -> None:
    channel.queue(name, exclusive=True)
    other.publish("from another connection", name, mandatory=True)
    assert channel.get_soon(name).body == b"from another connection"


def test_an_exclusive_queue_is_there_for_all_channels_of_its_connection(channel: Channel, name: str) -> None:
    channel.queue(name, exclusive=True)
    channel.line.channel().queue(name, exclusive=True)


def test_exclusive_and_not_are_not_the_same(channel: Channel, name: str) -> None:
    channel.queue(name, exclusive=True)
    assert channel.refusal("queue.declare", queue=name, exclusive=False) == locked(name)
    second = channel.line.channel()
    second.queue(f"{name}-all", exclusive=False)
    assert second.refusal("queue.declare", queue=f"{name}-all", exclusive=True) == locked(f"{name}-all")


def test_an_exclusive_queue_goes_with_its_connection(broker: Running, other: Channel, name: str) -> None:
    with dial(broker) as line:
        line.channel().queue(name, exclusive=True)
        line.close()
    assert other.refusal("queue.declare", queue=name, passive=True) == not_found(name)


# Deleting and purging


def test_an_auto_delete_queue_goes_with_its_last_consumer(channel: Channel, name: str) -> None:
    channel.queue(name, exclusive=False, auto_delete=True)
    second = channel.line.channel()
    first_tag, second_tag = channel.consume(name), second.consume(name)
    channel.call("basic.cancel", tag=first_tag)
    assert channel.count(name) == 0
    second.call("basic.cancel", tag=second_tag)
    assert channel.refusal("queue.declare", queue=name, passive=True) == not_found(name)


def test_an_auto_delete_queue_waits_for_its_first_consumer(
    channel: Channel, other: Channel, name: str
) -> None:
    channel.queue(name, exclusive=False, auto_delete=True)
    other.get(name)
    channel.call("channel.close", code=200)
    assert other.count(name) == 0
    other.call("queue.delete", queue=name)


def test_a_queue_in_use_is_not_deleted_if_unused(channel: Channel, name: str) -> None:
    channel.queue(name)
    channel.consume(name)
    assert channel.refusal("queue.delete", queue=name, if_unused=True) == (
        406,
        f"PRECONDITION_FAILED - queue '{name}' in vhost '/' in use",
    )


def test_a_queue_with_messages_is_not_deleted_if_empty(channel: Channel, name: str) -> None:
    channel.queue(name)
    channel.publish("kept", name)
    assert channel.refusal("queue.delete", queue=name, if_empty=True) == (
        406,
        f"PRECONDITION_FAILED - queue '{name}' in vhost '/' not empty",
    )
    assert channel.line.channel().call("queue.delete", queue=name).messages == 1


def test_purging_takes_what_waits_and_leaves_what_is_out(channel: Channel, name: str) -> None:
    channel.queue(name)
    for number in range(3):
        channel.publish(str(number), name)
    out = channel.get(name, no_ack=False)
    assert channel.call("queue.purge", queue=name).messages == 2
    channel.send("basic.nack", delivery=out.delivery, requeue=True)
    assert channel.drain(name) == ["0"]


def test_nowait_is_not_answered(channel: Channel, name: str) -> None:
    channel.send("queue.declare", queue=name, exclusive=True, nowait=True)
    channel.send("queue.bind", queue=name, exchange="amq.direct", key=name, nowait=True)
    channel.publish("hello", name, exchange="amq.direct")
    assert channel.call("basic.get", queue=name).body == b"hello"
    channel.send("queue.purge", queue=name, nowait=True)
    channel.send("queue.delete", queue=name, nowait=True)
    assert channel.refusal("queue.declare", queue=name, passive=True) == not_found(name)


def test_a_queue_that_is_not_used_expires(channel: Channel, name: str) -> None:
    channel.exchange(f"{name}-x", "fanout")
    queue = channel.queue(arguments={"x-expires": 500})
    channel.consume(queue)  # a consumer is use
    # Nothing of ours may use the other queue while we wait, not even to ask: the binding tells.
    channel.queue(name, exclusive=False, arguments={"x-expires": 500})
    channel.bind(name, f"{name}-x")
    until(lambda: channel.line.channel().is_unknown(exchange=f"{name}-x"), "the queue to expire")
    assert channel.count(queue) == 0
