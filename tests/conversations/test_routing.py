"""Which queues a message reaches: direct, fanout, topic, headers, CC and BCC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.conversations.codec import Tagged
from tests.conversations.line import beginning

if TYPE_CHECKING:
    from tests.conversations.line import Channel


def test_a_direct_exchange_compares_the_whole_key(channel: Channel, name: str) -> None:
    channel.exchange(name, "direct")
    queue = channel.queue()
    channel.bind(queue, name, "a.b")
    for key in ["a.b", "a", "a.*", "A.B", ""]:
        channel.publish(key, key, exchange=name)
    assert channel.drain(queue) == ["a.b"]


def test_a_fanout_exchange_asks_nothing(channel: Channel, name: str) -> None:
    channel.exchange(name, "fanout")
    queues = [channel.queue(), channel.queue()]
    for queue in queues:
        channel.bind(queue, name, "whatever")
    channel.publish("all", "some.key", exchange=name)
    assert [channel.drain(queue) for queue in queues] == [["all"], ["all"]]


def test_a_queue_bound_twice_gets_a_message_once(channel: Channel, name: str) -> None:
    channel.exchange(name, "topic")
    queue = channel.queue()
    channel.bind(queue, name, "#")
    channel.bind(queue, name, "a.*")
    channel.publish("once", "a.b", exchange=name)
    assert channel.drain(queue) == ["once"]


def test_each_of_several_bindings_is_unbound_by_its_key(channel: Channel, name: str) -> None:
    channel.exchange(name, "topic")
    queue = channel.queue()
    channel.bind(queue, name, "a.#")
    channel.bind(queue, name, "b.#")
    channel.call("queue.unbind", queue=queue, exchange=name, key="a.#")
    channel.publish("a", "a.x", exchange=name)
    channel.publish("b", "b.x", exchange=name)
    assert channel.drain(queue) == ["b"]


KEYS = ["", "a", "a.b", "a.b.c", "a.b.b.c", "b.a", "a..b", ".", "A.b", "*.b", "#"]


@pytest.mark.parametrize(
    ("pattern", "matched"),
    [
        ("a.b", ["a.b"]),
        ("*", ["a", "#"]),
        ("#", KEYS),
        ("a.*", ["a.b"]),
        ("*.b", ["a.b", "A.b", "*.b"]),
        ("a.#", ["a", "a.b", "a.b.c", "a.b.b.c", "a..b"]),
        ("#.b", ["a.b", "a..b", "A.b", "*.b"]),
        ("a.#.c", ["a.b.c", "a.b.b.c"]),
        ("a.*.b", ["a..b"]),  # a word may be empty
        ("*.*", ["a.b", "b.a", ".", "A.b", "*.b"]),
        ("#.#", KEYS),
        ("a.#.#", ["a", "a.b", "a.b.c", "a.b.b.c", "a..b"]),
        ("*.#", [key for key in KEYS if key]),
        ("", [""]),
        ("a*", []),  # a wildcard is a whole word
    ],
)
def test_a_topic_exchange_knows_wildcards(
    channel: Channel, name: str, pattern: str, matched: list[str]
) -> None:
    channel.exchange(name, "topic")
    queue = channel.queue()
    channel.bind(queue, name, pattern)
    # An empty key to queue.bind on an empty queue name means something else, so the queue is named.
    for key in KEYS:
        channel.publish(key, key, exchange=name)
    assert channel.drain(queue) == matched


HEADERS: dict[str, dict[str, Any]] = {
    "both": {"a": 1, "b": "x"},
    "first": {"a": 1},
    "other value": {"a": 2, "b": "x"},
    "other type": {"a": "1", "b": "x"},
    "other integer": {"a": Tagged("l", 1), "b": "x"},
    "more": {"a": 1, "b": "x", "c": True},
    "none": {},
    "with x-": {"a": 1, "b": "x", "x-y": 1},
    "other x-": {"a": 1, "b": "x", "x-y": 2},
}


@pytest.mark.parametrize(
    ("pattern", "matched"),
    [
        # No x-match is "all".
        ({"a": 1, "b": "x"}, ["both", "other integer", "more", "with x-", "other x-"]),
        ({"x-match": "all", "a": 1, "b": "x"}, ["both", "other integer", "more", "with x-", "other x-"]),
        (
            {"x-match": "any", "a": 1, "b": "x"},
            [name for name in HEADERS if name != "none"],
        ),
        # A void value asks for presence.
        ({"x-match": "all", "c": None}, ["more"]),
        # x- headers do not count...
        (
            {"x-match": "all", "a": 1, "b": "x", "x-y": 1},
            ["both", "other integer", "more", "with x-", "other x-"],
        ),
        ({"x-match": "any", "x-y": 1}, []),
        # ...unless asked to.
        ({"x-match": "all-with-x", "a": 1, "b": "x", "x-y": 1}, ["with x-"]),
        ({"x-match": "any-with-x", "x-y": 2}, ["other x-"]),
        ({"x-match": "all"}, list(HEADERS)),
        ({"x-match": "any"}, []),
    ],
    ids=str,
)
def test_a_headers_exchange_compares_headers(
    channel: Channel, name: str, pattern: dict[str, Any], matched: list[str]
) -> None:
    channel.exchange(name, "headers")
    queue = channel.queue()
    channel.bind(queue, name, "ignored", **pattern)
    for label, headers in HEADERS.items():
        channel.publish(label, exchange=name, headers=headers)
    assert channel.drain(queue) == matched


def test_a_message_without_headers_is_one_with_none(channel: Channel, name: str) -> None:
    channel.exchange(name, "headers")
    queue = channel.queue()
    channel.bind(queue, name, "", **{"x-match": "all"})
    channel.publish("bare", exchange=name)
    assert channel.drain(queue) == ["bare"]


def test_an_unknown_way_to_match_is_refused(channel: Channel, name: str) -> None:
    channel.exchange(name, "headers")
    queue = channel.queue()
    refusal = channel.refusal(
        "queue.bind", queue=queue, exchange=name, key="", arguments={"x-match": "some", "a": 1}
    )
    assert beginning(refusal, "PRECONDITION_FAILED - ") == (406, "PRECONDITION_FAILED - ")


def test_bindings_that_differ_in_arguments_are_different(channel: Channel, name: str) -> None:
    channel.exchange(name, "headers")
    queue = channel.queue()
    channel.bind(queue, name, "k", a=1)
    channel.bind(queue, name, "k", a=2)
    channel.call("queue.unbind", queue=queue, exchange=name, key="k", arguments={"a": 1})
    channel.publish("one", exchange=name, headers={"a": 1})
    channel.publish("two", exchange=name, headers={"a": 2})
    assert channel.drain(queue) == ["two"]


def test_cc_and_bcc_are_more_keys_and_bcc_is_taken_out(channel: Channel, name: str) -> None:
    queues = [channel.queue(f"{name}-{number}") for number in range(3)]
    headers = {"CC": [queues[1]], "BCC": [queues[2]], "more": 1}
    channel.publish("copies", queues[0], headers=headers)
    got = [channel.get(queue) for queue in queues]
    assert [message.body for message in got] == [b"copies"] * 3
    assert [message.key for message in got] == [queues[0]] * 3
    assert [message.headers for message in got] == [{"CC": [queues[1]], "more": 1}] * 3


def test_cc_to_the_same_queue_delivers_once(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    channel.publish("once", queue, headers={"CC": [queue, queue]})
    assert channel.drain(queue) == ["once"]


@pytest.mark.parametrize("header", ["CC", "BCC"])
def test_cc_is_a_list(channel: Channel, header: str) -> None:
    channel.publish("no", "k", headers={header: "not a list"})
    refusal = channel.closed_by_broker()
    assert beginning(refusal, "PRECONDITION_FAILED - ") == (406, "PRECONDITION_FAILED - ")
