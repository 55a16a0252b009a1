"""Whatever is written to a store, in whatever order: all adapters tell the same, before and after opening."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.store import Batch, MemoryStore, SqliteStore, Standing
from tests.store.support import photograph

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
                batch.references.append((*row, standing, 1.0, expires_at, 0, 0, 0, None, None))
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
                (priority, standing, 2.0, expires_at, 1, 1, 1, "error", b"!", place[0], before, place[1])
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
