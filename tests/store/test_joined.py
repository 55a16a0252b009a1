from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.store import END, Batch, Joined, SqliteStore
from penstock.store.joined import SQL, fetch_raw
from tests.store.support import plain, unjoined

FRONT = plain([1]).plain_messages[0][1]


@given(
    st.lists(st.binary(max_size=60), min_size=3, max_size=8)
    # The first as long as the last, whatever is between; and all of one length.
    | st.lists(st.binary(min_size=1, max_size=2), min_size=3, max_size=8)
)
def test_contents_are_joined_byte_by_byte(contents: list[bytes]) -> None:
    batch = Batch(1)
    for number, content in enumerate(contents, 1):
        batch.plain_messages.append((number, FRONT, content, "p", "d", len(content)))
        batch.plain_references.append((1, 0, number, number))
    with TemporaryDirectory() as folder, closing(SqliteStore(Path(folder))) as store:
        store.write(batch)
        found = store.fetch_raw(FRONT, 1, 0, -END, END, 99)
        assert isinstance(found, Joined)
        assert [content for _, content, *_ in unjoined(found)] == contents


@pytest.mark.parametrize(("rows", "is_joined"), [(1, False), (2, True), (1000, True)])
def test_what_is_alike_is_joined(tmp_path: Path, rows: int, *, is_joined: bool) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        store.write(plain(range(1, rows + 1)))
        found = store.fetch_raw(FRONT, 1, 0, -END, END, 9999)
        assert (isinstance(found, Joined), len(unjoined(found))) == (is_joined, rows)
        assert [row[0] for row in unjoined(found)] == list(range(1, rows + 1))


def test_no_more_are_joined_than_are_wanted(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        store.write(plain(range(1, 100)))
        found = store.fetch_raw(FRONT, 1, 0, 10, 90, 20)
        assert isinstance(found, Joined)
        assert found.sequences == range(10, 30)


class _Interrupted(sqlite3.Connection):
    """All messages are gone before one of the questions."""

    question = ""

    def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
        if sql == SQL[self.question]:
            super().execute("DELETE FROM message")
        return super().execute(sql, *given)


@pytest.mark.parametrize("question", ["first", "neighbours", "contents"])
def test_what_goes_between_two_questions_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    monkeypatch.setattr(_Interrupted, "question", question)
    batch = Batch(1)
    for number in range(1, 4):
        batch.plain_messages.append((number, FRONT, bytes(number), "p", "d", number))
        batch.plain_references.append((1, 0, number, number))
    with closing(SqliteStore(tmp_path)) as store:
        store.write(batch)
        [path] = tmp_path.glob("*.db")
        place = {"queue": 1, "priority": 0, "first": 0, "below": 9, "limit": 9, "void": 0, "front": FRONT}
        with closing(sqlite3.connect(path, factory=_Interrupted, isolation_level=None)) as connection:
            assert fetch_raw(connection, place) == []
