from __future__ import annotations

import io
import runpy

import pytest
from rich.console import Console

from penstock import demo


def shown() -> str:
    output = io.StringIO()
    demo.main(Console(file=output, width=120, highlight=False))
    return output.getvalue()


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
    assert line in shown()


def test_run_starts_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(RuntimeWarning, match="found in sys.modules"):
        runpy.run_module("penstock.demo", run_name="__main__")
    assert "What is left" in capsys.readouterr().out
