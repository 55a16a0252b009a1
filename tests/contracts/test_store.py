"""What a broker asks of a store, of every adapter alike.

To have an adapter of your own tested, add a line to ADAPTERS.
"""

from __future__ import annotations

from contextlib import closing
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.errors import StoreDamaged
from penstock.store import END, Batch, Joined, MemoryStore, SqliteStore, Standing
from tests.store.support import fetched, message, photograph, plain, reference, removal, unjoined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.store import Store

#: Name → what makes an empty store in a folder.
ADAPTERS: dict[str, Callable[[Path], Store]] = {"memory": lambda _: MemoryStore(), "sqlite": SqliteStore}


@pytest.fixture(params=list(ADAPTERS))
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    with closing(ADAPTERS[request.param](tmp_path / "store")) as made:
        yield made


def finish(store: Store) -> None:
    while store.tidy():
        pass


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
    batch.references.append((3, 5, 11, 7, Standing.READY, 1.5, 60.25, 4, 2, 3, "why"))
    store.write(batch)
    assert [tuple(found) for found in store.fetch(3, 5, 11, 12, 9)] == [
        (5, 11, 7, 0, 1.5, 60.25, 4, 2, 3, "why", 2, b"content", "proxy", "to", 12, b"extra", "file", 1)
    ]


def test_a_plain_row_says_that_nothing_is_special(store: Store) -> None:
    store.write(plain([1]))
    assert [tuple(found) for found in store.fetch(1, 0, 0, END, 9)] == [
        (0, 1, 1, 0, 0.0, None, 0, 0, 0, None, 1, b"body 1", "", "work", 100, None, None, 1)
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
    store.write(Batch(2, changes=[(6, Standing.DELAYED, 9.0, 50.0, 3, 1, 2, "late", 1, 0, 2)]))
    assert fetched(store) == [1]
    assert [tuple(found)[:10] for found in store.aside(1, Standing.DELAYED, (-1, -1), 9)] == [
        (6, 2, 2, 1, 9.0, 50.0, 3, 1, 2, "late")
    ]
    store.write(Batch(3, changes=[(6, Standing.READY, 0.0, None, 3, 1, 3, None, 1, 6, 2)]))
    assert (fetched(store), fetched(store, priority=6)) == ([1], [2])
    assert store.expiring(1, (-inf, -1, -1), 9) == []


def test_a_change_to_what_is_gone_changes_nothing(store: Store) -> None:
    store.write(Batch(1, changes=[(0, Standing.READY, 0.0, None, 0, 0, 0, None, 1, 0, 2)]))
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
    batch.changes.append((5, Standing.READY, 0.0, None, 1, 0, 0, None, 1, 0, 2))
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


# All adapters alike

PLACES = st.tuples(st.integers(0, 3), st.integers(0, 2))
TIMES = st.none() | st.integers(0, 5).map(float)
ARRIVALS = st.tuples(
    st.just("arrive"), st.lists(PLACES, min_size=1, max_size=4, unique=True), st.integers(0, 3), TIMES
)
CHANGES = st.tuples(st.just("change"), st.integers(0, 50), st.integers(0, 2), st.integers(0, 2), TIMES)
REMOVALS = st.tuples(st.just("remove"), st.integers(0, 50))
CLEARINGS = st.tuples(st.just("clear"), PLACES, st.integers(0, 20), st.integers(0, 20))
DROPS = st.tuples(st.just("drop"), st.integers(0, 3))
DEFINITIONS = st.tuples(st.just("define"), st.sampled_from("ab"), st.binary(max_size=2) | st.none())
STEPS = st.lists(
    st.lists(ARRIVALS | CHANGES | REMOVALS | CLEARINGS | DROPS | DEFINITIONS, max_size=8), max_size=6
)


class Author:
    """Writes batches that make sense: it knows what is stored."""

    def __init__(self) -> None:
        self.number = 0
        self.last = 0
        #: (queue, sequence) → priority, message, standing.
        self.alive: dict[tuple[int, int], tuple[int, int, int]] = {}

    def write(self, steps: list[tuple[Any, ...]]) -> Batch:
        self.number += 1
        batch = Batch(self.number)
        # As a batch is applied: what arrives, then what changes, and so on.
        for verb in ("arrive", "change", "remove", "clear", "drop", "define"):
            for step in steps:
                if step[0] == verb:
                    getattr(self, verb)(batch, *step[1:])
        return batch

    def arrive(
        self, batch: Batch, places: list[tuple[int, int]], standing: int, expires_at: float | None
    ) -> None:
        self.last = number = self.last + 1
        queues = dict(places)
        if len(queues) == 1 and not standing and expires_at is None:
            batch.plain_messages.append((number, 1, b"plain", "", "to", 5))
        else:
            batch.messages.append((number, 1, b"full", "", "to", 4, b"extra", None, len(queues)))
        for queue, priority in queues.items():
            self.alive[queue, number] = (priority, number, standing)
            row = (queue, priority, number, number)
            if standing or expires_at is not None:
                batch.references.append((*row, standing, 1.0, expires_at, 0, 0, 0, None))
            else:
                batch.plain_references.append(row)

    def pick(self, choice: int) -> tuple[int, int] | None:
        return sorted(self.alive)[choice % len(self.alive)] if self.alive else None

    def change(
        self, batch: Batch, choice: int, priority: int, standing: int, expires_at: float | None
    ) -> None:
        if place := self.pick(choice):
            before, number, overflowed = self.alive[place]
            standing = 3 if overflowed == 3 else standing
            self.alive[place] = (priority, number, standing)
            batch.changes.append(
                (priority, standing, 2.0, expires_at, 1, 1, 1, "error", place[0], before, place[1])
            )

    def remove(self, batch: Batch, choice: int) -> None:
        if place := self.pick(choice):
            priority, number, _standing = self.alive.pop(place)
            batch.removals.append((place[0], priority, place[1], number))

    def clear(self, batch: Batch, line: tuple[int, int], first: int, below: int) -> None:
        batch.cleared.append((*line, first, below))
        for (queue, sequence), (priority, _number, standing) in list(self.alive.items()):
            if (queue, priority) == line and first <= sequence < below and standing in (0, 3):
                del self.alive[queue, sequence]

    def drop(self, batch: Batch, queue: int) -> None:
        batch.dropped.append(queue)
        self.alive = {place: kept for place, kept in self.alive.items() if place[0] != queue}

    def define(self, batch: Batch, key: str, value: bytes | None) -> None:
        if value is not None:
            batch.defined.append(("kind", key, value))
        elif not any(put[1] == key for put in batch.defined):
            batch.undefined.append(("kind", key))


@given(STEPS)
def test_whatever_is_written_is_read_from_all_alike(steps: list[list[tuple[Any, ...]]]) -> None:
    author, memory = Author(), MemoryStore()
    with TemporaryDirectory() as folder, closing(SqliteStore(Path(folder))) as sqlite:
        for some in steps:
            batch = author.write(some)
            memory.write(batch)
            sqlite.write(batch)
            assert photograph(sqlite) == photograph(memory)
        assert {(line.queue, line.priority): line.ready + line.aside for line in memory.lines()} == counted(
            author
        )


def counted(author: Author) -> dict[tuple[int, int], int]:
    counts: dict[tuple[int, int], int] = {}
    for (queue, _sequence), (priority, _number, _standing) in author.alive.items():
        counts[queue, priority] = counts.get((queue, priority), 0) + 1
    return counts


# Each step opens it twice, and waits for the disk each time.
@settings(max_examples=30)
@given(STEPS)
def test_what_was_written_is_there_after_opening_again(steps: list[list[tuple[Any, ...]]]) -> None:
    author, memory = Author(), MemoryStore()
    with TemporaryDirectory() as folder:
        for some in steps:
            # What overflowed is not to survive.
            batch = author.write(
                [step for step in some if step[0] != "arrive" or step[2] != Standing.OVERFLOWED]
            )
            memory.write(batch)
            with closing(SqliteStore(Path(folder))) as sqlite:
                sqlite.write(batch)
            with closing(SqliteStore(Path(folder))) as sqlite:
                assert photograph(sqlite) == photograph(memory)


# Readers


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
    batch.changes.append((0, Standing.BURIED, 0.0, None, 0, 0, 0, None, 1, 0, 1))
    batch.changes.append((0, Standing.DELAYED, 0.0, None, 0, 0, 0, None, 1, 0, 6))
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
        batch.changes.append((0, Standing.READY, 0.0, None, 2, 0, 1, None, 1, 0, 3))
    elif odd is not None:
        batch.changes.append((0, Standing.DELAYED, 0.0, None, 0, 0, 0, None, 1, 0, 3))
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
