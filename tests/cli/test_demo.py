from __future__ import annotations

import io

import pytest
from rich.console import Console
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.cli.demo import show


@pytest.mark.parametrize(
    "line",
    [
        "through vip: all of (vip = True (boolean)) → queue express",
        "carpenter has done '10 nails'",
        "second 3600: carpenter rejects '1 hammer, in an hour': sold out",
        "rejected in orders: sold out",
        "no: there is no property 'vip'",
    ],
)
def test_the_demonstration_shows_what_the_wiring_does(line: str) -> None:
    output = io.StringIO()
    show(Console(file=output, width=120, highlight=False))
    assert line in output.getvalue()


def test_the_command_shows_it() -> None:
    result = CliRunner().invoke(app, ["demo"])
    assert (result.exit_code, "What is left" in result.output) == (0, True)
