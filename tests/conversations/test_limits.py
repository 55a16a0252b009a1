"""Priorities, time to live, and how much a queue may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conversations.codec import Method
    from tests.conversations.line import Channel


# Priorities


def test_messages_of_higher_priority_are_first(channel: Channel, name: str) -> None:
    queue = channel.queue(name, arguments={"x-max-priority": 5})
    for body, priority in [("low", 1), ("high", 5), ("higher than the highest", 200), ("low too", 1)]:
        channel.publish(body, queue, priority=priority)
    channel.publish("none", queue)  # is zero
    # Above the queue's highest is its highest: they stay in order.
    assert channel.drain(queue) == ["high", "higher than the highest", "low", "low too", "none"]


def test_a_priority_is_kept_as_it_was_published(channel: Channel, name: str) -> None:
    queue = channel.queue(name, arguments={"x-max-priority": 5})
    channel.publish("hello", queue, priority=200)
    assert channel.get(queue).properties == {"priority": 200}


def test_a_queue_without_priorities_keeps_the_order(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    channel.publish("low", queue, priority=1)
    channel.publish("high", queue, priority=9)
    assert channel.drain(queue) == ["low", "high"]


def test_what_is_put_back_keeps_its_priority(channel: Channel, name: str) -> None:
    queue = channel.queue(name, arguments={"x-max-priority": 5})
    channel.publish("high", queue, priority=5)
    channel.publish("low", queue, priority=1)
    got = channel.get(queue, no_ack=False)
    channel.send("basic.reject", delivery=got.delivery, requeue=True)
    assert channel.drain(queue) == ["high", "low"]


# Time to live


def test_a_message_expires_after_its_own_time(channel: Channel, name: str) -> None:
    queue = channel.queue(name)
    channel.publish("short", queue, expiration="50")
    channel.publish_safely("long", queue, expiration="60000")
    channel.wait_for_count(queue, 1)
    got = channel.get(queue)
    assert (got.body, got.properties) == (b"long", {"expiration": "60000"})


def test_a_message_expires_after_its_queues_time(channel: Channel, name: str) -> None:
    queue = channel.queue(name, arguments={"x-message-ttl": 50})
    channel.publish("one", queue)
    channel.publish_safely("two", queue, expiration="60000")  # the shorter counts
    channel.wait_for_count(queue, 0)


def test_no_time_is_for_those_who_wait_already(channel: Channel, name: str) -> None:
    queue = channel.queue(name, arguments={"x-message-ttl": 0})
    channel.publish("nobody is here", queue)
    assert channel.drain(queue) == []
    channel.consume(queue)
    channel.publish("here I am", queue)
    assert channel.bodies(1) == ["here I am"]


def delivered_at_once(channel: Channel, queue: str) -> Method:
    """A message that is out before it could expire, to somebody who takes no more than that one."""
    channel.ask("basic.qos", prefetch_count=1)
    channel.consume(queue, tag="taker")
    channel.publish("out", queue)
    return channel.delivery()


def test_a_message_that_is_out_does_not_expire(channel: Channel, name: str) -> None:
    queue = channel.queue(name, arguments={"x-message-ttl": 50})
    got = delivered_at_once(channel, queue)
    channel.publish_safely("waits", queue)
    channel.wait_for_count(queue, 0)
    channel.send("basic.ack", delivery=got.delivery)  # is still known
    assert channel.is_still_open()


def test_what_is_put_back_after_its_time_expires(channel: Channel, name: str) -> None:
    queue = channel.queue(name, arguments={"x-message-ttl": 50})
    got = delivered_at_once(channel, queue)
    channel.publish_safely("witness", queue)
    channel.wait_for_count(queue, 0)
    channel.ask("basic.cancel", tag="taker")
    channel.send("basic.reject", delivery=got.delivery, requeue=True)
    assert channel.get(queue).name == "basic.get-empty"


def test_a_short_time_behind_a_long_one(channel: Channel, name: str, expected: Callable[[str], Any]) -> None:
    queue = channel.queue(name)
    channel.publish("long", queue, expiration="60000")
    channel.publish("short", queue, expiration="10")
    # A later message with a longer time that does expire shows that the time has passed.
    witness = channel.queue(f"{name}-witness", arguments={"x-message-ttl": 300})
    channel.publish_safely("witness", witness)
    channel.wait_for_count(witness, 0)
    assert channel.count(queue) == expected("expiry-behind-the-head")
    # Nobody ever receives it, either way.
    assert channel.drain(queue) == ["long"]


# How much a queue may hold


def test_the_oldest_go_when_there_are_too_many(channel: Channel, name: str) -> None:
    queue = channel.queue(name, arguments={"x-max-length": 2})
    for body in "abcd":
        channel.publish(body, queue)
    assert channel.drain(queue) == ["c", "d"]


def test_what_is_out_does_not_count(channel: Channel, name: str) -> None:
    queue = channel.queue(name, arguments={"x-max-length": 1})
    channel.publish("out", queue)
    got = channel.get(queue, no_ack=False)
    channel.publish("in", queue)
    assert channel.drain(queue) == ["in"]
    channel.send("basic.ack", delivery=got.delivery)


def test_the_oldest_go_when_they_are_too_long(channel: Channel, name: str) -> None:
    # Bodies count, properties do not.
    queue = channel.queue(name, arguments={"x-max-length-bytes": 10})
    for body in ["aaaa", "bbbb", "cccc"]:
        channel.publish(body, queue, headers={"more": "bytes" * 10})
    assert channel.drain(queue) == ["bbbb", "cccc"]


def test_a_message_longer_than_its_queue_may_be_goes_at_once(channel: Channel, name: str) -> None:
    queue = channel.queue(name, arguments={"x-max-length-bytes": 10})
    channel.publish("short", queue)
    channel.publish("longer than ten bytes", queue)
    assert channel.drain(queue) == []


def test_both_limits_count(channel: Channel, name: str) -> None:
    queue = channel.queue(name, arguments={"x-max-length": 3, "x-max-length-bytes": 10})
    for body in ["a", "b", "c", "d", "eeeeeeeee"]:
        channel.publish(body, queue)
    assert channel.drain(queue) == ["d", "eeeeeeeee"]


@pytest.mark.parametrize("overflow", ["reject-publish", "reject-publish-dlx"])
def test_the_newest_are_refused_if_the_queue_says_so(channel: Channel, name: str, overflow: str) -> None:
    queue = channel.queue(name, arguments={"x-max-length": 2, "x-overflow": overflow})
    for body in "abcd":
        channel.publish(body, queue)
    assert channel.drain(queue) == ["a", "b"]


@pytest.mark.parametrize(
    ("overflow", "dead"), [("drop-head", ["a"]), ("reject-publish", []), ("reject-publish-dlx", ["b"])]
)
def test_what_does_not_fit_becomes_a_dead_letter(
    channel: Channel, name: str, overflow: str, dead: list[str]
) -> None:
    graveyard = channel.queue(f"{name}-dead")
    arguments = {
        "x-max-length": 1,
        "x-overflow": overflow,
        "x-dead-letter-exchange": "",
        "x-dead-letter-routing-key": graveyard,
    }
    queue = channel.queue(name, arguments=arguments)
    channel.call("confirm.select")
    channel.publish("a", queue)
    channel.expect("basic.ack")
    channel.publish("b", queue)
    channel.expect("basic.ack", "basic.nack")
    found = []
    if dead:
        letter = channel.get_soon(graveyard)
        assert letter.headers["x-death"][0]["reason"] == "maxlen"
        found = [letter.body.decode()]
    assert (found, channel.drain(graveyard)) == (dead, [])


def test_the_head_goes_even_if_it_has_the_highest_priority(channel: Channel, name: str) -> None:
    queue = channel.queue(name, arguments={"x-max-priority": 5, "x-max-length": 2})
    for body, priority in [("high", 5), ("low", 1), ("middle", 3)]:
        channel.publish(body, queue, priority=priority)
    assert channel.drain(queue) == ["middle", "low"]


@pytest.mark.parametrize("overflow", ["drop-head", "reject-publish"])
def test_a_quorum_queue_has_limits_too(channel: Channel, name: str, overflow: str) -> None:
    queue = channel.quorum_queue(name, max_length=2, overflow=overflow)
    channel.call("confirm.select")
    outcomes = []
    for body in "abcdefgh":
        channel.publish(body, queue)
        outcomes.append(channel.expect("basic.ack", "basic.nack").name)
    kept = channel.drain(queue)
    if overflow == "drop-head":
        assert (kept, set(outcomes)) == (["g", "h"], {"basic.ack"})
    else:
        # A quorum queue counts a little late: some more than two may fit, the rest is refused.
        assert kept[:2] == ["a", "b"]
        assert outcomes.count("basic.ack") == len(kept)
    channel.call("queue.delete", queue=queue)
