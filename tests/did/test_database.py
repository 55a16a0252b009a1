from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from penstock.did.database import CACHE_KIB, LOGGED, PAGE, DomainDatabase, fetched
from penstock.errors import BadSetting, StoreError, Unavailable

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy.engine import Connection

T = sa.Table("t", sa.MetaData(), sa.Column("n", sa.Integer, primary_key=True))


def put(connection: Connection, n: int) -> str:
    connection.execute(sa.insert(T).values(n=n))
    return threading.current_thread().name


def count(connection: Connection) -> int:
    return connection.scalar(sa.select(sa.func.count()).select_from(T)) or 0


def test_work_is_done_in_a_transaction_and_in_order_by_one_thread(database: DomainDatabase) -> None:
    async def story() -> list[str]:
        return await asyncio.gather(*(database.run(put, n) for n in range(20)))

    database.do(T.create)
    assert len(set(asyncio.run(story()))) == 1
    assert database.do(count) == 20


def test_work_that_fails_leaves_nothing_and_is_a_store_error_without_values(database: DomainDatabase) -> None:
    def twice(connection: Connection) -> None:
        put(connection, 4711)
        put(connection, 4711)

    database.do(T.create)
    with pytest.raises(StoreError, match=r"^the domain's records cannot be read or written") as caught:
        database.do(twice)
    assert "INSERT" not in str(caught.value)
    assert database.do(count) == 0


def test_rows_are_fetched_as_the_driver_has_them(database: DomainDatabase) -> None:
    database.do(T.create)
    assert database.read(fetched, sa.select(T.c.n)) == []
    for n in (1, 2):
        database.do(put, n)
    assert database.read(fetched, sa.select(T.c.n).order_by(T.c.n)) == [(1,), (2,)]


def test_a_database_in_memory_is_one_for_all_threads(memory: DomainDatabase) -> None:
    memory.do(T.create)
    asyncio.run(memory.run(put, 1))
    assert memory.do(count) == 1


def test_who_reads_waits_for_nobody_who_writes(database: DomainDatabase) -> None:
    database.do(T.create)
    database.do(put, 1)

    async def story() -> int:
        with database.engine.begin() as writing:
            put(writing, 2)
            return await asyncio.wait_for(database.ask(count), 20)

    assert asyncio.run(story()) == 1
    assert database.read(count) == 2


def test_whether_it_is_there_can_be_asked(database: DomainDatabase) -> None:
    asyncio.run(database.check())
    gone = DomainDatabase("sqlite:////nowhere/at/all.db")
    with pytest.raises(StoreError):
        asyncio.run(gone.check())
    gone.close()


def test_it_is_away_only_if_it_is_for_everybody(memory: DomainDatabase) -> None:
    gone = DomainDatabase("sqlite:////nowhere/at/all.db")

    async def fail(database: DomainDatabase) -> None:
        async with database.blamed():
            await database.ask(count)

    # There is no such table, and there is no such database.
    for database, error in ((memory, Unavailable), (gone, StoreError)):
        with pytest.raises(error, match="cannot be read or written"):
            asyncio.run(fail(database))
    gone.close()


def test_what_cannot_be_read_is_a_store_error(database: DomainDatabase, memory: DomainDatabase) -> None:
    for each in (database, memory):
        with pytest.raises(StoreError):
            each.read(count)


def test_an_engine_that_is_given_stays_open(database_url: str) -> None:
    engine = sa.create_engine(database_url)
    DomainDatabase(engine).close()
    with engine.connect() as connection:
        assert connection.scalar(sa.select(1)) == 1
    engine.dispose()


def test_its_url_is_shown_without_the_password() -> None:
    database = DomainDatabase("postgresql://me:secret@localhost/domain")
    assert "secret" not in repr(database)
    database.close()


@pytest.mark.parametrize("url", ["mysql://localhost", "nonsense"])
def test_what_is_no_database_of_ours_is_refused(url: str) -> None:
    with pytest.raises(BadSetting, match="domain records are kept") as caught:
        DomainDatabase(url)
    assert caught.value.setting == "database"


@pytest.mark.parametrize("before", [None, 4096])
def test_a_new_file_has_large_pages_and_an_old_one_its_own(tmp_path: Path, before: int | None) -> None:
    file = tmp_path / "domain.db"
    if before is not None:
        with contextlib.closing(sqlite3.connect(file)) as older:
            older.execute(f"PRAGMA page_size = {before}")
            older.execute("CREATE TABLE older (n INTEGER)")
    database = DomainDatabase(f"sqlite:///{file}")
    database.do(T.create)
    assert database.do(lambda connection: connection.scalar(sa.text("PRAGMA page_size"))) == (before or PAGE)
    database.close()


def test_a_batch_has_room_in_memory_and_in_the_log(tmp_path: Path) -> None:
    database = DomainDatabase(f"sqlite:///{tmp_path}/domain.db")

    def told(connection: sa.Connection, name: str) -> object:
        return connection.scalar(sa.text(f"PRAGMA {name}"))

    # Whoever comes, and on whichever connection.
    for ask in (database.do, database.read):
        assert ask(told, "cache_size") == -CACHE_KIB
        assert ask(told, "wal_autocheckpoint") == LOGGED
    database.close()
