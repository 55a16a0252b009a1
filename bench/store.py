"""The store: what a message costs to write and delete, to read back, and what a million cost at start.

The measure of a row is a plain way to do the same with the same engine: one INSERT or DELETE for
each row, with every column. Batches of 500 are written and, four batches later, deleted, as with
consumers that keep up; contents are 100 bytes. Each commit is synced. CPU time is the process's own:
the disk's share, and a busy machine, show only in the seconds.
"""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Final

from penstock.store import END, Batch, SqliteStore, StoredBacklog
from penstock.store.connecting import open_writer
from penstock.wiring import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.store import Found
    from penstock.wiring import Reference

MESSAGES: Final = 50_000
BATCH: Final = 500
#: Batches a message lives.
LIFE: Final = 4
ROUNDS: Final = 5
MILLION: Final = 1_000_000
CONTENT: Final = b"x" * 100
#: Messages a second of CPU, written and deleted.
WANTED: Final = 100_000
HEAD: Final = f"{'':44}{'CPU':>10}{'a second':>12}{'of CPU':>12}"
#: Seconds.
OPENED_IN: Final = 1.0


def main() -> int:
    print(f"\nwrite and delete messages, batches of {BATCH}, synced\n{HEAD}")
    measured: dict[str, list[tuple[float, float]]] = {"one by one, all columns": [], "the store": []}
    for _ in range(ROUNDS):
        measured["one by one, all columns"].append(timed(one_by_one))
        measured["the store"].append(timed(stored))
    rates = [print_row(name, figures, MESSAGES) for name, figures in measured.items()]
    fast = rates[-1] >= WANTED
    print(f"{rates[-1] / rates[0]:.2f} times as fast; {WANTED:,} wanted: {'ok' if fast else 'MISSED'}")
    return 0 if measure_million() and fast else 1


def timed(run: Callable[[Path], None]) -> tuple[float, float]:
    """Seconds of CPU, and seconds."""
    with TemporaryDirectory(dir=".") as folder:
        used, begun = process_time(), perf_counter()
        run(Path(folder))
        return process_time() - used, perf_counter() - begun


def print_row(name: str, figures: list[tuple[float, float]], operations: int) -> float:
    """The median; operations a second of CPU."""
    used = median(figure[0] for figure in figures) / operations
    passed = median(figure[1] for figure in figures) / operations
    print(f"{name:44}{1e6 * used:7.2f} µs{1 / passed:12,.0f}{1 / used:12,.0f}")
    return 1 / used


# Write and delete


def numbers() -> Iterator[tuple[range, range]]:
    """The ids that come and those that go, batch by batch."""
    for start in range(1, MESSAGES + 1, BATCH):
        gone = start - LIFE * BATCH
        yield range(start, start + BATCH), range(gone, gone + BATCH) if gone > 0 else range(0)


def stored(folder: Path) -> None:
    with closing(SqliteStore(folder / "store")) as store:
        for number, (come, go) in enumerate(numbers()):
            batch = Batch(number)
            batch.plain_messages = [(id_, 1, CONTENT, "", "work", 100) for id_ in come]
            batch.plain_references = [(1, 0, id_, id_) for id_ in come]
            batch.removals = [(1, 0, id_, id_) for id_ in go]
            store.write(batch)
            store.tidy()


def one_by_one(folder: Path) -> None:
    with closing(open_writer(folder / "db")) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 1000")
        for come, go in numbers():
            connection.execute("BEGIN")
            connection.executemany(
                "INSERT INTO message (id, front, content, proxy, destination, length, extra, file, copies)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(id_, 1, CONTENT, "", "work", 100, None, None, 1) for id_ in come],
            )
            connection.executemany(
                "INSERT INTO reference VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(1, 0, id_, id_, 0, 0.0, None, 0, 0, 0, None, None) for id_ in come],
            )
            connection.executemany(
                "DELETE FROM reference WHERE queue = ? AND priority = ? AND sequence = ?",
                [(1, 0, id_) for id_ in go],
            )
            connection.executemany("DELETE FROM message WHERE id = ?", [(id_,) for id_ in go])
            connection.execute("COMMIT")


# A million


def measure_million() -> bool:
    """Whether a store with a million opens soon enough."""
    with TemporaryDirectory(dir=".") as folder:
        fill(Path(folder))
        print(f"\nwith 1,000,000 references\n{HEAD}")
        opened = [open_and_count(Path(folder)) for _ in range(ROUNDS)]
        with closing(SqliteStore(Path(folder))) as store:
            print_row("fetch all of them, 256 at a time", [fetch_all(store) for _ in range(3)], MILLION)
            print_row("take all of them from a backlog", [take_all(store) for _ in range(3)], MILLION)
            print_row("purge and take them away, a slice at a time", [purge(store)], MILLION)
    seconds = median(passed for _used, passed in opened)
    soon = seconds <= OPENED_IN
    print(f"open and count: {seconds:.3f} s of at most {OPENED_IN:g}: {'ok' if soon else 'MISSED'}")
    return soon


def fill(folder: Path) -> None:
    with closing(SqliteStore(folder)) as store:
        for number, start in enumerate(range(1, MILLION + 1, 10_000)):
            batch = Batch(number)
            batch.plain_messages = [
                (id_, 1, CONTENT, "", "work", 100) for id_ in range(start, start + 10_000)
            ]
            batch.plain_references = [(id_ % 3, 0, id_, id_) for id_ in range(start, start + 10_000)]
            store.write(batch)
            store.tidy()


def open_and_count(folder: Path) -> tuple[float, float]:
    used, begun = process_time(), perf_counter()
    with closing(SqliteStore(folder)) as store:
        assert sum(line.ready for line in store.lines()) == MILLION
        return process_time() - used, perf_counter() - begun


def fetch_all(store: SqliteStore) -> tuple[float, float]:
    used, begun, found = process_time(), perf_counter(), 0
    for queue in range(3):
        first = 0
        while rows := store.fetch(queue, 0, first, END, 256):
            found += len(rows)
            first = rows[-1].sequence + 1
    assert found == MILLION
    return process_time() - used, perf_counter() - begun


class Keeper:
    """As little of a broker as a backlog needs."""

    def __init__(self) -> None:
        self.batch = Batch(1)

    def keep(self, queue: int, reference: Reference) -> None:
        """They have their rows."""

    def load(self, found: Found) -> Message:
        return Message(found.content, found.destination)


def take_all(store: SqliteStore) -> tuple[float, float]:
    used, begun, taken = process_time(), perf_counter(), 0
    for queue in range(3):
        lines = [line for line in store.lines() if line.queue == queue]
        backlog = StoredBacklog(queue, store, Keeper(), lines)
        while references := backlog.take(1000):
            taken += len(references)
    assert taken == MILLION
    return process_time() - used, perf_counter() - begun


def purge(store: SqliteStore) -> tuple[float, float]:
    used, begun = process_time(), perf_counter()
    store.write(Batch(0, cleared=[(queue, 0, 0, END) for queue in range(3)]))
    while store.tidy():
        pass
    assert store.lines() == []
    return process_time() - used, perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())
