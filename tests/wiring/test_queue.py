"""Queues: everything a reference can do in one queue, and when."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import pytest

from penstock.wiring import LOWEST_PRIORITY, DeadLetters, Message, Overflow, State, Wiring
from tests.wiring.support import (
    NAMES,
    add_home,
    bodies,
    consume,
    deliver,
    open_ledger,
    ready,
    send,
    wired,
)

if TYPE_CHECKING:
    from penstock.wiring import Consumer, Queue

#: Where an expiring message may stand, and how it gets there by time 1.
PLACES = ["ready", "behind", "delayed", "buried", "held, then back", "held, then buried"]


def in_hand(wiring: Wiring, queue: Queue, now: float = 0.0, **how: Any) -> Consumer:
    """A consumer that has all there is in hand, and takes no more."""
    consumer = consume(wiring, queue, "c", **how)
    deliver(wiring, now)
    consumer.ledger.flowing = False
    return consumer


def aside(wiring: Wiring, queue: Queue, *bodies: str, **terms: Any) -> None:
    """Bury these."""
    send(wiring, *bodies, **terms)
    consumer = in_hand(wiring, queue)
    for tag in list(consumer.ledger.unsettled):
        consumer.ledger.bury(tag)
    wiring.cancel(consumer)


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
    assert wiring.create_queue("q").address == "q"
    assert wiring.create_queue("q", namespace="news").address == "news/q"


# Order


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


# Limits


def test_drop_head_lets_the_oldest_make_room() -> None:
    wiring, queue = wired(max_length=2)
    first, *_ = send(wiring, "1", "2", "3", "4")
    deliver(wiring)
    assert (ready(queue), first.references) == (["3", "4"], 0)


def test_consumers_are_served_before_anything_is_dropped() -> None:
    wiring, queue = wired(max_length=1)
    consume(wiring, queue, "c", prefetch=2)
    send(wiring, "1", "2", "3", "4")
    assert deliver(wiring) == [("c", "1"), ("c", "2")]
    assert ready(queue) == ["4"]


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


@pytest.mark.parametrize(
    ("overflow", "kept"),
    [(Overflow.DROP_HEAD, ["4444", "55555"]), (Overflow.REJECT_PUBLISH, ["1", "22", "333", "4444"])],
)
def test_a_limit_in_bytes(overflow: Overflow, kept: list[str]) -> None:
    wiring, queue = wired(max_bytes=10, overflow=overflow)
    send(wiring, "1", "22", "333", "4444", "55555")
    deliver(wiring)
    assert (ready(queue), queue.waiting.bytes) == (kept, sum(map(len, kept)))


def test_only_what_waits_counts_for_the_limits() -> None:
    wiring, queue = wired(max_length=1, max_bytes=5, overflow=Overflow.REJECT_PUBLISH)
    consume(wiring, queue, "c")
    for body in ("11111", "22222", "33333"):
        send(wiring, body)
        assert deliver(wiring) == [("c", body)]
    assert queue.held == 3


@pytest.mark.parametrize("overflow", Overflow)
def test_a_queue_of_length_zero_takes_what_is_consumed_at_once_or_nothing(overflow: Overflow) -> None:
    wiring, queue = wired(max_length=0, overflow=overflow)
    (message,) = send(wiring, "x")
    deliver(wiring)
    assert (queue.ready, message.references) == (0, 0)


def test_what_comes_back_may_be_over_the_limit_and_the_oldest_goes() -> None:
    wiring, queue = wired(max_length=1)
    send(wiring, "1")
    consumer = in_hand(wiring, queue)
    send(wiring, "2")
    consumer.ledger.nack(1, 0.0)
    deliver(wiring)
    assert ready(queue) == ["2"]


# Delays


def test_a_delayed_message_is_ready_at_its_time_and_in_its_place() -> None:
    wiring, queue = wired()
    send(wiring, "later", delay_in=5.0)
    send(wiring, "now")
    assert (ready(queue), bodies(queue.peek(State.DELAYED))) == (["now"], ["later"])
    deliver(wiring)
    assert wiring.tick(4.0) == 5.0
    wiring.tick(5.0)
    assert ready(queue) == ["later", "now"]


def test_the_delayed_are_shown_in_the_order_in_which_they_are_due() -> None:
    wiring, queue = wired()
    for span in (7.0, 3.0, 5.0):
        send(wiring, str(span), delay_in=span)
    assert bodies(queue.peek(State.DELAYED)) == ["3.0", "5.0", "7.0"]


# Time to live


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


@pytest.mark.parametrize("place", PLACES)
def test_a_message_expires_wherever_it_stands(place: str) -> None:
    window = 1 if place == "behind" else None
    wiring, queue = wired(window=window, dead_letters=DeadLetters("dead"))
    home = add_home(wiring)
    send(wiring, "1", "2", "3")
    (message,) = send(wiring, "mortal", delay_in=3.0 if place == "delayed" else 0.0, expires_in=5.0)
    if place in {"buried", "held, then back", "held, then buried"}:
        consumer = in_hand(wiring, queue)
        consumer.ledger.ack(3, up_to=True)
        if place == "buried":
            consumer.ledger.bury(4)
        wiring.tick(6.0)
        if place == "held, then back":
            consumer.ledger.nack(4, 6.0)
        elif place == "held, then buried":
            consumer.ledger.bury(4)
    wiring.tick(9.0)
    assert (ready(home), message.references) == (["mortal"], 0)
    assert "mortal" not in [body for state in State for body in bodies(queue.peek(state))]
    assert (len(queue.timers.delayed), queue.next_at()) == (0, inf)


def test_not_only_at_the_head() -> None:
    wiring, queue = wired()
    send(wiring, "1")
    send(wiring, "2", expires_in=5.0)
    send(wiring, "3")
    deliver(wiring)
    wiring.tick(5.0)
    assert ready(queue) == ["1", "3"]


def test_in_hand_it_lives_on_and_can_be_acked() -> None:
    wiring, queue = wired(expires_in=5.0)
    (message,) = send(wiring, "x")
    consumer = in_hand(wiring, queue)
    wiring.tick(9.0)
    assert message.references == 1
    assert consumer.ledger.ack(1) == 1
    assert message.references == 0


def test_one_sent_back_with_a_delay_may_expire_before_it_is_due() -> None:
    wiring, queue = wired(expires_in=5.0)
    send(wiring, "x", "y")
    consumer = in_hand(wiring, queue)
    consumer.ledger.nack(1, 1.0, delay_in=100.0)
    consumer.ledger.nack(2, 1.0, delay_in=1.0)
    wiring.tick(5.0)
    assert (queue.ready, list(queue.peek(State.DELAYED)), len(queue.timers.delayed)) == (0, [], 0)


# Back


def test_the_counts_are_kept_apart() -> None:
    wiring, queue = wired()
    send(wiring, "x")
    consumer = consume(wiring, queue)
    for tag, fail in enumerate((True, False, True, False), start=1):
        deliver(wiring)
        (found,) = consumer.ledger.unsettled.values()
        if fail:
            consumer.ledger.reject(tag, 0.0, requeue=True)
        else:
            consumer.ledger.nack(tag, 0.0)
    assert (found.acquired, found.failed, found.redelivered) == (4, 2, 4)


@pytest.mark.parametrize("limit", [0, 2])
def test_consumers_may_fail_so_often_and_no_more(limit: int) -> None:
    wiring, queue = wired(delivery_limit=limit)
    (message,) = send(wiring, "x")
    for attempt in range(limit + 1):
        assert message.references == 1, attempt
        lost = consume(wiring, queue)
        deliver(wiring)
        wiring.disconnect(lost.ledger.connection, 0.0)
    deliver(wiring)
    assert (message.references, queue.ready, wiring.dropped["delivery_limit"]) == (0, 0, 1)


def test_nobody_is_blamed_for_a_nack_however_often() -> None:
    wiring, queue = wired(delivery_limit=0)
    send(wiring, "x")
    consumer = consume(wiring, queue)
    for tag in range(1, 20):
        deliver(wiring)
        consumer.ledger.nack(tag, 0.0)
    assert queue.ready == 1


def test_a_priority_given_on_the_way_back_is_kept_within_the_queues() -> None:
    wiring, queue = wired(most_urgent=3)
    send(wiring, "1", "2", "3", priority=5)
    consumer = in_hand(wiring, queue)
    consumer.ledger.nack(1, 0.0)
    consumer.ledger.nack(3, 0.0, priority=0)
    consumer.ledger.bury(2, priority=1)
    assert [found.priority for found in queue.peek()] == [3, 5]
    assert next(queue.peek(State.BURIED)).priority == 3
    assert ready(queue) == ["3", "1"]


def test_a_lease_that_runs_out_returns_the_message() -> None:
    wiring, queue = wired(lease_in=5.0)
    send(wiring, "x")
    consumer = in_hand(wiring, queue)
    wiring.tick(5.0)
    assert (ready(queue), consumer.held) == (["x"], 0)


def test_what_leaves_the_hand_gives_its_weight_back_and_lets_its_group_go_on() -> None:
    wiring, queue = wired()
    send(wiring, "1", "2", group="g")
    consumer = consume(wiring, queue, "c", prefetch_bytes=1)
    assert deliver(wiring) == [("c", "1")]
    consumer.ledger.ack(1)
    assert consumer.held_bytes == 0
    assert deliver(wiring) == [("c", "2")]


# Bury and kick


def test_the_buried_are_kicked_in_the_order_they_were_and_return_to_their_place() -> None:
    wiring, queue = wired()
    aside(wiring, queue, "1", "2", "3")
    send(wiring, "4")
    assert queue.kick(0.0, limit=2) == 2
    assert (ready(queue), bodies(queue.peek(State.BURIED))) == (["1", "2", "4"], ["3"])
    assert queue.kick(0.0, limit=9) == 1
    assert queue.kick(0.0) == 0


def test_if_none_is_buried_the_delayed_are_kicked() -> None:
    # beanstalk protocol: kick
    wiring, queue = wired()
    aside(wiring, queue, "buried")
    send(wiring, "second", delay_in=9.0)
    send(wiring, "first", delay_in=5.0)
    assert queue.kick(0.0, limit=3) == 1
    assert queue.kick(0.0, limit=1) == 1
    assert (ready(queue), bodies(queue.peek(State.DELAYED))) == (["buried", "first"], ["second"])
    assert len(queue.timers.delayed) == 1
    wiring.tick(9.0)
    assert sorted(ready(queue)) == ["buried", "first", "second"]


def test_one_is_kicked_by_itself() -> None:
    wiring, queue = wired()
    aside(wiring, queue, "1", "2")
    queue.kick_one(list(queue.peek(State.BURIED))[1], 0.0)
    assert (ready(queue), bodies(queue.peek(State.BURIED))) == (["2"], ["1"])


def test_what_is_kicked_is_delivered() -> None:
    wiring, queue = wired()
    aside(wiring, queue, "1")
    consume(wiring, queue, "c")
    assert deliver(wiring) == []
    queue.kick(0.0)
    assert deliver(wiring) == [("c", "1")]


# Peek, remove, purge


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
    other = wiring.create_queue("other")
    wiring.register(other, NAMES, "other")
    ledger = open_ledger(wiring)
    for each in (queue, other):
        wiring.consume(ledger, each, each.name)
    send(wiring, "mine")
    send(wiring, "theirs", to="other")
    deliver(wiring)
    assert bodies(queue.peek(State.HELD)) == ["mine"]


@pytest.mark.parametrize("state", [State.READY, State.BEHIND, State.DELAYED, State.BURIED])
@pytest.mark.parametrize("expires_in", [None, 99.0])
def test_one_is_removed_from_wherever_it_stands(state: State, expires_in: float | None) -> None:
    wiring, queue = wired(window=1)
    aside(wiring, queue, "buried", expires_in=expires_in)
    send(wiring, "delayed", delay_in=5.0, expires_in=expires_in)
    send(wiring, "1", "2", "3", expires_in=expires_in)
    found = next(queue.peek(state))
    queue.remove(found)
    assert (found.state, found.message.references) == (State.GONE, 0)
    assert found not in [other for each in State for other in queue.peek(each)]
    left = 3 - (state in {State.READY, State.BEHIND})
    assert (queue.ready, len(list(queue.peek()))) == (left, left)


def test_what_is_in_hand_cannot_be_removed() -> None:
    wiring, queue = wired()
    (message,) = send(wiring, "x")
    consumer = in_hand(wiring, queue)
    with pytest.raises(KeyError):
        queue.remove(next(queue.peek(State.HELD)))
    assert message.references == 1
    consumer.ledger.ack(1)
    assert message.references == 0


@pytest.mark.parametrize("window", [None, 1])
def test_a_purge_lets_go_of_what_is_ready_and_nothing_else(window: int | None) -> None:
    wiring, queue = wired(window=window)
    aside(wiring, queue, "buried")
    send(wiring, "delayed", delay_in=5.0)
    gone = send(wiring, "1", "2", "3", "4")
    assert queue.purge() == 4
    assert [message.references for message in gone] == [0] * 4
    assert (queue.ready, len(queue.timers.delayed), len(queue.buried)) == (0, 1, 1)
    assert queue.purge() == 0
    send(wiring, "5")
    assert ready(queue) == ["5"]


def test_a_purge_leaves_no_timers_behind() -> None:
    wiring, queue = wired(expires_in=1e6)
    send(wiring, *map(str, range(100)))
    queue.purge()
    assert (len(queue.timers.expiring._heap), queue.next_at()) == (0, inf)


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


# Destroyed


@pytest.mark.parametrize("window", [None, 1])
def test_destroyed_it_lets_go_of_everything_wherever_it_stands(window: int | None) -> None:
    wiring, queue = wired(window=window, unused_in=50.0, expires_in=60.0)
    aside(wiring, queue, "buried")
    messages = send(wiring, "1", "2", "3") + send(wiring, "delayed", delay_in=5.0)
    queue.pause(70.0)
    assert queue.destroy() == 3
    assert [message.references for message in messages] == [0] * 4
    assert [body for state in State for body in bodies(queue.peek(state))] == []
    assert (queue.next_at(), queue.wake_at, len(wiring._agenda.deadlines)) == (inf, inf, 0)


def test_destroyed_it_is_served_no_more() -> None:
    wiring, queue = wired(unused_in=5.0)
    deliver(wiring)
    queue.destroy()
    queue.touch()
    queue.use(0.0)
    assert (queue.touched, wiring.busy, queue.unused_at) == (False, False, inf)


def test_what_is_in_hand_goes_nowhere_when_it_comes_back() -> None:
    wiring, queue = wired()
    messages = send(wiring, "1", "2")
    consumer = in_hand(wiring, queue)
    wiring.destroy_queue(queue)
    consumer.ledger.nack(1, 0.0)
    consumer.ledger.bury(2)
    assert [message.references for message in messages] == [0, 0]
    assert (queue.ready, queue.buried) == (0, {})
