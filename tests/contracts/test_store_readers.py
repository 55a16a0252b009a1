"""What a broker asks of a store for its readers, of every adapter alike."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import pytest

from penstock.store import END, Batch, Joined, Standing
from tests.contracts.stores import finish
from tests.store.support import fetched, message, plain, reference, unjoined

if TYPE_CHECKING:
    from penstock.store import Store


def test_what_a_reader_takes_stands_under_its_number(store: Store) -> None:
    batch = plain(range(1, 6))
    batch.moved.append((9, 1, 0, 2, 4))
    batch.taken.append((9, 1, 3, 0, 2, 1000.5, 9))
    store.write(batch)
    assert (fetched(store), fetched(store, 9), store.takings()) == (
        [1, 5],
        [2, 3, 4],
        [(9, 1, 3, 0, 2, 1000.5, 9)],
    )
    assert [(line.queue, line.ready, line.last) for line in store.lines()] == [(1, 2, 5), (9, 3, 4)]


def test_what_is_taken_stands_in_line_there_and_was_in_hand_once(store: Store) -> None:
    batch = plain([])
    for number, standing in enumerate(Standing, 1):
        batch.messages.append(message(number))
        batch.references.append(reference((1, 0, number), number, standing, due_at=1.5, expires_at=2.5))
    batch.moved.append((9, 1, 0, 1, 9))
    store.write(batch)
    found = store.fetch(9, 0, -END, END, 9)
    standings = [Standing.READY] * 3 + [Standing.OVERFLOWED]
    assert [(row.standing, row.acquired, row.due_at, row.expires_at) for row in found] == [
        (standing, 1, 1.5, 2.5) for standing in standings
    ]
    assert (store.expiring(1, (-inf, -1, -1), 9), store.aside(1, Standing.BURIED, (-1, -1), 9)) == ([], [])


def test_what_is_taken_in_its_line_leaves_it_when_that_is_settled(store: Store) -> None:
    batch = plain(range(1, 6))
    batch.taken.append((9, 1, 3, 0, 2, 1000.5, 1))
    store.write(batch)
    assert fetched(store) == [1, 2, 3, 4, 5]
    for _ in range(2):
        store.settle_takings()
        assert (fetched(store), fetched(store, 9), store.takings()) == (
            [1, 5],
            [2, 3, 4],
            [(9, 1, 3, 0, 2, 1000.5, 9)],
        )
    assert [row.acquired for row in store.fetch(9, 0, -END, END, 9)] == [1, 1, 1]


def test_what_is_given_back_in_its_line_was_in_hand_once(store: Store) -> None:
    store.write(plain(range(1, 4)))
    store.write(Batch(2, given_back=[(1, 1, 0, 2, 3)]))
    aside = store.aside(1, Standing.DELAYED, (-1, -1), 9)
    assert ([(row.sequence, row.acquired) for row in aside], fetched(store)) == ([(2, 1), (3, 1)], [1])


@pytest.mark.parametrize(
    ("first", "below", "limit", "expected"),
    [
        (-END, END, 9, (4, 2, 5)),
        (3, END, 9, (3, 3, 5)),
        (-END, 5, 9, (3, 2, 4)),
        (-END, END, 2, (2, 2, 3)),
        (7, END, 9, (0, 0, 0)),
    ],
)
def test_a_run_is_counted_and_weighed_where_it_stands(
    store: Store, first: int, below: int, limit: int, expected: tuple[int, int, int]
) -> None:
    batch = plain(range(1, 7))
    batch.changes.append((0, Standing.BURIED, 0.0, None, 0, 0, 0, None, None, 1, 0, 1))
    batch.changes.append((0, Standing.DELAYED, 0.0, None, 0, 0, 0, None, None, 1, 0, 6))
    store.write(batch)
    place = (1, 0, first, below, limit)
    assert store.run(*place, weighed=False) == (*expected, 0)
    assert store.run(*place, weighed=True) == (*expected, sum(row.length for row in store.fetch(*place)))


def test_a_run_is_weighed_only_if_there_is_no_more_to_any_of_it(store: Store) -> None:
    batch = plain([1, 2])
    batch.messages.append(message(3))
    batch.references.append(reference((1, 0, 3), 3, Standing.READY))
    store.write(batch)
    assert store.run(1, 0, -END, END, 9, weighed=False) == (3, 1, 3, 0)
    assert store.run(1, 0, -END, END, 9, weighed=True)[0] == 0
    assert store.run(1, 0, -END, 3, 9, weighed=True)[0] == 2


FRONT = plain([1]).plain_messages[0][1]


@pytest.mark.parametrize("odd", [None, "proxy", "destination", "front", "in hand before", "a hole"])
def test_what_is_fetched_raw_is_what_is_fetched(store: Store, odd: str | None) -> None:
    batch = plain(range(1, 6))
    number, front, content, proxy, destination, length = batch.plain_messages[2]
    others = {"proxy": (front, proxy + "x", destination), "destination": (front, proxy, destination + "x")}
    others["front"] = (front + 1, proxy, destination)
    if odd in others:
        front, *names = others[odd]
        batch.plain_messages[2] = (number, front, content, names[0], names[1], length)
    elif odd == "in hand before":
        batch.changes.append((0, Standing.READY, 0.0, None, 2, 0, 1, None, None, 1, 0, 3))
    elif odd is not None:
        batch.changes.append((0, Standing.DELAYED, 0.0, None, 0, 0, 0, None, None, 1, 0, 3))
    store.write(batch)
    place = (1, 0, -END, END, 9)
    found = store.fetch_raw(FRONT, *place)
    expected = [
        (row.sequence, row.content, row.proxy, row.destination, row.acquired > 1, row.front == FRONT)
        for row in store.fetch(*place)
    ]
    assert len(expected) == 5 - (odd == "a hole")
    assert unjoined(found) == expected
    assert not (odd and isinstance(found, Joined))


def test_what_is_given_back_does_not_stand_in_its_line_again(store: Store) -> None:
    batch = plain(range(1, 5))
    batch.messages.append(message(5))
    batch.references.append(reference((1, 0, 5), 5, Standing.OVERFLOWED))
    batch.moved.append((9, 1, 0, 1, 5))
    store.write(batch)
    store.write(Batch(2, given_back=[(1, 9, 0, 2, 5)]))
    aside = store.aside(1, Standing.DELAYED, (-1, -1), 9)
    assert [(row.sequence, row.acquired) for row in aside] == [(2, 1), (3, 1), (4, 1)]
    # What overflowed goes with the reader.
    assert (fetched(store, 1), fetched(store, 9)) == ([], [1, 5])


def test_what_is_given_back_may_be_taken_again_at_once(store: Store) -> None:
    batch = plain([1])
    batch.moved.append((8, 1, 0, 1, 1))
    store.write(batch)
    store.write(Batch(2, given_back=[(1, 8, 0, 1, 1)], moved=[(9, 1, 0, 1, 1)], dropped=[8]))
    finish(store)
    assert (fetched(store, 8), fetched(store, 9)) == ([], [1])


def test_of_what_is_committed_only_what_is_not_done_wholly_is_told(store: Store) -> None:
    store.write(Batch(1, taken=[(8, 1, 3, 0, 1, 0.0, 8), (8, 4, 2, 0, 4, 0.0, 8), (9, 1, 2, 0, 6, 0.0, 1)]))
    store.write(Batch(2, committed=[(8, 4)]))
    assert [taking[:2] for taking in store.takings()] == [(8, 4), (9, 1)]
    store.write(Batch(3, committed=[(9, 2)], dropped=[8]))
    assert store.takings() == []


def test_the_messages_of_what_is_committed_go(store: Store) -> None:
    batch = plain(range(1, 4))
    batch.moved.append((9, 1, 0, 1, 3))
    batch.cleared.append((9, 0, 1, 3))
    store.write(batch)
    finish(store)
    assert (fetched(store, 9), store.last_message()) == ([3], 3)
