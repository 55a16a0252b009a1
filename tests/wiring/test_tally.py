"""The tally: counts a batch at a time, and when a sequence came."""

from __future__ import annotations

import pytest

from penstock.wiring import DeadLetters, Reason, Reference
from penstock.wiring.tally import APART, CLOSE, HANDLINGS, MOST, SAMPLE_APART, WAITS, Tally
from tests.wiring.support import consume, deliver, open_ledger, reference, send, wired


def marked(*marks: tuple[int, float]) -> Tally:
    tally = Tally()
    for mark in marks:
        tally.mark(*mark)
    return tally


def came(*sequences: int) -> list[Reference]:
    return [reference(sequence) for sequence in sequences]


# Marks


@pytest.mark.parametrize(("sequence", "at"), [(1, 5.0), (10, 5.0), (11, 6.0), (20, 6.0), (21, 9.0)])
def test_a_sequence_came_at_the_first_mark_that_has_it_or_now(sequence: int, at: float) -> None:
    assert marked((10, 5.0), (20, 6.0)).came_at(sequence, 9.0) == at


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (1, 10, [(1, 10, 5.0)]),
        (3, 15, [(3, 10, 5.0), (11, 15, 6.0)]),
        (12, 22, [(12, 21, 6.0), (22, 22, 9.0)]),  # marks close to each other are one
        (22, 23, [(22, 23, 9.0)]),  # after the last mark: now
    ],
)
def test_sequences_are_told_by_when_they_came(
    first: int, last: int, expected: list[tuple[int, int, float]]
) -> None:
    tally = marked((10, 5.0), (20, 6.0), (21, 6.05))
    assert list(tally.eras(first, last, 9.0, 0.1)) == expected


def test_what_came_just_before_the_last_mark_came_now() -> None:
    assert list(marked((10, 5.0)).eras(9, 12, 5.05, 0.1)) == [(9, 12, 5.0)]


def test_nothing_new_is_no_mark() -> None:
    assert marked((10, 5.0), (10, 6.0), (11, 7.0)).came_at(10, 9.0) == 5.0


def test_a_mark_says_when_the_next_is_worth_while() -> None:
    assert marked((10, 5.0)).mark_at == 5.0 + APART


def test_marks_are_thinned_out_so_that_the_older_stand_further_apart() -> None:
    tally = marked(*((number, float(number)) for number in range(1, 20 * MOST)))
    now = 20.0 * MOST
    assert len(tally._times) <= MOST
    assert all(
        0 <= tally.came_at(sequence, now) - sequence <= (now - sequence) * CLOSE
        for sequence in range(1, 20 * MOST)
    )


# Counts


def test_a_new_tally_has_counted_nothing() -> None:
    assert repr(Tally()) == "<Tally: 0 delivered, 0 acked, 0 returned>"


@pytest.mark.parametrize("waited", [*WAITS, WAITS[-1] + 1])
def test_a_wait_is_counted_under_the_first_span_it_does_not_exceed(waited: float) -> None:
    tally = marked((10, 0.0))
    tally.hand_out(came(3, 4, 10), waited)
    expected = [0] * (len(WAITS) + 1)
    expected[WAITS.index(waited) if waited in WAITS else -1] = 3
    assert (tally.waits, tally.delivered) == (expected, 3)


def test_a_batch_that_waited_differently_is_counted_one_by_one() -> None:
    tally = marked((10, 0.0), (20, 9.95))
    tally.hand_out(came(9, 10, 11, 21), 10.0)
    assert tally.waits[:4] == [1, 1, 0, 2]


def test_what_came_since_the_last_mark_has_not_waited() -> None:
    for tally in (marked(), marked((10, 0.0))):
        tally.hand_out(came(11, 12), 500.0)
        assert tally.waits[0] == 2


def test_a_queue_counts() -> None:
    wiring, queue = wired(delivery_limit=1, expires_in=10.0, dead_letters=DeadLetters("nowhere"))
    send(wiring, *"abcdef")
    consumer = consume(wiring, queue, prefetch=3)
    deliver(wiring)
    consumer.ledger.ack(2, up_to=True)
    consumer.ledger.nack(3, 1.0)
    deliver(wiring, 2.0)
    queue.get(open_ledger(wiring), 3.0)
    wiring.disconnect(consumer.ledger.connection, 4.0)
    assert queue.waited(5.0) == 5.0
    wiring.tick(10.0)
    tally = queue.tally
    assert (queue.sequence, tally.delivered, tally.acked, tally.returned) == (6, 7, 2, 4)
    assert tally.deaths == {Reason.EXPIRED: 3}
    assert tally.waits[:4] == [3, 0, 0, 4]
    assert queue.waited(10.0) is None


# How long one is in hand


def test_what_waited_together_is_told_in_seconds() -> None:
    tally = marked((10, 0.0), (20, 5.0))
    tally.hand_out(came(1, 10), 10.0)
    tally.hand_out_run(19, 20, 10.0)
    assert tally.waited_in == 2 * 10.0 + 2 * 5.0


@pytest.mark.parametrize("settle", ["ack", "nack", "reject"])
def test_one_that_is_looked_at_is_counted_when_it_leaves_its_consumers_hands(settle: str) -> None:
    wiring, queue = wired()
    send(wiring, "a")
    ledger = consume(wiring, queue).ledger
    deliver(wiring, 1.0)
    if settle == "ack":
        ledger.ack(1)
    else:
        getattr(ledger, settle)(1, 3.0, requeue=False)
    deliver(wiring, 3.0)
    assert queue.tally.handlings[HANDLINGS.index(2.5)] == sum(queue.tally.handlings) == 1
    assert queue.tally.handled_in == 2.0


def test_only_one_in_a_while_is_looked_at() -> None:
    wiring, queue = wired()
    ledger = consume(wiring, queue).ledger
    for at in (1.0, 1.0 + SAMPLE_APART / 2, 1.0 + SAMPLE_APART):
        send(wiring, "a", "b", now=at)
        deliver(wiring, at)
    ledger.ack(6, up_to=True)
    deliver(wiring, 9.0)
    assert sum(queue.tally.handlings) == 2


def test_what_nobody_acknowledges_was_never_in_hand() -> None:
    wiring, queue = wired()
    consume(wiring, queue, acks=False)
    send(wiring, "a")
    deliver(wiring, 1.0)
    assert (queue.tally.delivered, queue.tally.ended, next(queue.peek(), None)) == (1, [], None)
    deliver(wiring, 3.0)
    assert sum(queue.tally.handlings) == 0
