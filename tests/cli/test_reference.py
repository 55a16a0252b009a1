from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from penstock.cli import reference
from penstock.cli.reference import ELSEWHERE, commands, page

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"
COMMANDS = dict(commands())
#: Written once for all tests.
WRITTEN = page()


def options(command: Any) -> list[str]:
    return [flag for each in command.params for flag in each.opts if flag.startswith("--")]


def test_the_page_is_what_the_commands_say() -> None:
    again = "python -m penstock.cli.reference docs/reference/commands.md"
    assert PAGE.read_text("utf-8") == WRITTEN, f"write it anew: {again}"


@pytest.mark.parametrize("name", COMMANDS)
def test_everything_about_a_command_is_documented(name: str) -> None:
    command = COMMANDS[name]
    chapter = WRITTEN.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    assert command.help
    assert [each.name for each in command.params if not each.help] == []
    if name not in ELSEWHERE:
        assert [flag for flag in options(command) if flag not in chapter] == []


def test_hidden_commands_are_nobodys_to_type() -> None:
    assert "penstock did run" not in COMMANDS


def test_the_page_can_be_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["reference", str(tmp_path / "commands.md")])
    runpy.run_path(reference.__file__, run_name="__main__")
    assert (tmp_path / "commands.md").read_text() == WRITTEN
