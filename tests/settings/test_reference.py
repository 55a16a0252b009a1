from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from penstock.settings import OPTIONS, load, reference
from penstock.settings.reference import page
from tests.test_docs import blocks

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "settings.md"


def test_the_page_is_what_the_program_says() -> None:
    again = "python -m penstock.settings.reference docs/reference/settings.md"
    assert PAGE.read_text() == page(), f"write it anew: {again}"


@pytest.mark.parametrize("name", OPTIONS)
def test_every_setting_is_documented(name: str) -> None:
    (row,) = [line for line in page().splitlines() if line.startswith(f"| `{name}`")]
    assert OPTIONS[name].help in row
    assert OPTIONS[name].kind.takes in row


def test_secrets_are_marked() -> None:
    assert "| `default_password` * | `guest` |" in page()
    assert "| `amqps_key_password` * | `none` |" in page()


def test_the_example_on_the_page_can_be_read(tmp_path: Path) -> None:
    (example,) = [block.text for block in blocks(page()) if block.language == "toml"]
    file = tmp_path / "penstock.toml"
    file.write_text(example)
    assert list(load(config=file).templates) == ["jobs"]


def test_the_page_is_written_where_the_command_line_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["reference", str(tmp_path / "settings.md")])
    runpy.run_path(reference.__file__, run_name="__main__")
    assert (tmp_path / "settings.md").read_text() == page()
