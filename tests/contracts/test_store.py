"""What a broker asks of a store, of every adapter alike."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import pytest

from penstock.errors import StoreDamaged
from penstock.store import END, Batch, Standing
from tests.contracts.stores import finish
from tests.store.support import fetched, message, plain, reference, removal

if TYPE_CHECKING:
    from penstock.store import Store

# Definitions


def test_an_empty_one_gives_nothing(store: Store) -> None:
    assert (store.definitions(), store.lines(), store.last_message(), store.damaged) == ([], [], 0, [])
    assert (store.fetch(1, 0, 0, END, 9), store.weigh(1), store.expiring(1, (-inf, -1, -1), 9)) == ([], 0, [])
    assert store.aside(1, Standing.DELAYED, (-1, -1), 9) == []


def test_definitions_are_put_replaced_and_deleted(store: Store) -> None:
    store.write(Batch(1, defined=[("queue", "b", b"1"), ("queue", "a", b"2"), ("proxy", "c", b"3")]))
    store.write(Batch(2, defined=[("queue", "a", b"4")], undefined=[("queue", "b"), ("user", "nobody")]))
    assert store.definitions() == [("proxy", "c", b"3"), ("queue", "a", b"4")]


# Lines


def test_what_is_written_is_read_back_column_by_column(store: Store) -> None:
    batch = Batch(1, messages=[(7, 2, b"content", "proxy", "to", 12, b"extra", "file", 1)])
    batch.references.append((3, 5, 11, 7, Standing.READY, 1.5, 60.25, 4, 2, 3, "why", b"!"))
    store.write(batch)
    assert [tuple(found) for found in store.fetch(3, 5, 11, 12, 9)] == [
        (5, 11, 7, 0, 1.5, 60.25, 4, 2, 3, "why", b"!", 2, b"content", "proxy", "to", 12, b"extra", "file", 1)
    ]


def test_a_plain_row_says_that_nothing_is_special(store: Store) -> None:
    store.write(plain([1]))
    assert [tuple(found) for found in store.fetch(1, 0, 0, END, 9)] == [
        (0, 1, 1, 0, 0.0, None, 0, 0, 0, None, None, 1, b"body 1", "", "work", 100, None, None, 1)
    ]


@pytest.mark.parametrize(
    ("first", "below", "limit", "expected"),
    [
        (-END, END, 9, [1, 2, 3, 5]),  # all
        (2, END, 9, [2, 3, 5]),  # from the first on, itself among them
        (2, 5, 9, [2, 3]),  # without the one it stays below
        (4, 9, 9, [5]),  # there need not be one
        (-END, END, 2, [1, 2]),  # the lowest first
        (-END, END, 0, []),
    ],
)
def test_a_line_is_fetched_in_order_between_two_sequences(
    store: Store, first: int, below: int, limit: int, expected: list[int]
) -> None:
    store.write(plain([5, 1, 3, 2]))
    store.write(plain([4], queue=2, batch=2))
    store.write(plain([6], priority=1, batch=3))
    assert [found.sequence for found in store.fetch(1, 0, first, below, limit)] == expected


@pytest.mark.parametrize(
    ("first", "below", "skip", "expected"),
    [
        (-END, END, 0, 1),
        (-END, END, 3, 5),
        (-END, END, 4, None),
        (2, END, 1, 3),
        (2, 5, 2, None),
    ],
)
def test_one_is_found_after_so_many_others(
    store: Store, first: int, below: int, skip: int, expected: int | None
) -> None:
    store.write(plain([5, 1, 3, 2]))
    store.write(plain([4], queue=2, batch=2))
    assert store.nth(1, 0, first, below, skip) == expected


def test_lines_tell_what_stands_where(store: Store) -> None:
    store.write(plain([1, 2], queue=2, priority=9))
    batch = Batch(2, messages=[message(3), message(4), message(5)])
    batch.references += [
        reference((1, 0, 3), 3),
        reference((1, 0, 8), 4, Standing.DELAYED, due_at=9.0),
        reference((1, 0, 4), 5, Standing.BURIED),
    ]
    store.write(batch)
    assert [tuple(line) for line in store.lines()] == [(1, 0, 1, 2, 8), (2, 9, 2, 0, 2)]
    assert store.last_message() == 5


def test_a_large_batch_is_written_whole(store: Store) -> None:
    store.write(plain(range(1, 1235)))
    assert fetched(store) == list(range(1, 1235))
    store.write(removal(range(1, 1235)))
    assert (fetched(store), store.last_message(), store.lines()) == ([], 0, [])


def test_a_queue_is_weighed(store: Store) -> None:
    store.write(plain([1, 2]))
    store.write(Batch(2, messages=[message(3, length=5)], references=[reference((1, 7, 3), 3)]))
    assert (store.weigh(1), store.weigh(2)) == (205, 0)


# Aside


def test_delayed_and_buried_ones_stand_aside(store: Store) -> None:
    batch = Batch(1, messages=[message(number) for number in range(1, 6)])
    batch.references += [
        reference((1, 0, 1), 1, Standing.DELAYED, due_at=5.0),
        reference((1, 4, 2), 2, Standing.DELAYED, due_at=2.0),
        reference((1, 0, 3), 3, Standing.BURIED),
        reference((1, 0, 4), 4),
        reference((2, 0, 1), 5, Standing.DELAYED),
    ]
    store.write(batch)
    delayed = store.aside(1, Standing.DELAYED, (-1, -1), 9)
    assert [(found.sequence, found.due_at) for found in delayed] == [(1, 5.0), (2, 2.0)]
    assert [found.sequence for found in store.aside(1, Standing.DELAYED, (0, 1), 9)] == [2]
    assert [found.sequence for found in store.aside(1, Standing.DELAYED, (-1, -1), 1)] == [1]
    assert [found.sequence for found in store.aside(1, Standing.BURIED, (-1, -1), 9)] == [3]
    assert fetched(store) == [4]


def test_a_change_says_all_anew_and_may_move_it_to_another_line(store: Store) -> None:
    store.write(plain([1, 2]))
    store.write(Batch(2, changes=[(6, Standing.DELAYED, 9.0, 50.0, 3, 1, 2, "late", b"!", 1, 0, 2)]))
    assert fetched(store) == [1]
    assert [tuple(found)[:11] for found in store.aside(1, Standing.DELAYED, (-1, -1), 9)] == [
        (6, 2, 2, 1, 9.0, 50.0, 3, 1, 2, "late", b"!")
    ]
    store.write(Batch(3, changes=[(6, Standing.READY, 0.0, None, 3, 1, 3, None, None, 1, 6, 2)]))
    assert (fetched(store), fetched(store, priority=6)) == ([1], [2])
    assert store.expiring(1, (-inf, -1, -1), 9) == []


def test_a_change_to_what_is_gone_changes_nothing(store: Store) -> None:
    store.write(Batch(1, changes=[(0, Standing.READY, 0.0, None, 0, 0, 0, None, None, 1, 0, 2)]))
    assert store.lines() == []


# Time


def test_expiring_ones_come_in_order_of_their_time(store: Store) -> None:
    batch = Batch(1, messages=[message(number) for number in range(1, 7)])
    batch.references += [
        reference((1, 0, 1), 1, expires_at=30.0),
        reference((1, 2, 2), 2, expires_at=10.0),
        reference((1, 0, 3), 3, expires_at=10.0),
        reference((1, 0, 4), 4),
        reference((1, 0, 5), 5, Standing.DELAYED, expires_at=1.0),
        reference((2, 0, 1), 6, expires_at=2.0),
    ]
    store.write(batch)
    places = [(10.0, 0, 3), (10.0, 2, 2), (30.0, 0, 1)]
    found = store.expiring(1, (-inf, -1, -1), 9)
    assert [(row.expires_at, row.priority, row.sequence) for row in found] == places
    assert [row.sequence for row in store.expiring(1, (10.0, 0, 3), 9)] == [2, 1]
    assert [row.sequence for row in store.expiring(1, (-inf, -1, -1), 1)] == [3]


# Leaving


def test_a_message_goes_with_its_last_copy(store: Store) -> None:
    batch = Batch(1, messages=[message(1, copies=3), message(2)])
    batch.references += [reference((queue, 0, 1), 1) for queue in (1, 2, 3)] + [reference((1, 0, 2), 2)]
    store.write(batch)
    store.write(Batch(2, removals=[(2, 0, 1, 1)]))
    assert [found.copies for found in store.fetch(1, 0, 0, END, 9)] == [2, 1]
    # Twice in one batch, among others.
    store.write(Batch(3, removals=[(3, 0, 1, 1), (1, 0, 2, 2), (1, 0, 1, 1)]))
    assert (store.lines(), store.last_message()) == ([], 0)


def test_what_is_added_in_a_batch_may_change_and_go_in_it(store: Store) -> None:
    batch = plain([1, 2, 3])
    batch.changes.append((5, Standing.READY, 0.0, None, 1, 0, 0, None, None, 1, 0, 2))
    batch.removals.append((1, 5, 2, 2))
    store.write(batch)
    assert (fetched(store), fetched(store, priority=5)) == ([1, 3], [])


def test_a_purge_clears_what_is_ready_in_a_span(store: Store) -> None:
    store.write(plain(range(1, 2501)))
    store.write(
        Batch(2, messages=[message(2501)], references=[reference((1, 0, 2501), 2501, Standing.BURIED)])
    )
    batch = plain([2502, 2503], batch=3)
    batch.cleared.append((1, 0, 3, 2503))
    store.write(batch)
    finish(store)
    assert (fetched(store), store.last_message()) == ([1, 2, 2503], 2503)
    assert [found.sequence for found in store.aside(1, Standing.BURIED, (-1, -1), 9)] == [2501]


def test_a_queue_is_dropped_with_all_that_is_in_it(store: Store) -> None:
    batch = plain(range(1, 2001))
    batch.messages.append(message(3000, copies=2))
    batch.references += [reference((1, 4, 1), 3000, Standing.BURIED), reference((2, 4, 1), 3000)]
    store.write(batch)
    store.write(Batch(2, dropped=[1, 77]))
    finish(store)
    assert [tuple(line) for line in store.lines()] == [(2, 4, 1, 0, 1)]
    assert [found.copies for found in store.fetch(2, 4, 0, END, 9)] == [1]


def test_what_overflowed_is_fetched_like_any_other(store: Store) -> None:
    batch = plain([1])
    batch.messages.append(message(2))
    batch.references.append(reference((1, 0, 2), 2, Standing.OVERFLOWED, expires_at=5.0))
    store.write(batch)
    finish(store)
    assert (fetched(store), [line.ready for line in store.lines()], store.weigh(1)) == ([1, 2], [2], 104)
    assert [found.sequence for found in store.expiring(1, (-inf, -1, -1), 9)] == [2]


# Contents


def write_content(store: Store, *pieces: bytes | memoryview) -> str:
    growing = store.contents.create()
    for piece in pieces:
        growing.append(piece)
    return growing.finish()


def test_a_content_is_written_and_read_in_pieces(store: Store) -> None:
    name = write_content(store, b"one ", memoryview(b"two "), b"three")
    one, other = store.contents.open(name), store.contents.open(name)
    assert (one.length, one.read(0, 5), other.read(4, 100), one.read(5, 3)) == (
        13,
        b"one t",
        b"two three",
        b"wo ",
    )
    assert one.read(13, 5) == b""
    one.close()
    other.close()


def test_a_content_goes_with_its_message(store: Store) -> None:
    name = write_content(store, b"large")
    kept = write_content(store, b"kept")
    batch = Batch(1, messages=[message(1, file=name, length=5, copies=2), message(2, file=kept)])
    batch.references += [reference((1, 0, 1), 1), reference((2, 0, 1), 1), reference((1, 0, 2), 2)]
    store.write(batch)
    store.write(Batch(2, removals=[(1, 0, 1, 1)]))
    reading = store.contents.open(name)
    store.write(Batch(3, dropped=[2]))
    finish(store)
    with pytest.raises(StoreDamaged, match=name):
        store.contents.open(name)
    # Whoever reads it goes on.
    assert reading.read(0, 9) == b"large"
    reading.close()
    store.contents.open(kept).close()


def test_a_linked_content_lives_as_long_as_its_own_message(store: Store) -> None:
    name = write_content(store, b"large")
    other = store.contents.link(name)
    store.write(Batch(1, messages=[message(1, file=name)], references=[reference((1, 0, 1), 1)]))
    store.write(Batch(2, removals=[(1, 0, 1, 1)]))
    finish(store)
    reading = store.contents.open(other)
    assert reading.read(0, 9) == b"large"
    reading.close()
    with pytest.raises(StoreDamaged):
        store.contents.link(name)


def test_a_content_may_be_abandoned_or_deleted(store: Store) -> None:
    growing = store.contents.create()
    growing.append(b"half")
    growing.abandon()
    name = write_content(store, b"whole")
    store.contents.delete([name, "not there"])
    with pytest.raises(StoreDamaged):
        store.contents.open(name)
