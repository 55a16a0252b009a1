"""Drawing: the first of what is ready, in the queue's order, by number and size."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import pytest

from penstock.wiring.drawing import draw
from penstock.wiring.reference import State
from tests.wiring.support import bodies, consume, deliver, in_hand, open_ledger, ready, send, wired

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.wiring import Queue, Reference, Wiring
    from penstock.wiring.drawing import Drawn

PLENTY = 1_000_000


def filled(*messages: str, **how: Any) -> tuple[Wiring, Queue]:
    wiring, queue = wired(**how)
    send(wiring, *messages)
    return wiring, queue


def drawn(wiring: Wiring, queue: Queue, rows: int = 99, size: int = PLENTY, now: float = 0.0) -> list[str]:
    candidate = open_ledger(wiring).getter(queue, acks=True)
    return bodies(flat(draw(queue, candidate, rows, size, now)))


def flat(pieces: Iterable[Drawn]) -> list[Reference]:
    """All of them, where nothing is behind memory but in memory."""
    return [reference for piece in pieces if isinstance(piece, list) for reference in piece]


@pytest.mark.parametrize("window", [None, 50, 1])
@pytest.mark.parametrize(
    ("rows", "size", "expected"),
    [
        (2, PLENTY, ["a", "bb"]),
        (99, PLENTY, ["a", "bb", "ccc", "d"]),
        (99, 3, ["a", "bb"]),  # to the byte
        (99, 5, ["a", "bb"]),  # the next does not fit, though one behind it would
        (99, 0, ["a"]),  # one in any case
        (0, 9, []),
    ],
)
def test_so_many_leave_as_may_and_fit(window: int | None, rows: int, size: int, expected: list[str]) -> None:
    everything = ["a", "bb", "ccc", "d"]
    wiring, queue = filled(*everything, window=window, max_bytes=PLENTY)
    assert drawn(wiring, queue, rows, size) == expected
    assert ready(queue) == everything[len(expected) :]
    assert queue.waiting.bytes == sum(map(len, ready(queue)))


def test_a_large_one_comes_alone() -> None:
    wiring, queue = filled("large", "a")
    assert (drawn(wiring, queue, 9, 3), drawn(wiring, queue, 9, 3)) == (["large"], ["a"])


@pytest.mark.parametrize("window", [None, 2])
def test_the_more_urgent_and_what_came_back_leave_in_their_turn(window: int | None) -> None:
    wiring, queue = filled("1", "2", "3", "4", window=window)
    consumer = consume(wiring, queue, prefetch=2)
    deliver(wiring)
    wiring.close(consumer.ledger, 0.0)
    send(wiring, "later", priority=7)
    assert drawn(wiring, queue) == ["1", "2", "3", "4", "later"]


def test_an_empty_or_paused_queue_gives_nothing() -> None:
    wiring, queue = filled()
    assert drawn(wiring, queue) == []
    send(wiring, "a")
    queue.pause(5.0)
    assert (drawn(wiring, queue, now=4.9), drawn(wiring, queue, now=5.0)) == ([], ["a"])


def test_what_is_drawn_is_taken_and_counted_as_delivered() -> None:
    wiring, queue = filled("a", "b")
    (found, _) = flat(draw(queue, open_ledger(wiring).getter(queue, acks=True), 2, PLENTY, 0.0))
    assert (found.state, found.acquired, queue.ready, queue.held, queue.tally.delivered) == (
        State.TAKEN,
        1,
        0,
        0,
        2,
    )


def test_what_is_drawn_does_not_expire() -> None:
    wiring, queue = wired()
    send(wiring, "a", "b", expires_in=1.0)
    assert drawn(wiring, queue, 1) == ["a"]
    wiring.tick(2.0)
    assert (sum(queue.tally.deaths.values()), queue.ready, queue.next_at()) == (1, 0, inf)


# Groups


def grouped(*groups: str | None) -> tuple[Wiring, Queue]:
    wiring, queue = wired()
    for number, group in enumerate(groups):
        send(wiring, str(number), group=group)
    return wiring, queue


def test_groups_are_drawn_in_order_and_not_held_up() -> None:
    wiring, queue = grouped("g", None, "g", "h")
    assert drawn(wiring, queue, 3) == ["0", "1", "2"]
    send(wiring, "4", group="g")
    consume(wiring, queue, "c")
    assert deliver(wiring) == [("c", "3"), ("c", "4")]


def test_a_group_that_is_in_hand_is_left_alone() -> None:
    wiring, queue = grouped("g")
    in_hand(wiring, queue)
    send(wiring, "1", group="g")
    send(wiring, "2", group="h")
    assert drawn(wiring, queue) == ["2"]


def test_of_groups_too_only_so_much_leaves_as_fits() -> None:
    wiring, queue = wired()
    for body in ("aa", "b", "cc"):
        send(wiring, body, group="g")
    rounds = [drawn(wiring, queue, 9, 3), drawn(wiring, queue, 9, 1), drawn(wiring, queue, 9, 1)]
    assert rounds == [["aa", "b"], ["cc"], []]
