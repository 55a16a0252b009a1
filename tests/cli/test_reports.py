"""What `penstock reports` says before Spark is needed; what it does with it is in tests/pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.cli.reports import KNOWN, _fields
from penstock.pipelines.reports import NAMES, Report

if TYPE_CHECKING:
    from pathlib import Path


def test_a_report_that_is_not_there_is_told(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["reports", "--log", str(tmp_path), "weather"], env={"COLUMNS": "200"})
    assert (result.exit_code, result.output) == (
        2,
        "penstock: there is no report weather; there are rates, retries, failures, lead-times\n",
    )


def test_the_command_knows_the_reports_that_there_are() -> None:
    assert KNOWN == NAMES


def test_a_program_is_told_rows_by_name() -> None:
    report = Report(name="rates", title="Rates", columns=("day", "events"), rows=[("monday", 3)])
    assert _fields(report) == {"title": "Rates", "rows": [{"day": "monday", "events": 3}], "note": ""}
