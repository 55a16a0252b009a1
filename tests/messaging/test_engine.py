from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier
from typing import TYPE_CHECKING, Any, Final

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError, InvalidRequestError, OperationalError

from penstock.errors import BadSetting, NotStorable, StoreError
from penstock.messaging import engine as module
from penstock.messaging.engine import GIVE_UP, open_engine, translating
from penstock.messaging.subscriptions import ErrorClasses
from penstock.messaging.subscriptions.failure import ErrorClass

if TYPE_CHECKING:
    from pathlib import Path

#: As many as it takes to see that one of them was refused.
ROUNDS: Final = 100


def test_a_file_is_written_for_certain(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/x.db")
    with engine.begin() as connection:
        assert connection.execute(sa.text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(sa.text("PRAGMA synchronous")).scalar() == 2
        assert connection.connection.dbapi_connection.in_transaction  # type: ignore[union-attr]
    engine.dispose()


def test_several_may_make_a_file_at_once(tmp_path: Path) -> None:
    for number in range(ROUNDS):
        engines = [open_engine(f"sqlite:///{tmp_path}/{number}.db") for _ in range(6)]
        begin = Barrier(len(engines))

        def write(engine: sa.Engine, begin: Barrier = begin) -> None:
            begin.wait()
            with engine.begin() as connection:
                connection.execute(sa.text("CREATE TABLE IF NOT EXISTS x (y INTEGER)"))

        with ThreadPoolExecutor(len(engines)) as threads:
            assert list(threads.map(write, engines)) == [None] * len(engines)
        for engine in engines:
            engine.dispose()


def test_a_file_that_cannot_be_opened_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"no database, however long it is looked at" * 100)
    with pytest.raises(DatabaseError, match="file is not a database"):
        open_engine(f"sqlite:///{tmp_path}/x.db").connect()
    with pytest.raises(OperationalError, match="unable to open database file"):
        open_engine(f"sqlite:///{tmp_path}/nowhere/x.db").connect()


def test_who_waits_for_a_file_too_long_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BUSY_S", 0.05)
    with closing(sqlite3.connect(tmp_path / "x.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(OperationalError, match="database is locked"):
            open_engine(f"sqlite:///{tmp_path}/x.db").connect()


def test_in_memory_there_is_one_database() -> None:
    engine = open_engine("sqlite://")
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE x (y INTEGER)"))
    with engine.begin() as connection:
        assert connection.execute(sa.text("SELECT * FROM x")).all() == []
    engine.dispose()


def test_postgresql_is_reached_with_psycopg() -> None:
    engine = open_engine("postgresql://user:sesame@host/db")
    assert engine.url.drivername == "postgresql+psycopg"


def told_to_psycopg(monkeypatch: pytest.MonkeyPatch, url: str) -> dict[str, Any]:
    """What the driver is told when an engine for this URL connects."""
    told: dict[str, Any] = {}

    def connect(*_: object, **more: Any) -> Any:
        told.update(more)
        raise psycopg.OperationalError("nobody is there")

    monkeypatch.setattr(psycopg, "connect", connect)
    with pytest.raises(OperationalError, match="nobody is there"):
        open_engine(url).connect()
    return told


def test_a_server_that_is_silent_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGCONNECT_TIMEOUT", raising=False)
    told = told_to_psycopg(monkeypatch, "postgresql://somebody@127.0.0.1:1/x")
    assert told["host"] == "127.0.0.1"
    assert {name: told[name] for name in GIVE_UP} == GIVE_UP
    assert GIVE_UP["connect_timeout"] <= 60
    probed_for = GIVE_UP["keepalives_idle"] + GIVE_UP["keepalives_count"] * GIVE_UP["keepalives_interval"]
    assert probed_for * 1000 == GIVE_UP["tcp_user_timeout"] <= 60_000


def test_when_it_is_given_up_is_the_users_to_say(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {"connect_timeout": "7", "keepalives_idle": "300", "tcp_user_timeout": "0"}
    said = "&".join(f"{name}={value}" for name, value in own.items())
    told = told_to_psycopg(monkeypatch, f"postgresql://somebody@127.0.0.1:1/x?{said}")
    assert {name: str(told[name]) for name in own} == own
    assert told["keepalives_count"] == GIVE_UP["keepalives_count"]
    # So has libpq a variable for the one of them that it asks the environment for.
    monkeypatch.setenv("PGCONNECT_TIMEOUT", "3")
    assert "connect_timeout" not in told_to_psycopg(monkeypatch, "postgresql://somebody@127.0.0.1:1/x")


def test_an_old_library_is_told_nothing_that_it_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psycopg.pq, "version", lambda: 110_000)
    assert "tcp_user_timeout" not in told_to_psycopg(monkeypatch, "postgresql://somebody@127.0.0.1:1/x")


def test_a_server_that_is_there_takes_it(postgresql_url: str) -> None:
    engine = open_engine(postgresql_url)
    with engine.connect() as connection:
        assert connection.scalar(sa.text("SELECT 1")) == 1
        raw: Any = connection.connection.driver_connection
        assert raw.info.get_parameters()["keepalives_idle"] == str(GIVE_UP["keepalives_idle"])
    engine.dispose()


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("dead-letters.db", "a URL like sqlite:///dead-letters.db"),
        ("mysql://host/db", "in SQLite or PostgreSQL, not in mysql"),
    ],
)
def test_another_url_is_told(url: str, told: str) -> None:
    with pytest.raises(BadSetting, match=told):
        open_engine(url)


def test_errors_do_not_tell_what_was_to_be_written() -> None:
    with (
        pytest.raises(StoreError, match="it cannot be read or written: disk I/O error") as caught,
        translating("it"),
    ):
        raise OperationalError("INSERT INTO x", {"body": "sesame"}, Exception("disk I/O error"))
    assert "sesame" not in f"{caught.value} {caught.value.__cause__}"
    with pytest.raises(StoreError, match="InvalidRequestError"), translating("it"):
        raise InvalidRequestError("sesame")


@pytest.mark.parametrize(
    "value", ["a\0", "".join(map(str, range(30_000)))], ids=["NUL", "too long for an index"]
)
def test_what_a_database_can_never_hold_is_not_tried_again(postgresql_url: str, value: str) -> None:
    engine = open_engine(postgresql_url)
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE held (name TEXT PRIMARY KEY)"))
    with pytest.raises(NotStorable) as caught, translating("it"), engine.begin() as connection:
        connection.execute(sa.text("INSERT INTO held VALUES (:name)"), {"name": value})
    assert ErrorClasses(transient=(StoreError,)).of(caught.value) is ErrorClass.PERSISTENT
    # A mistake of ours is none of the value's.
    with pytest.raises(StoreError), translating("it"), engine.begin() as connection:
        connection.execute(sa.text("INSERT INTO nowhere VALUES (:name)"), {"name": "a"})
    engine.dispose()


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/no/x.db")
    with pytest.raises(StoreError, match="unable to open database file"), translating("it"), engine.begin():
        pass


def test_without_psycopg_it_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def create(*_: object, **__: object) -> None:
        raise ModuleNotFoundError("No module named 'psycopg'")

    monkeypatch.setattr(module, "create_engine", create)
    with pytest.raises(BadSetting, match=r"pip install penstock\[postgresql\]"):
        open_engine("postgresql://host/db")


class Hasty:
    """A connection of SQLite's that is refused a few times without a wait, as who makes a file may be."""

    def __init__(self, *errors: int) -> None:
        self._errors = list(errors)
        self.done: list[str] = []

    def execute(self, statement: str) -> None:
        if self._errors:
            error = sqlite3.OperationalError("refused")
            error.sqlite_errorcode = self._errors.pop(0)
            raise error
        self.done.append(statement)


def test_who_is_refused_without_a_wait_tries_again() -> None:
    hasty = Hasty(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_BUSY_RECOVERY)
    module._write_ahead(hasty)
    assert hasty.done == ["PRAGMA journal_mode = WAL"]
    with pytest.raises(sqlite3.OperationalError):
        module._write_ahead(Hasty(sqlite3.SQLITE_CANTOPEN))
