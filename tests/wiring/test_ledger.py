"""Ledgers: what is in hand on one channel, by tag, and the ways to settle it."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import pytest

from penstock.errors import UnknownDelivery
from penstock.wiring import DeadLetters, State
from tests.wiring.support import (
    add_home,
    add_queue,
    bodies,
    consume,
    deliver,
    open_ledger,
    ready,
    refused,
    send,
    wired,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.wiring import Consumer, Ledger, Queue, Wiring


def in_hand(count: int = 5, **template: object) -> tuple[Wiring, Queue, Ledger]:
    """A consumer has the messages "1" to "5" in hand, under these tags."""
    wiring, queue = wired(**template)
    consumer = consume(wiring, queue, "c")
    send(wiring, *(str(number) for number in range(1, count + 1)))
    deliver(wiring)
    return wiring, queue, consumer.ledger


def with_home(**template: object) -> tuple[Wiring, Queue, Ledger, Queue]:
    wiring, queue, ledger = in_hand(2, dead_letters=DeadLetters("dead"), **template)
    return wiring, queue, ledger, add_home(wiring)


def counts(queue: Queue) -> list[tuple[int, int, int]]:
    return [(found.acquired, found.failed, found.redelivered) for found in queue.peek()]


def stop(consumer: Consumer) -> None:
    """Let it take no more, so that what comes back can be seen."""
    consumer.ledger.flowing = False


def test_a_ledger_shows_what_is_unsettled() -> None:
    _, _, ledger = in_hand(3)
    ledger.ack(1)
    assert repr(ledger) == "<Ledger of 'client', 2 unsettled up to 3>"


# Which ones

SETTLE: dict[str, Callable[[Ledger, int, bool], object]] = {
    "ack": lambda ledger, tag, up_to: ledger.ack(tag, up_to=up_to),
    "nack": lambda ledger, tag, up_to: ledger.nack(tag, 1.0, up_to=up_to),
    "reject": lambda ledger, tag, up_to: ledger.reject(tag, 1.0, up_to=up_to),
}


@pytest.mark.parametrize("verb", SETTLE)
@pytest.mark.parametrize(
    ("tag", "up_to", "left"),
    [
        (3, False, [1, 2, 4, 5]),
        (3, True, [4, 5]),
        (5, True, []),
        (0, True, []),  # AMQP 0-9-1: zero with multiple is all there are
    ],
)
def test_one_is_settled_or_all_up_to_it(verb: str, tag: int, up_to: object, left: list[int]) -> None:
    _, _, ledger = in_hand()
    ledger.flowing = False
    SETTLE[verb](ledger, tag, bool(up_to))
    assert list(ledger.unsettled) == left


@pytest.mark.parametrize("up_to", [True, False])
@pytest.mark.parametrize("verb", SETTLE)
def test_a_tag_that_was_never_sent_is_an_error_and_changes_nothing(verb: str, up_to: object) -> None:
    wiring, _, ledger = in_hand()
    with refused(wiring, UnknownDelivery, "delivery 6 is not in hand: .* never sent .the last tag was 5"):
        SETTLE[verb](ledger, 6, bool(up_to))


@pytest.mark.parametrize("verb", SETTLE)
def test_a_tag_that_is_settled_already_is_an_error_and_changes_nothing(verb: str) -> None:
    wiring, _, ledger = in_hand()
    ledger.ack(2)
    for tag in (2, 0):
        with refused(wiring, UnknownDelivery, f"delivery {tag} is not in hand: settled before"):
            SETTLE[verb](ledger, tag, False)  # noqa: FBT003 (as the table has it)
    with refused(wiring, UnknownDelivery):
        ledger.bury(2)
    with refused(wiring, UnknownDelivery):
        ledger.touch(2, 0.0)


def test_up_to_again_settles_only_what_came_since() -> None:
    wiring, _, ledger = in_hand(3)
    assert ledger.ack(2, up_to=True) == 2
    assert ledger.ack(2, up_to=True) == 0
    send(wiring, "4")
    deliver(wiring)
    assert ledger.ack(4, up_to=True) == 2
    assert ledger.ack(0, up_to=True) == 0


def test_single_and_up_to_may_be_mixed() -> None:
    _, _, ledger = in_hand()
    assert ledger.ack(4) == 1
    assert ledger.ack(2) == 1
    assert ledger.ack(5, up_to=True) == 3


# Ack


def test_an_ack_lets_go_of_the_reference_and_the_last_one_of_the_message() -> None:
    wiring, queue = wired()
    other = add_queue(wiring, "other")
    wiring.register(other, "names", "q")
    (message,) = send(wiring, "both")
    consumers = [consume(wiring, queue), consume(wiring, other)]
    deliver(wiring)
    assert message.references == 2
    for left, consumer in zip((1, 0), consumers, strict=True):
        (found,) = consumer.ledger.unsettled.values()
        consumer.ledger.ack(1)
        assert (message.references, found.state, consumer.held) == (left, State.GONE, 0)


def test_one_ack_settles_for_several_consumers() -> None:
    wiring, queue = wired()
    ledger = open_ledger(wiring)
    consumers = [wiring.consume(ledger, queue, name, prefetch_bytes=99, now=0.0) for name in "abc"]
    send(wiring, *"123456789")
    deliver(wiring)
    assert [consumer.held for consumer in consumers] == [3, 3, 3]
    assert ledger.ack(7, up_to=True) == 7
    assert [(consumer.held, consumer.held_bytes) for consumer in consumers] == [(0, 0), (1, 1), (1, 1)]


# Back


@pytest.mark.parametrize("verb", SETTLE)
def test_however_it_is_settled_the_weight_is_given_back(verb: str) -> None:
    wiring, queue = wired()
    consumer = consume(wiring, queue, prefetch_bytes=3)
    send(wiring, "123")
    deliver(wiring)
    assert consumer.held_bytes == 3
    SETTLE[verb](consumer.ledger, 1, False)  # noqa: FBT003 (as the table has it)
    assert (consumer.held, consumer.held_bytes) == (0, 0)


@pytest.mark.parametrize("requeue", ["nack", "reject"])
def test_a_requeued_message_returns_to_its_place(requeue: str) -> None:
    wiring, queue, ledger = in_hand()
    ledger.flowing = False
    send(wiring, "6")
    for tag in (4, 2):
        if requeue == "nack":
            ledger.nack(tag, 1.0)
        else:
            ledger.reject(tag, 1.0, requeue=True)
    assert ready(queue) == ["2", "4", "6"]


def test_a_nack_blames_nobody_and_a_reject_does() -> None:
    _, queue, ledger = in_hand(2)
    ledger.flowing = False
    ledger.nack(1, 1.0)
    ledger.reject(2, 1.0, requeue=True, error="broken")
    assert counts(queue) == [(1, 0, 1), (1, 1, 1)]
    assert [found.noted().error for found in queue.peek()] == [None, "broken"]


def test_a_nack_may_say_when_and_how_urgent() -> None:
    wiring, queue, ledger = in_hand(3)
    ledger.flowing = False
    ledger.nack(1, 1.0, delay_in=5.0)
    ledger.nack(2, 1.0, priority=9)
    ledger.nack(3, 1.0)
    assert (ready(queue), bodies(queue.peek(State.DELAYED))) == (["3", "2"], ["1"])
    wiring.tick(6.0)
    assert ready(queue) == ["1", "3", "2"]


def test_without_requeue_both_go_to_the_dead_letters() -> None:
    wiring, queue, ledger, home = with_home()
    ledger.nack(1, 1.0, requeue=False)
    ledger.reject(2, 1.0, error="no such customer")
    deliver(wiring)
    assert (ready(queue), ready(home)) == ([], ["1", "2"])
    deaths = [found.message.deaths[0] for found in home.peek()]
    assert [(death.reason.value, death.error) for death in deaths] == [
        ("rejected", None),
        ("rejected", "no such customer"),
    ]


def test_all_in_hand_goes_back_when_the_channel_is_lost() -> None:
    _, queue, ledger = in_hand(3)
    ledger.flowing = False
    ledger.return_all(1.0, failed=True)
    assert (ready(queue), counts(queue), ledger.unsettled) == (["1", "2", "3"], [(1, 1, 1)] * 3, {})
    with pytest.raises(UnknownDelivery):
        ledger.ack(3)
    assert ledger.ack(3, up_to=True) == 0


def test_all_in_hand_goes_back_blamelessly_when_the_channel_is_closed() -> None:
    _, queue, ledger = in_hand(2)
    ledger.flowing = False
    ledger.return_all(1.0, failed=False)
    assert counts(queue) == [(1, 0, 1)] * 2


# Aside


def test_a_buried_one_is_put_aside_with_error_and_priority() -> None:
    _, queue, ledger = in_hand(3)
    ledger.bury(2, error="poison", priority=7)
    (buried,) = queue.peek(State.BURIED)
    assert (bodies([buried]), buried.noted().error, buried.priority) == (["2"], "poison", 7)
    assert (list(ledger.unsettled), queue.held) == ([1, 3], 2)


# Leases


def test_a_lease_that_runs_out_returns_the_message_and_counts_the_failure() -> None:
    wiring, queue, ledger = in_hand(2, lease_in=5.0)
    ledger.flowing = False
    ledger.touch(2, 3.0)
    wiring.tick(5.0)
    assert (ready(queue), list(ledger.unsettled), counts(queue)) == (["1"], [2], [(1, 1, 1)])
    assert next(queue.peek()).noted().error == "the lease ran out"
    with pytest.raises(UnknownDelivery):
        ledger.ack(1)
    wiring.tick(8.0)
    assert ready(queue) == ["1", "2"]


def test_to_touch_is_nothing_where_there_is_no_lease() -> None:
    _, queue, ledger = in_hand(1)
    ledger.touch(1, 3.0)
    assert next(iter(ledger.unsettled.values())).noted().lease_at == inf
    assert len(queue.timers.leases) == 0


# Room


@pytest.mark.parametrize("verb", SETTLE)
def test_whoever_settles_has_room_again(verb: str) -> None:
    wiring, queue = wired()
    consumer = consume(wiring, queue, "c", prefetch=1)
    send(wiring, "1", "2")
    assert deliver(wiring) == [("c", "1")]
    assert list(consumer.ledger.resting) == [consumer]
    SETTLE[verb](consumer.ledger, 1, False)  # noqa: FBT003 (as the table has it)
    assert consumer.ledger.resting == {}
    assert deliver(wiring) == [("c", "1" if verb == "nack" else "2")]


def test_a_lapse_or_a_burial_makes_room_too() -> None:
    wiring, queue = wired(lease_in=5.0)
    consumer = consume(wiring, queue, "c", prefetch=1)
    send(wiring, "1", "2")
    deliver(wiring)
    wiring.tick(5.0)
    assert deliver(wiring, 5.0) == [("c", "1")]
    consumer.ledger.bury(2)
    assert deliver(wiring, 5.0) == [("c", "2")]


def test_who_settles_wakes_only_itself() -> None:
    wiring, queue = wired()
    other = add_queue(wiring, "other")
    ledger = open_ledger(wiring)
    a = wiring.consume(ledger, queue, "a", prefetch=1, now=0.0)
    b = wiring.consume(ledger, other, "b", prefetch=1, now=0.0)
    send(wiring, "1")
    send(wiring, "2", to="other")
    deliver(wiring)
    assert list(ledger.resting) == [a, b]
    ledger.ack(1)
    assert list(ledger.resting) == [b]


def test_a_window_that_is_shared_has_room_for_anybody() -> None:
    wiring, queue = wired()
    other = add_queue(wiring, "other")
    ledger = open_ledger(wiring)
    ledger.prefetch = 1
    wiring.consume(ledger, queue, "a", now=0.0)
    wiring.consume(ledger, other, "b", now=0.0)
    send(wiring, "1")
    assert deliver(wiring) == [("a", "1")]
    send(wiring, "2", to="other")
    assert deliver(wiring) == []
    ledger.ack(1)
    assert deliver(wiring) == [("b", "2")]


def test_when_the_peer_reads_again_all_are_woken() -> None:
    wiring, queue = wired()
    consumer = consume(wiring, queue, "c")
    consumer.ledger.flowing = False
    send(wiring, "1")
    assert deliver(wiring) == []
    consumer.ledger.flowing = True
    consumer.ledger.wake()
    assert deliver(wiring) == [("c", "1")]


def test_when_the_shared_window_grows_all_are_woken() -> None:
    wiring, queue = wired()
    consumer = consume(wiring, queue, "c")
    consumer.ledger.prefetch = 1
    send(wiring, "1", "2", "3")
    assert deliver(wiring) == [("c", "1")]
    consumer.ledger.prefetch = 2
    consumer.ledger.wake()
    assert deliver(wiring) == [("c", "2")]


def test_who_still_has_no_room_sleeps_on() -> None:
    wiring, queue = wired()
    consumer = consume(wiring, queue, prefetch=2)
    send(wiring, "1", "2", "3")
    deliver(wiring)
    consumer.ledger.wake()
    assert list(consumer.ledger.resting) == [consumer]


def test_one_that_is_gone_is_forgotten() -> None:
    wiring, queue = wired()
    consumer = consume(wiring, queue, "c", prefetch=1)
    send(wiring, "1")
    deliver(wiring)
    wiring.cancel(consumer, now=0.0)
    assert (consumer.ledger.resting, consumer.ledger.consumers) == ({}, {})


def test_one_who_gets_and_one_who_consumes_are_two() -> None:
    wiring, queue = wired()
    ledger = open_ledger(wiring)
    send(wiring, "1")
    getter = ledger.getter(queue, acks=True)
    assert queue.get(ledger, 0.0)
    again = ledger.getter(queue, acks=True)
    assert again is ledger.getter(queue, acks=True) is ledger.getters[queue]
    assert again is not ledger.getter(queue, acks=False)
    assert (getter.name, getter.room()) == ("", 0)  # nothing is pushed to it


# After the queue is gone


@pytest.mark.parametrize("verb", [*SETTLE, "bury", "lapse", "close"])
def test_what_is_in_hand_of_a_destroyed_queue_can_still_be_settled(verb: str) -> None:
    wiring, queue = wired(lease_in=5.0)
    consumer = consume(wiring, queue)
    (message,) = send(wiring, "1", group="g", expires_in=99.0)
    deliver(wiring)
    wiring.destroy_queue(queue)
    settle: dict[str, Callable[[], object]] = {
        "bury": lambda: consumer.ledger.bury(1),
        "lapse": lambda: wiring.tick(5.0),
        "close": lambda: wiring.close(consumer.ledger, 1.0),
    }
    settle.get(verb, lambda: SETTLE[verb](consumer.ledger, 1, False))()  # noqa: FBT003 (as the table has it)
    deliver(wiring)
    assert (message.references, consumer.ledger.unsettled, list(queue.peek())) == (0, {}, [])
    # Nobody will call the queue again, but for the lease it had given.
    wiring.tick(5.0)
    assert wiring.tick(5.0) == inf


def test_with_credit_a_ledger_gets_as_many_as_it_asked_for() -> None:
    wiring, queue = wired()
    other = add_queue(wiring, "other")
    ledger = open_ledger(wiring)
    ledger.credit = 0
    for each in (queue, other):
        wiring.consume(ledger, each, each.name, now=0.0)
    send(wiring, "a", "b", "c")
    send(wiring, "d", to="other")
    assert deliver(wiring) == []
    ledger.credit = 3
    ledger.wake()
    assert [body for _, body in deliver(wiring)] == ["a", "b", "c"]
    assert (ledger.credit, ready(other)) == (0, ["d"])
    ledger.ack(1)
    assert deliver(wiring) == []
    ledger.credit = 5
    ledger.wake()
    assert [body for _, body in deliver(wiring)] == ["d"]
    assert ledger.credit == 4


def test_who_asks_gets_at_once_what_it_has_credit_for() -> None:
    wiring, queue = wired()
    consumer = consume(wiring, queue)
    consumer.ledger.credit = 0
    send(wiring, "a", "b", "c")
    assert queue.ask(consumer, 9, 0.0) == []
    consumer.ledger.credit = 2
    (delivery,) = queue.ask(consumer, 9, 0.0)
    assert bodies(delivery.references) == ["a", "b"]
    queue.pause(5.0)
    consumer.ledger.credit = 1
    assert queue.ask(consumer, 1, 4.0) == []
    assert queue.tally.delivered == 2


def test_who_asks_gets_all_of_a_group_that_nobody_else_has() -> None:
    wiring, queue = wired()
    consumer = consume(wiring, queue)
    deliver(wiring)
    send(wiring, "a", "b", group="g")
    send(wiring, "c", group="h")
    (delivery,) = queue.ask(consumer, 9, 0.0)
    assert bodies(delivery.references) == ["a", "b", "c"]


def test_this_very_one_is_handed_out_under_a_lease() -> None:
    wiring, queue = wired()
    ledger = open_ledger(wiring)
    send(wiring, "a", "b", "c")
    wanted = list(queue.peek())[1]
    delivery = queue.hand(wanted, ledger, 0.0, lease_in=5.0)
    assert delivery.references == [wanted]
    assert (wanted.state, wanted.noted().lease_at, ready(queue), queue.held) == (
        State.HELD,
        5.0,
        ["a", "c"],
        1,
    )
    wiring.tick(6.0)
    assert (ready(queue), queue.tally.lapsed, queue.held) == (["a", "b", "c"], 1, 0)
    assert list(ledger.lapsed) == [delivery.first_tag]


def test_of_leases_that_ran_out_the_last_ones_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.wiring.ledger.LAPSED_MOST", 2)
    wiring, queue = wired()
    ledger = open_ledger(wiring)
    send(wiring, "a", "b", "c")
    for reference in list(queue.peek()):
        queue.hand(reference, ledger, 0.0, lease_in=5.0)
    wiring.tick(6.0)
    assert len(ledger.lapsed) == 2


def test_a_messages_own_lease_runs_out_in_any_queue() -> None:
    wiring, queue = wired()
    consumer = consume(wiring, queue)
    send(wiring, "a", lease_in=3.0)
    send(wiring, "b")
    deliver(wiring)
    consumer.ledger.flowing = False
    wiring.tick(3.5)
    assert ready(queue) == ["a"]
