from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import psycopg
import pytest
import sqlalchemy as sa

from penstock.errors import BadSetting
from penstock.messaging.engine import GIVE_UP
from penstock.outbox.opening import open_engine

if TYPE_CHECKING:
    from pathlib import Path


def test_databases_are_opened(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/x.db")
    with engine.connect() as connection:
        assert connection.scalar(sa.text("SELECT 1")) == 1
    engine.dispose()


def test_postgresql_is_reached_by_psycopg_and_given_up_if_it_is_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[dict[str, object]] = []
    monkeypatch.setattr(psycopg, "connect", lambda **more: told.append(more))
    engine = open_engine("postgresql://somebody@127.0.0.1:1/x?keepalives_count=9")
    assert engine.driver == "psycopg"
    with pytest.raises(AttributeError):
        # What was opened is nothing.
        engine.connect()
    assert told[0].items() >= ({**GIVE_UP, "keepalives_count": "9"}).items()


@pytest.mark.parametrize(
    ("url", "told"),
    [("nonsense", "a database is named like"), ("mysql://x/y", "in PostgreSQL or SQLite, not in mysql")],
)
def test_other_urls_are_refused(url: str, told: str) -> None:
    with pytest.raises(BadSetting, match=told):
        open_engine(url)


def test_a_missing_driver_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(BadSetting, match=r"pip install penstock\[postgresql\]"):
        open_engine("postgresql://x/y")
