"""What `penstock replay` says before Spark is needed; what it does with it is in tests/pipelines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from penstock.cli.app import app

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("arguments", "told", "code"),
    [
        ([], "penstock: which ones? Say --from", 2),
        (["--to-consumer", "q"], "penstock: which ones? Say --from", 2),
        (["--since", "yesterday"], "penstock: from: 'yesterday' is no instant like", 2),
        (["--all"], "penstock: which broker?", 2),
        (["--all", "--url", "amqp://x/", "--rate", "0"], "penstock: rate: more than 0 a second, not 0.0", 2),
        (["--all", "--dry-run"], "penstock: there is no event log at", 1),
    ],
)
def test_what_cannot_be_is_one_line(tmp_path: Path, arguments: list[str], told: str, code: int) -> None:
    command = ["replay", "--log", str(tmp_path), *arguments]
    result = CliRunner().invoke(app, command, env={"COLUMNS": "200", "MQ_URL": None})
    assert result.exit_code == code, result.output
    assert result.output.startswith(told)
    assert result.output.count("\n") == 1
