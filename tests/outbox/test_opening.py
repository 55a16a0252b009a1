from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from penstock.errors import BadSetting
from penstock.outbox.opening import open_engine

if TYPE_CHECKING:
    from pathlib import Path


def test_databases_are_opened(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/x.db")
    with engine.connect() as connection:
        assert connection.scalar(sa.text("SELECT 1")) == 1
    engine.dispose()


def test_postgresql_is_reached_by_psycopg() -> None:
    assert open_engine("postgresql://somebody@127.0.0.1:1/x").driver == "psycopg"


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
