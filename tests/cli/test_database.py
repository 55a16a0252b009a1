from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.desk import Desk


def test_an_outbox_that_is_not_there_is_told(quiet: Desk) -> None:
    assert "no such table: elsewhere" in quiet.run("status", "--outbox", "elsewhere", code=1)


def test_a_database_that_is_not_there_is_told(quiet: Desk) -> None:
    url = "postgresql://nobody@127.0.0.1:1/nothing"
    assert "the database" in quiet.run("status", "--database", url, code=1)
