"""What a queue has goes: expired, removed, purged, destroyed, and it is noted."""

from __future__ import annotations

from math import inf

import pytest

from penstock.wiring import DeadLetters, Overflow, State
from tests.wiring.support import (
    add_home,
    aside,
    bodies,
    consume,
    deliver,
    in_hand,
    journalled,
    ready,
    send,
    wired,
)

#: Where an expiring message may stand, and how it gets there by time 1.
PLACES = ["ready", "behind", "delayed", "buried", "held, then back", "held, then buried"]


# Time to live


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


# Remove and purge


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


@pytest.mark.parametrize("verb", ["nack", "reject"])
def test_rejected_from_a_destroyed_queue_it_is_no_dead_letter(verb: str) -> None:
    wiring, queue = wired(dead_letters=DeadLetters("dead"))
    home = add_home(wiring)
    (message,) = send(wiring, "x")
    consumer = in_hand(wiring, queue)
    wiring.destroy_queue(queue)
    if verb == "nack":
        consumer.ledger.nack(1, 0.0, requeue=False)
    else:
        consumer.ledger.reject(1, 0.0)
    deliver(wiring)
    assert (ready(home), message.references, wiring.busy) == ([], 0, False)


# The journal


def test_what_goes_or_changes_is_noted_if_it_would_be_missed() -> None:
    wiring, queue, journal = journalled()
    for persistent in (True, False):
        send(wiring, "1", "2", persistent=persistent)
        consumer = in_hand(wiring, queue)
        for tag in list(consumer.ledger.unsettled)[:1]:
            consumer.ledger.nack(tag, 0.0)
        wiring.disconnect(consumer.ledger.connection, 0.0)
        queue.purge()
    assert ([found.sequence for _, found in journal.removed], len(journal.changed)) == ([1, 2], 2)
    wiring.destroy_queue(queue)
    assert journal.destroyed == [queue]


def test_out_of_hand_it_gives_its_weight_back_and_lets_its_group_go_on() -> None:
    wiring, queue = wired()
    send(wiring, "1", "2", group="g")
    consumer = consume(wiring, queue, "c", prefetch_bytes=1)
    deliver(wiring)
    consumer.ledger.ack(1)
    assert (consumer.held_bytes, deliver(wiring)) == (0, [("c", "2")])
