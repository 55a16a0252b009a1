from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from penstock.store import Batch, Standing, tidying
from penstock.store.connecting import open_writer
from penstock.store.tidying import Tidying
from penstock.store.writing import apply
from tests.store.support import message, plain, reference

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(open_writer(tmp_path / "db")) as made:
        yield made


def left(connection: sqlite3.Connection) -> list[int]:
    return [number for (number,) in connection.execute("SELECT sequence FROM reference ORDER BY sequence")]


def slices(work: Tidying, connection: sqlite3.Connection) -> list[int]:
    """How many are left after each slice."""
    counts = []
    while work.slice() is not None:
        counts.append(len(left(connection)))
    return counts


@pytest.fixture(autouse=True)
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tidying, "SLICE", 10)


def test_a_purged_span_goes_slice_by_slice(connection: sqlite3.Connection) -> None:
    batch = plain(range(1, 31))
    batch.cleared.append((1, 0, 3, 29))
    apply(connection, batch)
    assert slices(Tidying(connection, 0), connection) == [20, 10, 4]
    assert left(connection) == [1, 2, 29, 30]


def test_a_span_of_whole_slices_ends_too(connection: sqlite3.Connection) -> None:
    batch = plain(range(1, 21))
    batch.cleared.append((1, 0, 1, 21))
    apply(connection, batch)
    assert slices(Tidying(connection, 0), connection) == [10, 0, 0]


def test_short_spans_go_together(connection: sqlite3.Connection) -> None:
    batch = plain(range(1, 31))
    batch.cleared += [(1, 0, first, first + 1) for first in range(1, 31, 2)]
    apply(connection, batch)
    assert slices(Tidying(connection, 0), connection) == [20, 15]


def test_after_a_batch_as_much_goes_as_came_with_it(connection: sqlite3.Connection) -> None:
    batch = plain(range(1, 51))
    batch.cleared.append((1, 0, 1, 51))
    apply(connection, batch)
    work = Tidying(connection, 0)
    work.note(plain(range(1, 31)))
    assert slices(work, connection) == [20, 10, 0, 0]


def test_a_dropped_queue_goes_slice_by_slice(connection: sqlite3.Connection) -> None:
    apply(connection, plain(range(1, 26)))
    apply(connection, Batch(2, dropped=[1, 2]))
    work = Tidying(connection, 0)
    assert slices(work, connection) == [15, 5, 0, 0]
    assert work.idle


def test_it_wakes_up_when_something_is_cleared_or_dropped(connection: sqlite3.Connection) -> None:
    work = Tidying(connection, 0)
    assert (work.slice(), work.idle) == (None, True)
    work.note(plain([1]))
    assert work.idle
    work.note(Batch(1, dropped=[1]))
    assert not work.idle


def test_only_what_overflowed_in_earlier_runs_is_void(connection: sqlite3.Connection) -> None:
    batch = Batch(1, messages=[message(number) for number in range(1, 41)])
    standings = [Standing.OVERFLOWED if number % 2 else Standing.READY for number in range(1, 41)]
    batch.references += [reference((1, 0, n), n, standing) for n, standing in enumerate(standings, 1)]
    apply(connection, batch)
    assert slices(Tidying(connection, 30), connection) == [30, 25]
    assert left(connection) == [*range(2, 31, 2), *range(31, 41)]


def test_the_log_is_checkpointed_after_much_was_written(connection: sqlite3.Connection) -> None:
    statements: list[str] = []
    connection.set_trace_callback(statements.append)
    work = Tidying(connection, 0)
    large = Batch(1, messages=[(1, 0, bytes(9 * 2**20), "", "", 0, None, None, 1)])
    work.note(large)
    work.checkpoint()
    assert statements == []
    work.note(Batch(2, plain_messages=[(2, 0, bytes(9 * 2**20), "", "", 0)]))
    work.checkpoint()
    work.checkpoint()
    assert statements == ["PRAGMA wal_checkpoint(PASSIVE)"]


def test_room_is_given_back_when_nobody_writes(
    connection: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tidying, "SPARE_PAGES", 16)
    monkeypatch.setattr(tidying, "PAGES", 64)
    # Given a database that was large, and is empty again.
    work = Tidying(connection, 0)
    apply(connection, Batch(1, plain_messages=[(number, 0, bytes(8000), "", "", 0) for number in range(400)]))
    connection.execute("DELETE FROM message")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    before = (tmp_path / "db").stat().st_size
    # When something has just been written, room is only spoken of; later it is given back.
    work.note(plain([1000]))
    assert work.give_back()
    assert connection.execute("PRAGMA freelist_count").fetchone()[0] > 300
    while work.give_back():
        pass
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    assert (tmp_path / "db").stat().st_size < before / 3
