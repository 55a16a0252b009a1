"""What a batch does is told in tests/contracts/test_store.py; here is how it is done."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from penstock.store import Batch
from penstock.store.connecting import open_writer
from penstock.store.writing import apply, remove
from tests.store.support import message, plain, reference, removal

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(open_writer(tmp_path / "db")) as made:
        yield made


def count(connection: sqlite3.Connection, table: str) -> int:
    counted: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608  a table's name
    return counted


@pytest.mark.parametrize("number", [0, 1, 9, 10, 11, 99, 100, 101, 110, 111, 345])
def test_batches_of_every_size_are_written_whole(connection: sqlite3.Connection, number: int) -> None:
    apply(connection, plain(range(1, number + 1)))
    assert (count(connection, "message"), count(connection, "reference")) == (number, number)
    apply(connection, removal(range(1, number + 1)))
    assert (count(connection, "message"), count(connection, "reference")) == (0, 0)


def test_many_rows_take_few_statements(connection: sqlite3.Connection) -> None:
    statements: list[str] = []
    connection.set_trace_callback(statements.append)
    apply(connection, plain(range(1, 501)))
    assert len(statements) == 10
    statements.clear()
    apply(connection, removal(range(1, 501)))
    assert [statement.split()[0] for statement in statements] == ["DELETE", "SELECT", "DELETE"]


def test_the_files_of_those_that_go_are_told(connection: sqlite3.Connection) -> None:
    files = {1: "one", 2: "two", 3: "three", 4: None}
    batch = Batch(1, messages=[message(number, file=file, copies=number) for number, file in files.items()])
    batch.references += [reference((queue, 0, number), number) for number in files for queue in range(number)]
    assert apply(connection, batch) == []
    # 2 lies between the two, and stays; 3 goes because it is named as often as it has copies.
    removals = [(0, 0, 1, 1), *((queue, 0, 3, 3) for queue in range(3)), (0, 0, 4, 4)]
    assert sorted(remove(connection, removals)) == ["one", "three"]
    assert connection.execute("SELECT id, copies FROM message").fetchall() == [(2, 2), (4, 3)]
