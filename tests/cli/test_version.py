from __future__ import annotations

import json
import platform

from typer.testing import CliRunner

from penstock import __version__
from penstock.cli.app import app


def test_the_version_says_what_a_bug_report_needs() -> None:
    result = CliRunner().invoke(app, ["version"])
    assert result.exit_code == 0
    assert result.output.startswith(f"penstock {__version__}, Python {platform.python_version()}, ")


def test_a_program_is_told_the_same() -> None:
    found = json.loads(CliRunner().invoke(app, ["version", "--json"]).stdout)
    assert found["penstock"] == __version__
