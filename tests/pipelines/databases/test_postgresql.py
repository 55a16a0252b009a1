from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from psycopg.conninfo import conninfo_to_dict

from penstock.errors import BadSetting
from penstock.messaging.engine import GIVE_UP
from penstock.pipelines.databases import postgresql
from penstock.pipelines.databases.columns import Column, Kind
from penstock.pipelines.databases.port import Asked
from penstock.pipelines.databases.postgresql import PostgresqlTable, blocks_of, hash_alike, libpq, shared_out
from penstock.pipelines.databases.sqlite import SqliteTable
from tests.pipelines.databases.tables import ROWS, asked, filled, read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy.engine import Engine


@pytest.fixture
def engine(postgresql_url: str) -> Iterator[Engine]:
    engine = sa.create_engine(postgresql_url)
    yield engine
    engine.dispose()


def test_a_server_that_is_silent_is_given_up_unless_its_url_says_otherwise() -> None:
    told = conninfo_to_dict(libpq("postgresql+psycopg://me:secret@host/db?keepalives_count=9"))
    assert (told["host"], told["password"]) == ("host", "secret")
    patience = {name: str(value) for name, value in GIVE_UP.items()}
    assert told.items() >= (patience | {"keepalives_count": "9"}).items()


def test_every_row_is_read_once_however_the_table_is_cut(
    engine: Engine, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(engine)
    monkeypatch.setattr(postgresql, "BLOCK", 1)
    for parts in (1, 2, 1000):
        assert set(read(PostgresqlTable(postgresql_url, asked()), parts)) == {
            (row["id"], row["part"]) for row in ROWS
        }


def test_a_row_is_told_as_in_sqlite(engine: Engine, postgresql_url: str, tmp_path: Path) -> None:
    other = sa.create_engine(f"sqlite:///{tmp_path}/other.db")
    for each in (engine, other):
        filled(each)
    other.dispose()
    assert read(PostgresqlTable(postgresql_url, asked())) == read(
        SqliteTable(f"sqlite:///{tmp_path}/other.db", asked())
    )


def test_servers_that_hash_alike_tell_two_rows_apart_by_a_number(engine: Engine, postgresql_url: str) -> None:
    assert hash_alike([postgresql_url, postgresql_url])
    filled(engine)
    hashed = PostgresqlTable(postgresql_url, replace(asked(), is_hashed=True))
    before = read(hashed)
    assert len(set(before.values())) == len(before) == len(ROWS)
    # Other types, the same values, and one row that is another.
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "ALTER TABLE things ALTER whole TYPE numeric, ALTER price TYPE numeric, ALTER more TYPE jsonb,"
            ' ALTER "Title of it" TYPE varchar, ALTER known_by TYPE text'
        )
        connection.exec_driver_sql("UPDATE things SET data = NULL WHERE id = -2")
    after = read(hashed)
    assert {key for key in before if before[key] != after[key]} == {(-2, "p0")}


def test_all_parts_are_of_one_moment(engine: Engine, postgresql_url: str) -> None:
    filled(engine)
    with PostgresqlTable(postgresql_url, asked()).opened(2) as parts:
        with engine.begin() as connection:
            connection.execute(sa.text("DELETE FROM things"))
        # As they travel to executors.
        found = [batch for part in parts for batch in pickle.loads(pickle.dumps(part)).batches()]  # noqa: S301 (made here)
    assert sum(batch.num_rows for batch in found) == len(ROWS)
    assert read(PostgresqlTable(postgresql_url, asked())) == {}


def test_the_partitions_of_a_table_are_read_and_nothing_else_in_it(
    engine: Engine, postgresql_url: str
) -> None:
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE days (id bigint PRIMARY KEY) PARTITION BY RANGE (id)")
        for first in (0, 10):
            connection.exec_driver_sql(
                f"CREATE TABLE days_{first} PARTITION OF days FOR VALUES FROM ({first}) TO ({first + 10})"
            )
        connection.exec_driver_sql("INSERT INTO days SELECT generate_series(0, 19)")
    question = Asked(table="days", key=(Column("id", Kind.INTEGER),), content=())
    assert set(read(PostgresqlTable(postgresql_url, question))) == {(number,) for number in range(20)}


def test_what_keeps_no_rows_is_refused(engine: Engine, postgresql_url: str) -> None:
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE VIEW things AS SELECT 1 AS id")
    with (
        pytest.raises(BadSetting, match="there is no table things, or it keeps no rows itself"),
        PostgresqlTable(postgresql_url, asked()).opened(1),
    ):
        pass


def test_only_unicode_can_be_compared(postgresql_url: str) -> None:
    engine = sa.create_engine(postgresql_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(
            "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
        )
    engine.dispose()
    url = sa.make_url(postgresql_url).set(database="latin").render_as_string(hide_password=False)
    with (
        pytest.raises(BadSetting, match="the database's encoding is LATIN1, and only UTF8 can be compared"),
        PostgresqlTable(url, asked()).opened(1),
    ):
        pass


def test_a_part_does_not_tell_the_password() -> None:
    part = postgresql.PostgresqlPart(url="postgresql://a:secret@b/c", snapshot="1", asked=asked(), blocks=())
    assert "secret" not in repr(part)


def test_blocks_are_small_enough_and_cover_the_table() -> None:
    file = postgresql._File("t", pages=10, size=10 * 8192)
    assert [(block.first, block.end) for block in blocks_of(file, 3)] == [(0, 4), (4, 8), (8, 10)]
    heavy = postgresql._File("t", pages=4, size=3 * postgresql.BLOCK)
    assert [block.first for block in blocks_of(heavy, 1)] == [0, 1, 2, 3]
    assert blocks_of(postgresql._File("t", pages=0, size=0), 3) == []


def test_parts_are_neighbouring_blocks() -> None:
    blocks = blocks_of(postgresql._File("t", pages=5, size=5 * postgresql.BLOCK), 1)
    assert [[block.first for block in some] for some in shared_out(blocks, 2)] == [[0, 1, 2], [3, 4]]
    assert list(shared_out([], 2)) == []
