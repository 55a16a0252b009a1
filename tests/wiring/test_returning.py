"""What comes back into its queue: from hand, from being aside, after a restart."""

from __future__ import annotations

import pytest

from penstock.wiring import DeadLetters, State
from tests.wiring.support import (
    add_home,
    aside,
    bodies,
    consume,
    deliver,
    in_hand,
    ready,
    reference,
    send,
    wired,
)

# From hand


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


# After a restart


def test_what_stood_aside_stands_there_again() -> None:
    wiring, queue = wired()
    queue.resume(7, 0)
    late, buried = reference(3, body=b"late", expires_at=20.0), reference(5, body=b"buried")
    late.noted().due_at = 9.0
    queue.restore(late, buried=False)
    queue.restore(buried, buried=True)
    assert (bodies(queue.peek(State.DELAYED)), bodies(queue.peek(State.BURIED))) == (["late"], ["buried"])
    send(wiring, "new")
    assert next(queue.peek()).sequence == 8
    deliver(wiring)
    assert wiring.tick(0.0) == 9.0
    wiring.tick(9.0)
    assert ready(queue) == ["late", "new"]


# Too late


def test_what_comes_back_when_its_time_is_over_dies() -> None:
    wiring, queue = wired(expires_in=5.0, dead_letters=DeadLetters("dead"))
    home = add_home(wiring)
    send(wiring, "back", "buried")
    consumer = in_hand(wiring, queue)
    consumer.ledger.nack(1, 5.0, delay_in=1.0)
    consumer.ledger.bury(2)
    wiring.tick(5.0)
    assert (queue.ready, ready(home)) == (0, ["back", "buried"])


def test_what_comes_back_to_a_queue_that_is_gone_vanishes() -> None:
    wiring, queue = wired()
    messages = send(wiring, "1", "2", "3")
    consumer = in_hand(wiring, queue)
    wiring.destroy_queue(queue)
    consumer.ledger.nack(1, 0.0)
    consumer.ledger.bury(2)
    wiring.close(consumer.ledger, 0.0)
    assert [message.references for message in messages] == [0, 0, 0]


def test_one_sent_back_with_a_delay_comes_back_to_its_place() -> None:
    wiring, queue = wired()
    send(wiring, "1", "2")
    consumer = in_hand(wiring, queue)
    consumer.ledger.nack(1, 0.0, delay_in=5.0)
    consumer.ledger.nack(2, 0.0)
    assert ready(queue) == ["2"]
    wiring.tick(5.0)
    assert ready(queue) == ["1", "2"]
