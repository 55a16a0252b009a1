"""What `penstock did replay` says before Spark is needed, and of what it has done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import typer
from typer.testing import CliRunner

from penstock.cli.did_replay import SHOWN, _show, replay
from penstock.errors import Unavailable
from penstock.pipelines.did.replay import Failed, Replayed

if TYPE_CHECKING:
    from pathlib import Path

app = typer.Typer()
app.command()(replay)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [([], "penstock:"), (["--from", "nowhere"], "penstock:"), (["--domain", "orb9"], "penstock:")],
)
def test_what_cannot_be_is_one_line(tmp_path: Path, arguments: list[str], told: str) -> None:
    result = CliRunner().invoke(app, ["--data", str(tmp_path), *arguments], env={"COLUMNS": "200"})
    assert result.exit_code == 2, result.output
    assert result.output.startswith(told)
    assert result.output.count("\n") == 1


def test_what_was_done_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    failed = tuple(Failed(f"uEi{n}", Unavailable("it is away")) for n in range(SHOWN + 2))
    _show(Replayed(known=1, observed=2, operations=30, left_out=4, failed=failed))
    told = capsys.readouterr().out
    assert "2 anchors observed with 30 operations, 1 were known before" in told
    assert "4 operations that nobody has signed were left out" in told
    assert told.count("it is away") == SHOWN
    assert "and 2 more" in told
    _show(Replayed(observed=1))
    assert capsys.readouterr().out.count("\n") == 1
