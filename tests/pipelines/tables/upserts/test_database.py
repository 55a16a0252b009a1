"""Batches on a real PostgreSQL and a real SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from penstock.errors import BadSetting, ColumnsChanged, TableError
from penstock.pipelines.tables.committing import Batch
from penstock.pipelines.tables.upserts.database import UpsertDatabase
from penstock.pipelines.tables.upserts.rows import Changes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COLUMNS = ("id", "at", "name")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'shop.db'}"
    found: str = request.getfixturevalue("postgresql_url")
    return found


@pytest.fixture
def engine(url: str) -> Iterator[sa.Engine]:
    made = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with made.begin() as connection:
        connection.execute(sa.text('CREATE TABLE orders (id int PRIMARY KEY, "at" int, name text NOT NULL)'))
        connection.execute(sa.text("CREATE TABLE loose (id int)"))
    yield made
    made.dispose()


@pytest.fixture
def database(url: str, engine: sa.Engine) -> Iterator[UpsertDatabase]:
    made = UpsertDatabase(url, "orders", ["id"], "at")
    made.check(COLUMNS)
    yield made
    made.close()


def rows(engine: sa.Engine) -> list[tuple[object, ...]]:
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(sa.text("SELECT * FROM orders ORDER BY id"))]


def upserts(*found: tuple[int, int | None, str | None]) -> Changes:
    return Changes(COLUMNS, list(found), [])


def test_rows_are_upserted_and_deleted(database: UpsertDatabase, engine: sa.Engine) -> None:
    assert database.apply(upserts((1, 1, "a"), (2, 1, "b"), (3, 1, "c")), Batch("q", 0))
    assert database.apply(Changes(COLUMNS, [(1, 2, "z")], [(2, 2), (3, 0), (9, 9)]), Batch("q", 1))
    assert rows(engine) == [(1, 2, "z"), (3, 1, "c")], "an older deletion is too late"


def test_a_batch_that_comes_again_changes_nothing(database: UpsertDatabase, engine: sa.Engine) -> None:
    database.apply(upserts((1, 1, "a")), Batch("q", 0))
    database.apply(upserts((1, 2, "b")), Batch("q", 1))
    assert not database.apply(upserts((1, 3, "c")), Batch("q", 0))
    assert not database.apply(upserts((1, 3, "c")), Batch("q", 1))
    assert database.apply(upserts((1, 1, "late")), Batch("another", 0))
    assert rows(engine) == [(1, 2, "b")], "and neither does an older row"


def test_a_refused_batch_leaves_no_trace_and_can_come_again(
    database: UpsertDatabase, engine: sa.Engine
) -> None:
    with pytest.raises(TableError, match="table orders refused the batch, nothing was changed"):
        database.apply(upserts((1, 1, "a"), (2, 1, None)), Batch("q", 0))
    assert rows(engine) == []
    assert database.apply(upserts((1, 1, "a")), Batch("q", 0))


def test_what_cannot_be_stored_is_refused_too(database: UpsertDatabase) -> None:
    if database.is_sqlite:
        pytest.skip("SQLite takes anything")
    with pytest.raises(TableError, match="refused the batch"):
        database.apply(Changes(COLUMNS, [("one", 1, "a")], []), Batch("q", 0))


@pytest.mark.usefixtures("database")
def test_a_database_that_takes_nothing_at_all_is_found_out_without_any_rows(url: str) -> None:
    # Given a database that is only read, as a standby is: otherwise each row would look guilty
    only_read = url.replace("sqlite:///", "sqlite:///file:") + "?mode=ro&uri=true"
    if url.startswith("postgresql"):
        only_read = url.replace("options=", "options=-cdefault_transaction_read_only%3Don%20")
    made = UpsertDatabase(only_read, "orders", ["id"], "at")
    with pytest.raises(TableError, match=r"orders refused the batch, nothing was changed: .*read-?only"):
        made.try_out(upserts())
    made.close()


def test_what_was_tried_out_is_not_there(database: UpsertDatabase, engine: sa.Engine) -> None:
    database.try_out(upserts((1, 1, "a")))
    assert rows(engine) == []
    assert database.apply(upserts((1, 1, "a")), Batch("q", 0))


@pytest.mark.parametrize(
    ("table", "key", "columns", "kind", "told"),
    [
        ("none", ["id"], ["id"], TableError, "there is no table none"),
        ("orders", ["id"], ["id", "colour"], ColumnsChanged, "table orders has no column colour: add it"),
        ("loose", ["id"], ["id"], TableError, "may hold several rows with the same id"),
    ],
)
def test_what_does_not_fit_is_told_before_anything_is_started(
    url: str,
    engine: sa.Engine,
    table: str,
    key: list[str],
    columns: list[str],
    kind: type[Exception],
    told: str,
) -> None:
    made = UpsertDatabase(url, table, key)
    with pytest.raises(kind, match=told):
        made.check(columns)
    made.close()


def test_a_schema_can_be_named(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'shop.db'}"
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE orders (id int UNIQUE)"))
    made = UpsertDatabase(url, "main.orders", ["id"])
    made.check(["id"])
    assert made.apply(Changes(("id",), [(1,), (1,)], []), Batch("q", 0))
    made.close()
    engine.dispose()


@pytest.mark.parametrize(
    ("url", "told"),
    [("mysql://x/y", "into PostgreSQL or SQLite, not into mysql"), ("nonsense", "a database is named like")],
)
def test_other_databases_are_refused(url: str, told: str) -> None:
    with pytest.raises(BadSetting, match=told):
        UpsertDatabase(url, "t", ["id"])


def test_a_database_that_is_not_there_is_told() -> None:
    made = UpsertDatabase("postgresql://nobody@127.0.0.1:1/none", "t", ["id"])
    with pytest.raises(TableError, match="the database could not be asked"):
        made.check(["id"])
    made.close()
