from __future__ import annotations

import re

import pytest

from penstock.store.queries import SQL_FOLDER, load, repeated


@pytest.mark.parametrize("file", ["read", "tidy", "write"])
def test_every_statement_has_a_name_of_its_own(file: str) -> None:
    text = (SQL_FOLDER / f"{file}.sql").read_text()
    assert len(load(file)) == len(re.findall(r";$", text, re.MULTILINE))


def test_a_query_is_what_stands_under_its_name() -> None:
    assert load("write")["undefine"] == "DELETE FROM definition\nWHERE kind = ? AND key = ?"


def test_an_insert_is_repeated() -> None:
    assert repeated("INSERT INTO t (a)\nVALUES (?)", 3) == "INSERT INTO t (a)\nVALUES (?), (?), (?)"
