from __future__ import annotations

import json
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from penstock.cli.app import app

if TYPE_CHECKING:
    from tests.servers.running import Running


def test_a_broker_is_measured(running: Running) -> None:
    arguments = ["bench", "--url", running.url, "-n", "200", "--size", "10", "--transient"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "200 transient messages of 10 bytes" in result.stderr
    assert result.stdout.splitlines()[0] == "measured\tvalue\tunit"
    found = json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)
    assert [each["unit"] for each in found] == ["messages/s", "messages/s", "µs", "µs"]


def test_nobody_there_is_told() -> None:
    result = CliRunner().invoke(app, ["bench", "--url", "amqp://127.0.0.1:1/"])
    assert result.exit_code == 1
    assert "is a broker running there" in result.stderr
