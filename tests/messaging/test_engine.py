from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import InvalidRequestError, OperationalError

from penstock.errors import BadSetting, StoreError
from penstock.messaging import engine as module
from penstock.messaging.engine import open_engine, translating

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_written_for_certain(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/x.db")
    with engine.begin() as connection:
        assert connection.execute(sa.text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(sa.text("PRAGMA synchronous")).scalar() == 2
        assert connection.connection.dbapi_connection.in_transaction  # type: ignore[union-attr]
    engine.dispose()


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
