"""Without Spark; with it, tests/pipelines/reconcile tells the story."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from penstock.cli.app import app

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/app.db"
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE threads (id INTEGER PRIMARY KEY)")
    engine.dispose()
    return url


def failed(*arguments: str, code: int) -> str:
    result = CliRunner().invoke(app, ["reconcile", *arguments], env={"COLUMNS": "200"})
    assert result.exit_code == code, result.output
    return result.output.strip()


def test_copies_are_not_taken_for_told(url: str) -> None:
    assert failed("--database", url, "--copy", url, "--assume-told", "threads", code=2) == (
        "penstock: --assume-told is for reconciling without --copy"
    )


def test_who_has_no_spark_is_told_how_to_get_it(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("penstock.pipelines.reconcile")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspark", None)
    assert failed("--database", url, "--copy", url, "threads", code=1) == (
        "penstock: copies are compared by Spark, which is not installed: pip install penstock[spark]"
    )
