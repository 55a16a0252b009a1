"""What `penstock did audit` says before Spark is needed, and of what it has found."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer
from typer.testing import CliRunner

from penstock.cli import did_audit
from penstock.cli.did_audit import _show, _Telling, audit
from penstock.did.observing.findings import Finding
from penstock.pipelines.did.audit import Audit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pytest

app = typer.Typer()
app.command()(audit)


def test_a_folder_without_a_domain_is_one_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["--data", str(tmp_path)], env={"COLUMNS": "200"})
    assert result.exit_code == 2, result.output
    assert result.output.startswith("penstock: ")
    assert result.output.count("\n") == 1


def test_what_was_found_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    _show(Audit(anchors=1, dids=2, operations=3, findings=[]))
    assert capsys.readouterr().out == "1 anchors, 2 DIDs and 3 operations looked at: no findings\n"
    findings = [Finding(kind="missing", about=f"uEi{n}", reason="it is gone") for n in range(3)]
    _show(Audit(anchors=1, dids=2, operations=3, findings=findings))
    told = capsys.readouterr().out
    assert told.count("it is gone") == 3
    assert "3 missing\n" in told
    assert told.endswith("looked at: 3 findings\n")


def test_how_far_it_is_is_told_of_one_thing_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    @contextmanager
    def progress(what: str, *, is_quiet: bool) -> Iterator[Callable[[int, int], None]]:
        told.append(f"{what} begin, {is_quiet}")
        yield lambda done, total: told.append(f"{done} of {total} {what}")
        told.append(f"{what} end")

    monkeypatch.setattr(did_audit, "progress", progress)
    with _Telling(is_quiet=False) as telling:
        for done in (1, 2):
            telling.tell("anchors", done, 2)
        telling.tell("DIDs", 1, 1)
    assert told == [
        *("anchors begin, False", "1 of 2 anchors", "2 of 2 anchors", "anchors end"),
        *("DIDs begin, False", "1 of 1 DIDs", "DIDs end"),
    ]
