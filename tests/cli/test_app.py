from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from penstock import __version__
from penstock.cli import main
from penstock.cli.app import app


def test_without_a_command_the_commands_are_listed() -> None:
    output = CliRunner().invoke(app, []).output
    assert "`penstock up` starts all of it" in output
    places = [output.index(word) for word in ("Begin here", "│ up", "│ broker", "│ queues", "│ pipelines")]
    assert places == sorted(places)


def test_no_command_is_without_a_heading() -> None:
    # What has none would stand before all others.
    assert "─ Commands ─" not in CliRunner().invoke(app, ["--help"]).output
    assert "─ Commands ─" not in CliRunner().invoke(app, ["did", "--help"]).output


def test_the_program_is_called_penstock(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["/usr/bin/penstock", "--help"])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 0
    assert "Usage: penstock [OPTIONS] COMMAND" in capsys.readouterr().out


def test_the_package_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "penstock", "version"]
    told = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 (written here)
    assert told.stdout.startswith(f"penstock {__version__}")
