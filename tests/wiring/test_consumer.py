"""Consumers: their windows, and what they take in hand."""

from __future__ import annotations

from sys import maxsize
from typing import Any

import pytest

from penstock.wiring import UNLIMITED, State
from tests.wiring.support import consume, deliver, open_ledger, reference, send, wired


def test_a_consumer_has_defaults_and_shows_its_window() -> None:
    wiring, queue = wired()
    plain = consume(wiring, queue, "plain")
    assert (plain.acks, plain.prefetch, plain.prefetch_bytes) == (True, UNLIMITED, UNLIMITED)
    assert (plain.priority, plain.exclusive, plain.remarks, plain.cancelled) == (0, False, None, False)
    assert repr(plain) == "<Consumer 'plain' of 'q', 0 in hand of any>"
    assert repr(consume(wiring, queue, "two", prefetch=2)) == "<Consumer 'two' of 'q', 0 in hand of 2>"


def test_a_fronts_remarks_are_kept_and_not_looked_at() -> None:
    remarks = object()
    assert consume(*wired(), remarks=remarks).remarks is remarks


# The window


@pytest.mark.parametrize(
    ("how", "held", "shared", "unsettled", "room"),
    [
        ({}, 5, UNLIMITED, 5, maxsize),
        ({"prefetch": 3}, 1, UNLIMITED, 1, 2),
        ({"prefetch": 3}, 3, UNLIMITED, 3, 0),
        ({"prefetch": 3}, 1, 2, 1, 1),  # the ledger's window is smaller
        ({"prefetch": 3}, 0, 2, 2, 0),  # others have filled it
        ({}, 0, 2, 0, 2),
        ({"prefetch": 1}, 1, 9, 1, 0),
        ({"prefetch": 3, "acks": False}, 0, 2, 2, maxsize),  # who does not acknowledge has no window
    ],
)
def test_room_is_what_both_windows_leave(
    how: dict[str, Any], held: int, shared: int, unsettled: int, room: int
) -> None:
    consumer = consume(*wired(), **how)
    consumer.held = held
    consumer.ledger.prefetch = shared
    consumer.ledger.unsettled = {tag: reference(tag) for tag in range(unsettled)}
    assert consumer.room() == room


def test_there_is_no_room_while_the_peer_does_not_read_nor_after_leaving() -> None:
    wiring, queue = wired()
    paused, leaving = consume(wiring, queue), consume(wiring, queue)
    paused.ledger.flowing = False
    wiring.cancel(leaving, now=0.0)
    assert (paused.room(), leaving.room()) == (0, 0)
    assert not paused.fits(reference(1))


@pytest.mark.parametrize(
    ("window", "held", "held_bytes", "size", "fits"),
    [
        (UNLIMITED, 9, 0, 1000, True),
        (10, 1, 4, 6, True),
        (10, 1, 4, 7, False),
        (10, 0, 0, 1000, True),  # larger than the window: it comes alone
        (10, 1, 1000, 0, False),
    ],
)
def test_a_window_in_bytes(window: int, held: int, held_bytes: int, size: int, fits: object) -> None:
    consumer = consume(*wired(), prefetch_bytes=window)
    consumer.held, consumer.held_bytes = held, held_bytes
    assert consumer.fits(reference(1, body=bytes(size))) is fits


def test_the_windows_are_never_exceeded() -> None:
    wiring, queue = wired()
    consumer = consume(wiring, queue, "c", prefetch=3, prefetch_bytes=10)
    send(wiring, *("x" * size for size in (4, 4, 4, 1, 1, 50, 1)))
    assert [len(body) for _, body in deliver(wiring)] == [4, 4]
    assert (consumer.held, consumer.held_bytes) == (2, 8)
    consumer.ledger.ack(1)
    assert [len(body) for _, body in deliver(wiring)] == [4, 1]
    consumer.ledger.ack(0, up_to=True)
    assert [len(body) for _, body in deliver(wiring)] == [1]  # the large one comes alone
    consumer.ledger.ack(0, up_to=True)
    assert [len(body) for _, body in deliver(wiring)] == [50]
    consumer.ledger.ack(0, up_to=True)
    deliver(wiring)
    assert (consumer.held, consumer.held_bytes) == (1, 1)


# In hand


def test_what_it_takes_in_hand_stands_in_the_ledger_under_consecutive_tags() -> None:
    consumer = consume(*wired())
    first, second = reference(1), reference(2)
    assert consumer.hold([first, second]) == 1
    assert consumer.hold([third := reference(3)]) == 3
    assert consumer.ledger.unsettled == {1: first, 2: second, 3: third}
    assert (first.state, first.consumer, first.acquired, first.notes) == (State.HELD, consumer, 1, None)
    assert (consumer.held, consumer.ledger.last_tag) == (3, 3)


def test_with_a_window_in_bytes_the_weight_is_noted() -> None:
    consumer = consume(*wired(), prefetch_bytes=100)
    weighed = reference(1, body=b"12345")
    consumer.hold([weighed])
    assert consumer.held_bytes == 5
    assert weighed.notes is not None  # settling must give the weight back


def test_one_that_does_not_acknowledge_is_done_as_soon_as_it_is_sent() -> None:
    wiring, queue = wired()
    consumer = consume(wiring, queue, "c", acks=False)
    plain, *_ = send(wiring, "plain")
    noted, *_ = send(wiring, "noted", expires_in=9.0)
    assert deliver(wiring) == [("c", "plain"), ("c", "noted")]
    assert (plain.references, noted.references, consumer.held) == (0, 0, 0)
    assert (consumer.ledger.unsettled, consumer.ledger.last_tag) == ({}, 2)
    assert len(queue.timers.expiring) == 0


# Leaving


def test_a_cancelled_consumer_is_forgotten_with_the_last_it_has_in_hand() -> None:
    wiring, queue = wired()
    consumer = consume(wiring, queue)
    send(wiring, "a", "b")
    deliver(wiring)
    wiring.cancel(consumer, now=0.0)
    consumer.ledger.ack(1)
    assert list(queue.dispatch.holders) == [consumer]
    consumer.ledger.ack(2)
    assert queue.dispatch.holders == {}


def test_who_got_one_by_one_is_forgotten_with_the_last_it_has_in_hand() -> None:
    wiring, queue = wired()
    ledger = open_ledger(wiring)
    send(wiring, "a", "b")
    assert queue.get(ledger, 0.0)
    assert queue.get(ledger, 0.0)
    assert list(queue.dispatch.holders) == [ledger.getters[queue]]
    ledger.ack(0, up_to=True)
    assert (queue.dispatch.holders, ledger.getters) == ({}, {})


def test_a_consumer_that_leaves_does_not_take_the_getter_of_its_queue_along() -> None:
    wiring, queue = wired()
    ledger = open_ledger(wiring)
    send(wiring, "got")
    queue.get(ledger, 0.0)
    wiring.cancel(wiring.consume(ledger, queue, "c", now=0.0), now=0.0)
    assert list(ledger.getters) == [queue]
