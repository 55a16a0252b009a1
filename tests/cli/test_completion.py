"""A shell completes commands and options, in the shell itself."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: Presses Tab behind the last word, as bash does.
TAB = """
source {script}
COMP_WORDS=({words} "")
[ -n "{begun}" ] && COMP_WORDS[-1]={begun}
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_penstock_completion penstock
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def penstock(*arguments: str, **environment: str) -> str:
    told = subprocess.run(  # noqa: S603  ours
        [sys.executable, "-m", "penstock", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
        timeout=60,
    )
    return told.stdout


@pytest.fixture
def tab(tmp_path: Path, real_program: Callable[[str], Path]) -> Callable[[str, str], list[str]]:
    """What bash offers behind some words, one of which may be begun."""
    bash = real_program("bash")
    script, command = tmp_path / "completion", tmp_path / "penstock"
    script.write_text(penstock(_PENSTOCK_COMPLETE="source_bash"))
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m penstock "$@"\n')
    command.chmod(0o755)

    def press(words: str, begun: str = "") -> list[str]:
        told = subprocess.run(  # noqa: S603  ours
            [bash, "-c", TAB.format(script=script, words=words, begun=begun)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
            timeout=60,
        )
        return told.stdout.split()

    return press


def test_bash_completes_commands_their_verbs_and_their_options(
    tab: Callable[[str, str], list[str]],
) -> None:
    assert {"up", "queues", "dead-letters"} <= set(tab("penstock", ""))
    assert tab("penstock", "que") == ["queues"]
    assert tab("penstock queues", "pu") == ["purge"]
    assert tab("penstock up", "--no-sa") == ["--no-sample"]
    assert tab("penstock", "nonsense") == []


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_given_a_script_and_answers(shell: str) -> None:
    script = penstock(_PENSTOCK_COMPLETE=f"source_{shell}")
    assert f"_PENSTOCK_COMPLETE=complete_{shell}" in script
    words = {"_TYPER_COMPLETE_ARGS": "penstock que", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert "queues" in penstock(_PENSTOCK_COMPLETE=f"complete_{shell}", **words)
