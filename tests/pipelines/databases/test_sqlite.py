from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from penstock.errors import BadSetting
from penstock.pipelines.databases import sqlite
from penstock.pipelines.databases.columns import Column, Kind
from penstock.pipelines.databases.port import Asked
from penstock.pipelines.databases.sqlite import SqliteTable
from tests.pipelines.databases.tables import ROWS, asked, filled, read

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/a file?.db"
    engine = sa.create_engine(sa.URL.create("sqlite", database=f"{tmp_path}/a file.db"))
    filled(engine)
    engine.dispose()
    return url.replace("?", "")


def test_every_row_is_read_once_however_the_table_is_cut(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "ROWS", 7)
    for parts in (1, 3, 1000):
        assert set(read(SqliteTable(url, asked()), parts)) == {(row["id"], row["part"]) for row in ROWS}


def test_a_row_is_told_in_words_that_all_databases_have(url: str) -> None:
    rows = read(SqliteTable(url, asked()))
    assert rows[-1, ""] == "|||||||||"
    assert rows[1, "p1"] == (
        "-49|0|0.25|3fc2492492492492|5:é1|:|x01|2026-01-01 00:00:00.5|2026-01-02|"
        f"{1:032x}"
        '|33:{"a": [0.5, null, "ü"], "bb": 1}'
    )


def test_a_table_without_rowids_is_one_part_and_keys_that_are_null_are_nobodys(tmp_path: Path) -> None:
    path = f"{tmp_path}/plain.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE named (name TEXT PRIMARY KEY) WITHOUT ROWID; INSERT INTO named VALUES ('a'), ('b');"
            "CREATE TABLE loose (name TEXT PRIMARY KEY); INSERT INTO loose VALUES ('a'), (NULL), (NULL);"
            "CREATE TABLE none (name TEXT PRIMARY KEY)"
        )
    key = (Column("name", Kind.TEXT),)
    told = {
        name: read(SqliteTable(f"sqlite:///{path}", Asked(table=name, key=key, content=())))
        for name in ("named", "loose", "none")
    }
    assert told == {"named": {("a",): "", ("b",): ""}, "loose": {("a",): ""}, "none": {}}


def test_what_is_in_memory_is_in_no_other_process() -> None:
    with pytest.raises(BadSetting, match="a database in memory cannot be read from elsewhere"):
        SqliteTable("sqlite://", asked())
