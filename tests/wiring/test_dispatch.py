"""Dispatch: how a queue shares its messages out among its consumers."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from penstock.errors import ConstraintBroken, Locked
from penstock.wiring import Message
from penstock.wiring.dispatch import BURST
from tests.wiring.support import (
    NAMES,
    add_queue,
    bodies,
    consume,
    deliver,
    open_ledger,
    photograph,
    ready,
    refused,
    send,
    wired,
)

if TYPE_CHECKING:
    from penstock.wiring import Wiring


def shares(wiring: Wiring) -> dict[str, int]:
    return dict(Counter(name for name, _ in deliver(wiring)))


def numbers(count: int) -> list[str]:
    return [str(number) for number in range(count)]


# Round robin


def test_messages_go_to_each_consumer_in_turn() -> None:
    wiring, queue = wired()
    for name in "abc":
        consume(wiring, queue, name)
    send(wiring, *numbers(7))
    assert [name for name, _ in sorted(deliver(wiring), key=lambda got: got[1])] == list("abcabca")
    # Whose turn was next is remembered.
    send(wiring, "next")
    assert deliver(wiring) == [("b", "next")]


def test_a_consumer_with_a_full_window_is_passed_over() -> None:
    wiring, queue = wired()
    small, large = consume(wiring, queue, "small", prefetch=1), consume(wiring, queue, "large", prefetch=3)
    send(wiring, *numbers(10))
    assert shares(wiring) == {"small": 1, "large": 3}
    small.ledger.ack(1)
    assert shares(wiring) == {"small": 1}
    large.ledger.ack(0, up_to=True)
    assert shares(wiring) == {"large": 3}


def test_a_lone_consumer_gets_them_in_one_delivery() -> None:
    wiring, queue = wired()
    consumer = consume(wiring, queue)
    send(wiring, *numbers(5))
    ((got, tag, references),) = wiring.deliver(0.0)
    assert (got, tag, bodies(references)) == (consumer, 1, numbers(5))


def test_several_get_theirs_in_one_delivery_each_if_the_tags_allow() -> None:
    wiring, queue = wired()
    shared = open_ledger(wiring)
    wiring.consume(shared, queue, "a", now=0.0)
    wiring.consume(shared, queue, "b", now=0.0)
    consume(wiring, queue, "c")
    send(wiring, *numbers(6))
    told = [(consumer.name, tag, len(references)) for consumer, tag, references in wiring.deliver(0.0)]
    # a and b share the ledger's tags, so theirs alternate; c has a ledger of its own.
    assert told == [("a", 1, 1), ("b", 2, 1), ("c", 1, 2), ("a", 3, 1), ("b", 4, 1)]


def test_nobody_gets_anything_of_nothing_and_nothing_goes_to_nobody() -> None:
    wiring, queue = wired()
    send(wiring, "waits")
    assert deliver(wiring) == []
    consumer = consume(wiring, queue, "c")
    assert deliver(wiring) == [("c", "waits")]
    assert deliver(wiring) == []
    wiring.cancel(consumer, now=0.0)
    send(wiring, "waits on")
    assert deliver(wiring) == []


def test_a_turn_is_short_so_that_other_queues_get_theirs_soon() -> None:
    wiring, queue = wired()
    consume(wiring, queue, "long")
    consume(wiring, add_queue(wiring, "other"), "short")
    send(wiring, *numbers(BURST + 10))
    send(wiring, "soon", to="other")
    first = [(consumer.name, len(references)) for consumer, _, references in wiring.deliver(0.0)]
    assert first == [("long", BURST), ("short", 1)]
    assert wiring.busy
    assert shares(wiring) == {"long": 10}
    assert not wiring.busy


@pytest.mark.parametrize("prefetch", [BURST, BURST + 5])
def test_a_burst_that_fills_the_window_ends_well(prefetch: int) -> None:
    wiring, queue = wired()
    consumer = consume(wiring, queue, "c", prefetch=prefetch)
    send(wiring, *numbers(2 * BURST))
    assert shares(wiring) == {"c": prefetch}
    consumer.ledger.ack(0, up_to=True)
    assert shares(wiring) == {"c": 2 * BURST - prefetch}


def test_busy_consumers_are_not_looked_at_however_many() -> None:
    wiring, queue = wired()
    for _ in range(50):
        consume(wiring, queue, prefetch=1)
    send(wiring, *numbers(60))
    deliver(wiring)
    assert not queue.dispatch._rotation
    assert ready(queue) == numbers(60)[50:]


def test_a_holder_of_another_priority_gets_what_is_of_its_group() -> None:
    wiring, queue = wired()
    consume(wiring, queue, "low", priority=-1)
    send(wiring, "a1", group="a")
    assert deliver(wiring) == [("low", "a1")]
    consume(wiring, queue, "high", priority=1)
    send(wiring, "a2", group="a")
    send(wiring, "b1", group="b")
    assert deliver(wiring) == [("low", "a2"), ("high", "b1")]


# Priorities


def test_the_higher_priority_is_served_first_while_it_has_room() -> None:
    wiring, queue = wired()
    consume(wiring, queue, "low", priority=-1)
    high = consume(wiring, queue, "high", priority=7, prefetch=2)
    consume(wiring, queue, "middle", prefetch=1)
    send(wiring, *numbers(5))
    assert shares(wiring) == {"high": 2, "middle": 1, "low": 2}
    high.ledger.ack(1)
    send(wiring, "more")
    assert deliver(wiring) == [("high", "more")]


# Single active


def test_only_one_at_a_time_is_served_and_the_next_takes_over() -> None:
    wiring, queue = wired(single_active=True)
    first = consume(wiring, queue, "first", prefetch=1)
    second = consume(wiring, queue, "second")
    send(wiring, *numbers(4))
    assert deliver(wiring) == [("first", "0")]
    assert queue.dispatch.active is first
    wiring.cancel(first, now=0.0)
    assert deliver(wiring) == [("second", "1"), ("second", "2"), ("second", "3")]
    wiring.cancel(second, now=0.0)
    assert queue.dispatch.active is None


def test_the_active_one_stays_although_one_of_higher_priority_comes() -> None:
    # RabbitMQ's classic queues: whoever is active is so until it goes.
    wiring, queue = wired(single_active=True)
    active = consume(wiring, queue, "active", prefetch=1)
    consume(wiring, queue, "same", prefetch=1)
    consume(wiring, queue, "higher", priority=5, prefetch=1)
    send(wiring, *numbers(4))
    assert deliver(wiring) == [("active", "0")]
    active.ledger.ack(1)
    assert deliver(wiring) == [("active", "1")]
    wiring.cancel(active, now=0.0)
    assert deliver(wiring) == [("higher", "2")]


def test_a_standby_that_leaves_changes_nothing() -> None:
    wiring, queue = wired(single_active=True)
    active = consume(wiring, queue, "active")
    wiring.cancel(consume(wiring, queue, "standby"), now=0.0)
    assert queue.dispatch.active is active


def test_without_it_nobody_is_the_active_one() -> None:
    wiring, queue = wired()
    consume(wiring, queue)
    assert queue.dispatch.active is None


# Who may join


def test_an_exclusive_consumer_has_the_queue_for_itself() -> None:
    wiring, queue = wired()
    alone = consume(wiring, queue, exclusive=True)
    with refused(wiring, Locked, "queue 'q' has an exclusive consumer: wait until it leaves"):
        consume(wiring, queue)
    with refused(wiring, Locked):
        consume(wiring, queue, exclusive=True)
    wiring.cancel(alone, now=0.0)
    consume(wiring, queue)
    with refused(wiring, Locked, "queue 'q' has consumers: nobody can have it for itself now"):
        consume(wiring, queue, exclusive=True)


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_a_template_limits_the_consumers(limit: int) -> None:
    wiring, queue = wired(max_consumers=limit)
    joined = [consume(wiring, queue) for _ in range(limit)]
    with refused(wiring, ConstraintBroken, f"queue 'q' takes at most {limit} consumers: raise"):
        consume(wiring, queue)
    for consumer in joined:
        wiring.cancel(consumer, now=0.0)
        consume(wiring, queue)


# Getting one by one


def test_one_is_got_without_a_subscription() -> None:
    wiring, queue = wired()
    send(wiring, "a", "b")
    ledger = open_ledger(wiring)
    got = queue.get(ledger, 0.0)
    assert got is not None
    assert (got.first_tag, bodies(got.references), got.consumer.held) == (1, ["a"], 1)
    assert (ready(queue), queue.held) == (["b"], 1)
    ledger.nack(1, 0.0)
    assert ready(queue) == ["a", "b"]


def test_got_without_acknowledgement_it_is_gone_and_nobody_is_remembered() -> None:
    wiring, queue = wired()
    (message,) = send(wiring, "a")
    ledger = open_ledger(wiring)
    assert queue.get(ledger, 0.0, acks=False) is not None
    assert queue.get(ledger, 0.0, acks=False) is None
    assert (message.references, queue.dispatch.holders, ledger.getters) == (0, {}, {})


def test_asking_an_empty_queue_leaves_no_trace() -> None:
    wiring, queue = wired()
    ledger = open_ledger(wiring)
    before = photograph(wiring)
    assert queue.get(ledger, 0.0) is None
    assert (photograph(wiring), ledger.getters) == (before, {})


def test_a_full_window_or_a_pause_of_the_peer_is_nothing_to_one_who_asks() -> None:
    # RabbitMQ: basic.qos and channel.flow are about consumers, not basic.get.
    wiring, queue = wired()
    ledger = open_ledger(wiring)
    ledger.prefetch, ledger.flowing = 1, False
    send(wiring, "a", "b")
    assert queue.get(ledger, 0.0)
    assert queue.get(ledger, 0.0)


# Leases


@pytest.mark.parametrize("consumers", [1, 2])
def test_what_is_handed_out_has_a_lease(consumers: int) -> None:
    wiring, queue = wired(lease_in=5.0)
    for _ in range(consumers):
        consume(wiring, queue)
    send(wiring, "a", "b", "c")
    deliver(wiring, 1.0)
    assert (len(queue.timers.leases), queue.timers.next_at()) == (3, 6.0)


@pytest.mark.parametrize("consumers", [1, 2])
def test_who_does_not_acknowledge_needs_no_lease(consumers: int) -> None:
    wiring, queue = wired(lease_in=5.0)
    for _ in range(consumers):
        consume(wiring, queue, acks=False)
    send(wiring, "a", "b", "c")
    deliver(wiring)
    assert len(queue.timers.leases) == 0


def test_however_often_a_message_is_handed_out_it_is_one() -> None:
    wiring, queue = wired()
    message = Message(b"the same", "q")
    wiring.publish(NAMES, [message] * 3, 0.0)
    consume(wiring, queue, "c")
    ((_, _, references),) = wiring.deliver(0.0)
    assert all(found.message is message for found in references)
