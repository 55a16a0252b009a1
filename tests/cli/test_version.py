from __future__ import annotations

import platform

from typer.testing import CliRunner

from penstock import __version__
from penstock.cli.app import app


def test_the_version_says_what_a_bug_report_needs() -> None:
    result = CliRunner().invoke(app, ["version"])
    assert result.exit_code == 0
    assert result.output.startswith(f"penstock {__version__}, Python {platform.python_version()}, ")
