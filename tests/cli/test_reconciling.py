"""Without Spark; with it, tests/pipelines/reconcile tells the story."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.cli.reconciling import _shown, _told
from penstock.outbox import Change

if TYPE_CHECKING:
    from collections.abc import Callable
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


class Work:
    """What Spark would have found: two differences of one table."""

    def __init__(self) -> None:
        self.tables = [SimpleNamespace(name="threads")]
        self.is_written = False

    def compared(self, _spark: object, _shared: object) -> Any:
        found = SimpleNamespace(
            counts={("copy.db", "created"): 2},
            samples=lambda: [("copy.db", "threads created: id=1")],
            lines=lambda: [("copy.db", f"threads created: id={number}") for number in (1, 2)],
            told=lambda: {"created": 2},
        )
        return nullcontext(found)

    def write_down(self, _shared: object, _comparison: object) -> None:
        self.is_written = True

    def left(self, _shared: object) -> int:
        return 2 if self.is_written else 0

    def tell(self, _shared: object, on_change: Callable[[Change], object]) -> None:
        for number in range(2):
            on_change(Change(table="threads", kind="created", key={"id": number}, row={}))


@pytest.mark.parametrize("err", [False, True])
def test_what_people_are_shown_does_not_stand_in_the_way_of_json(
    capsys: pytest.CaptureFixture[str], *, err: bool
) -> None:
    work: Any = Work()
    assert _shown(work, lambda: None, is_verbose=False, err=err) == {("threads", "created"): 2}
    told = capsys.readouterr()
    assert (told.err if err else told.out).splitlines() == [
        "threads in copy.db: 2 to be created",
        "  copy.db: threads created: id=1",
    ]
    assert (told.out if err else told.err) == ""


def test_who_wants_every_row_is_shown_every_row(capsys: pytest.CaptureFixture[str]) -> None:
    work: Any = Work()
    _shown(work, lambda: None, is_verbose=True, err=False)
    assert capsys.readouterr().out.splitlines()[1:] == [
        "  copy.db: threads created: id=1",
        "  copy.db: threads created: id=2",
    ]


def test_what_is_told_is_counted() -> None:
    work: Any = Work()
    changes: list[Change] = []
    assert _told(work, lambda: None, changes.append, is_quiet=False) == {("threads", "created"): 2}
    assert len(changes) == 2
