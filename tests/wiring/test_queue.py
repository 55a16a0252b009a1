"""Queues: in, out, and when they want to be called."""

from __future__ import annotations

from math import inf

import pytest

from penstock.wiring import LOWEST_PRIORITY, PERSISTENT, DeadLetters, Message, Overflow, State, Wiring
from tests.wiring.support import (
    NAMES,
    add_home,
    aside,
    bodies,
    consume,
    deliver,
    in_hand,
    journalled,
    open_ledger,
    ready,
    send,
    wired,
)

# Names


def test_a_queue_shows_its_live_state() -> None:
    wiring, queue = wired()
    aside(wiring, queue, "buried")
    send(wiring, "held")
    in_hand(wiring, queue)
    send(wiring, "a", "b")
    send(wiring, "later", delay_in=5.0)
    assert repr(queue) == "<Queue 'q': 2 ready, 1 held, 1 delayed, 1 buried, 1 consumers>"


def test_its_address_has_the_namespace_before_the_name() -> None:
    wiring = Wiring()
    assert wiring.create_queue("q", now=0.0).address == "q"
    assert wiring.create_queue("q", namespace="news", now=0.0).address == "news/q"


# In


def test_first_in_first_out_within_a_priority_and_the_lowest_number_first() -> None:
    wiring, queue = wired()
    for body, priority in (("b1", 5), ("c1", LOWEST_PRIORITY), ("a1", 0), ("b2", 5), ("a2", 0)):
        send(wiring, body, priority=priority)
    assert ready(queue) == ["a1", "a2", "b1", "b2", "c1"]
    consume(wiring, queue, "c")
    assert [body for _, body in deliver(wiring)] == ["a1", "a2", "b1", "b2", "c1"]


@pytest.mark.parametrize(
    ("most_urgent", "order"),
    [(0, ["p0", "p3", "p7"]), (3, ["p3", "p0", "p7"]), (LOWEST_PRIORITY, ["p7", "p3", "p0"])],
)
def test_a_queue_may_know_fewer_priorities(most_urgent: int, order: list[str]) -> None:
    wiring, queue = wired(most_urgent=most_urgent)
    for priority in (7, 3, 0):
        send(wiring, f"p{priority}", priority=priority)
    assert ready(queue) == order


def test_a_queue_asks_to_be_served_once_until_it_is() -> None:
    wiring, queue = wired()
    message = Message(b"x", "q")
    for _ in range(2):
        wiring.publish(NAMES, [message] * 3, 0.0)
        assert wiring._agenda.touched == [queue]
        wiring.deliver(0.0)


def test_on_the_same_terms_again_a_message_goes_straight_to_its_lane() -> None:
    wiring, queue = wired()
    messages = [Message(b"%d" % number, "q") for number in range(3)]
    wiring.publish(NAMES, messages, 0.0)
    send(wiring, "urgent", priority=0)
    send(wiring, "not urgent", priority=9)
    wiring.publish(NAMES, [Message(b"3", "q")], 0.0)
    assert ready(queue) == ["0", "1", "2", "urgent", "3", "not urgent"]
    assert [found.sequence for found in queue.peek()] == [1, 2, 3, 4, 6, 5]


@pytest.mark.parametrize("overflow", [Overflow.REJECT_PUBLISH, Overflow.DEAD_LETTER])
def test_a_newcomer_is_refused_and_its_publisher_told(overflow: Overflow) -> None:
    wiring, queue = wired(max_length=2, overflow=overflow, dead_letters=DeadLetters("dead"))
    home = add_home(wiring)
    messages = [Message(body, "q") for body in (b"1", b"2", b"3")]
    published = wiring.publish(NAMES, messages, 0.0)
    deliver(wiring)
    assert (published.refused, published.unroutable, ready(queue)) == (messages[2:], [], ["1", "2"])
    assert ready(home) == (["3"] if overflow is Overflow.DEAD_LETTER else [])
    assert messages[2].references == 0


# Time


@pytest.mark.parametrize(
    ("template", "message", "lives"),
    [(5.0, None, 5.0), (None, 5.0, 5.0), (5.0, 3.0, 3.0), (3.0, 5.0, 3.0), (0.0, None, 0.0)],
)
def test_the_shorter_life_counts(template: float | None, message: float | None, lives: float) -> None:
    wiring, queue = wired(expires_in=template)
    send(wiring, "x", now=100.0, expires_in=message)
    deliver(wiring, 100.0)
    assert wiring._agenda.deadlines.next_at() == 100.0 + lives
    wiring.tick(100.0 + lives)
    assert queue.ready == 0


def test_a_delay_comes_before_a_life() -> None:
    wiring, queue = wired(lease_in=2.0)
    send(wiring, "x", delay_in=5.0, expires_in=3.0)
    wiring.tick(5.0)
    consumer = in_hand(wiring, queue, 5.0)
    assert wiring.tick(6.0) == 7.0
    wiring.tick(7.0)
    assert (ready(queue), consumer.held, queue.waited(7.5)) == (["x"], 0, 2.5)
    wiring.tick(8.0)
    assert (ready(queue), queue.waited(8.0)) == ([], None)


# The journal


def test_what_comes_is_noted_on_the_short_way_and_on_the_long() -> None:
    wiring, _, journal = journalled()
    wiring.publish(NAMES, [Message(b"", "q", terms=PERSISTENT) for _ in range(3)], 0.0)
    send(wiring, "forgettable")
    assert [found.sequence for _, found in journal.added] == [1, 2, 3]


# Peek


def test_peeking_by_state_disturbs_nothing() -> None:
    wiring, queue = wired()
    aside(wiring, queue, "buried")
    send(wiring, "held")
    in_hand(wiring, queue)
    send(wiring, "ready")
    send(wiring, "delayed", delay_in=5.0)
    for _ in range(2):
        for state in (State.READY, State.DELAYED, State.HELD, State.BURIED):
            assert bodies(queue.peek(state)) == [state.value]
    assert list(queue.peek(State.GONE)) == []


def test_what_is_behind_the_window_is_ready_and_can_be_told_apart() -> None:
    wiring, queue = wired(window=1)
    send(wiring, "1", "2", "3", "4")
    assert (ready(queue), bodies(queue.peek(State.BEHIND))) == (["1", "2", "3", "4"], ["2", "3", "4"])


def test_what_others_have_in_hand_from_elsewhere_is_not_shown() -> None:
    wiring, queue = wired()
    other = wiring.create_queue("other", now=0.0)
    wiring.register(other, NAMES, "other")
    ledger = open_ledger(wiring)
    for each in (queue, other):
        wiring.consume(ledger, each, each.name, now=0.0)
    send(wiring, "mine")
    send(wiring, "theirs", to="other")
    deliver(wiring)
    assert bodies(queue.peek(State.HELD)) == ["mine"]


# Pause


def test_a_paused_queue_takes_messages_and_gives_none() -> None:
    wiring, queue = wired()
    consume(wiring, queue, "c")
    queue.pause(5.0)
    send(wiring, "x")
    assert deliver(wiring, 4.0) == []
    assert queue.get(open_ledger(wiring), 4.0) is None
    assert wiring.tick(4.0) == 5.0
    wiring.tick(5.0)
    assert deliver(wiring, 5.0) == [("c", "x")]
    assert (queue.paused_until, wiring.tick(5.0)) == (0.0, inf)


def test_a_queue_may_be_paused_until_it_is_resumed() -> None:
    wiring, queue = wired()
    consume(wiring, queue, "c")
    queue.pause(inf)
    send(wiring, "x")
    assert deliver(wiring, 1e9) == []
    assert wiring.tick(1e9) == inf
    queue.pause(0.0)
    assert deliver(wiring, 1e9) == [("c", "x")]


def test_limits_are_kept_while_it_is_paused() -> None:
    wiring, queue = wired(max_length=1)
    queue.pause(inf)
    send(wiring, "1", "2")
    deliver(wiring)
    assert ready(queue) == ["2"]


# Unused


def test_a_queue_goes_when_nobody_has_used_it_for_its_time() -> None:
    wiring, queue = wired(unused_in=10.0)
    assert wiring.tick(9.0) == 10.0
    wiring.tick(10.0)
    deliver(wiring, 10.0)
    assert (wiring.queues, queue.destroyed, wiring.tick(10.0)) == ({}, True, inf)


def test_whoever_asks_for_it_gets_or_consumes_keeps_it() -> None:
    wiring, queue = wired(unused_in=10.0)
    wiring.create_queue("q", unused_in=10.0, now=5.0)
    wiring.tick(14.0)
    queue.get(open_ledger(wiring), 14.0)
    wiring.tick(23.0)
    consumer = consume(wiring, queue, now=23.0)
    wiring.tick(1000.0)
    assert not queue.destroyed
    wiring.cancel(consumer, 1000.0)
    wiring.tick(1009.0)
    assert not queue.destroyed
    wiring.tick(1010.0)
    assert queue.destroyed


def test_messages_alone_do_not_keep_it() -> None:
    wiring, queue = wired(unused_in=10.0)
    (message,) = send(wiring, "x", now=9.0)
    wiring.tick(10.0)
    assert (queue.destroyed, message.references) == (True, 0)
