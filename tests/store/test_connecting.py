from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from penstock.errors import StoreForeign
from penstock.store import connecting
from penstock.store.connecting import open_reader, open_writer

if TYPE_CHECKING:
    from pathlib import Path


def pragma(connection: sqlite3.Connection, name: str) -> object:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def test_a_commit_is_durable_and_room_can_be_given_back(tmp_path: Path) -> None:
    with closing(open_writer(tmp_path / "db")) as writer:
        assert [pragma(writer, name) for name in ("journal_mode", "synchronous", "auto_vacuum")] == [
            "wal",
            2,
            2,
        ]
    with closing(open_writer(tmp_path / "db")) as writer:
        assert [pragma(writer, name) for name in ("journal_mode", "synchronous", "auto_vacuum")] == [
            "wal",
            2,
            2,
        ]


def test_the_reader_sees_what_is_committed_and_writes_nothing(tmp_path: Path) -> None:
    with closing(open_writer(tmp_path / "db")) as writer, closing(open_reader(tmp_path / "db")) as reader:
        writer.execute("BEGIN")
        writer.execute("INSERT INTO definition VALUES ('a', 'b', 'c')")
        assert reader.execute("SELECT count(*) FROM definition").fetchone() == (0,)
        writer.execute("COMMIT")
        assert reader.execute("SELECT count(*) FROM definition").fetchone() == (1,)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader.execute("DELETE FROM definition")


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "db")) as theirs:
        theirs.execute("CREATE TABLE theirs (a)")
    before = (tmp_path / "db").read_bytes()
    with pytest.raises(StoreForeign):
        open_writer(tmp_path / "db")
    assert ((tmp_path / "db").read_bytes(), [file.name for file in tmp_path.iterdir()]) == (before, ["db"])


def test_an_upgrade_that_fails_leaves_nothing_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "migrations", lambda: ["nonsense;"])
    with pytest.raises(sqlite3.OperationalError):
        open_writer(tmp_path / "db")


def test_a_new_store_has_large_pages_and_an_old_one_keeps_its_own(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "old")) as old:
        old.execute("PRAGMA journal_mode = WAL")
        old.execute("VACUUM")
    pages = {}
    for name in ("old", "new"):
        with closing(open_writer(tmp_path / name)) as connection:
            pages[name] = pragma(connection, "page_size")
    assert pages == {"old": 4096, "new": 8192}
