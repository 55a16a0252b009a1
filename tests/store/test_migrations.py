from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from penstock.errors import StoreForeign, StoreTooNew
from penstock.store.migrations import APPLICATION_ID, check, migrations, upgrade, version_of

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACE = Path("/data/penstock.db")
FIRST = "CREATE TABLE one (a);\nINSERT INTO one VALUES ('kept; as it is');"
SECOND = "ALTER TABLE one ADD COLUMN b DEFAULT 'new';"


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    made = sqlite3.connect(":memory:", isolation_level=None)
    yield made
    made.close()


def test_an_empty_one_is_brought_to_this_version(connection: sqlite3.Connection) -> None:
    check(connection, PLACE, newest=2)
    upgrade(connection, [FIRST, SECOND])
    check(connection, PLACE, newest=2)
    assert (version_of(connection), connection.execute("SELECT * FROM one").fetchall()) == (
        2,
        [("kept; as it is", "new")],
    )


def test_an_older_one_is_upgraded_and_keeps_what_it_had(connection: sqlite3.Connection) -> None:
    upgrade(connection, [FIRST])
    connection.execute("INSERT INTO one VALUES ('mine')")
    upgrade(connection, [FIRST, SECOND])
    upgrade(connection, [FIRST, SECOND])
    assert connection.execute("SELECT a, b FROM one").fetchall() == [
        ("kept; as it is", "new"),
        ("mine", "new"),
    ]


def test_an_upgrade_that_fails_leaves_the_old_version(connection: sqlite3.Connection) -> None:
    upgrade(connection, [FIRST])
    with pytest.raises(sqlite3.OperationalError):
        upgrade(connection, [FIRST, SECOND, "SELECT nonsense FROM nowhere;"])
    assert (version_of(connection), connection.in_transaction) == (1, False)
    assert len(connection.execute("SELECT * FROM one").description) == 1


def test_a_newer_one_is_refused(connection: sqlite3.Connection) -> None:
    upgrade(connection, [FIRST, SECOND])
    with pytest.raises(StoreTooNew, match=r"penstock\.db has layout 2, and this Penstock knows up to 1"):
        check(connection, PLACE, newest=1)


@pytest.mark.parametrize("setup", ["CREATE TABLE theirs (a);", "PRAGMA application_id = 77;"])
def test_one_of_another_program_is_refused(connection: sqlite3.Connection, setup: str) -> None:
    connection.executescript(setup)
    with pytest.raises(StoreForeign, match="another program"):
        check(connection, PLACE, newest=1)


def test_the_layout_is_the_sum_of_the_migrations(connection: sqlite3.Connection) -> None:
    upgrade(connection, migrations())
    tables = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    ).fetchall()
    assert [name for (name,) in tables] == ["cleared", "definition", "message", "reference", "taken"]
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
