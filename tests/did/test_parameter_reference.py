from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.did import parameter_reference
from penstock.did.parameter_reference import page
from penstock.did.parameters import OTHER_NAMES, PARAMETERS, flag_of, variable_of

if TYPE_CHECKING:
    import pytest

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "did-parameters.md"


def test_the_page_is_what_the_parameters_say() -> None:
    again = "python -m penstock.did.parameter_reference docs/reference/did-parameters.md"
    assert PAGE.read_text("utf-8") == page(), f"write it again: {again}"


def test_every_parameter_is_on_the_page_with_its_names_and_default() -> None:
    rows = [f"| `{flag_of(name)}` | `{variable_of(name)}` |" for name in PARAMETERS]
    assert [row for row in rows if page().count(row) != 1] == []
    assert "| `--op-queue-repost-max-delay` | `OP_QUEUE_REPOST_MAX_DELAY` | `1m` |" in page()
    assert [other for other in OTHER_NAMES if f"| `--{other}` |" not in page()] == []


def test_a_chapter_comes_once() -> None:
    chapters = [line for line in page().splitlines() if line.startswith("## ")]
    assert len(chapters) == len(set(chapters))


def test_the_page_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["reference", str(tmp_path / "page.md")])
    runpy.run_path(parameter_reference.__file__, run_name="__main__")
    assert (tmp_path / "page.md").read_text("utf-8") == page()
