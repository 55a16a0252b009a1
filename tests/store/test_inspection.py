from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from penstock.store import Batch
from penstock.store.connecting import open_writer
from penstock.store.content_files import ContentFiles
from penstock.store.inspection import inspect
from penstock.store.writing import apply
from tests.store.support import message, reference

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(open_writer(tmp_path / "db")) as made:
        yield made


@pytest.fixture
def contents(tmp_path: Path) -> ContentFiles:
    return ContentFiles(tmp_path / "contents")


def store(connection: sqlite3.Connection, contents: ContentFiles, *sizes: int | None) -> None:
    """Messages 1, 2, … with bodies of ten bytes each, in queues 1 and 2, and so many bytes on the disk."""
    batch = Batch(1)
    for number, size in enumerate(sizes, 1):
        if size is not None:
            (contents.folder / f"file-{number}").write_bytes(bytes(size))
        batch.messages.append(message(number, file=f"file-{number}", length=10, copies=2))
        batch.references += [reference((queue, 0, number), number) for queue in (1, 2)]
    apply(connection, batch)


def test_whole_ones_stay_and_leftovers_go(
    connection: sqlite3.Connection, contents: ContentFiles, tmp_path: Path
) -> None:
    store(connection, contents, 10, 10)
    (contents.folder / "leftover").write_bytes(b"of a crash")
    assert inspect(connection, contents, tmp_path / "quarantine") == []
    assert (sorted(contents.sizes()), (tmp_path / "quarantine").exists()) == (["file-1", "file-2"], False)


@pytest.mark.parametrize(
    ("size", "reason"),
    [(None, "its content file file-2 is missing"), (9, "its content file file-2 has 9 of 10 bytes")],
)
def test_a_damaged_one_is_put_aside_and_nothing_else_suffers(
    connection: sqlite3.Connection, contents: ContentFiles, tmp_path: Path, size: int | None, reason: str
) -> None:
    store(connection, contents, 10, size, 10)
    record = tmp_path / "quarantine" / "2.json"
    told = [str(damage) for damage in inspect(connection, contents, record.parent)]
    assert told == [f"message 2 to 'work' in queues [1, 2] is lost: {reason}; see {record}"]
    known = json.loads(record.read_text())
    assert (known["reason"], known["references"], known["content"]) == (
        reason,
        [[1, 0, 2], [2, 0, 2]],
        "Ym9keQ==",
    )
    assert (record.parent / "file-2").exists() == (size is not None)
    assert connection.execute("SELECT id FROM message").fetchall() == [(1,), (3,)]
    assert connection.execute("SELECT count(*) FROM reference").fetchone() == (4,)
    assert inspect(connection, contents, record.parent) == []
