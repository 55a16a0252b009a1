from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.messaging import reference
from penstock.messaging.reference import page
from penstock.messaging.settings import MESSAGING_OPTIONS

if TYPE_CHECKING:
    import pytest

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "messaging-settings.md"


def test_the_page_is_what_the_options_say() -> None:
    again = "python -m penstock.messaging.reference docs/reference/messaging-settings.md"
    assert PAGE.read_text("utf-8") == page(), f"write it again: {again}"


def test_every_option_is_on_the_page() -> None:
    assert [name for name in MESSAGING_OPTIONS if f"| `{name}`" not in page()] == []
    assert "| `mq_url` * | `none` |" in page()
    assert "| `mq_redelivery_max_interval` | `30s` |" in page()


def test_the_page_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["reference", str(tmp_path / "page.md")])
    runpy.run_path(reference.__file__, run_name="__main__")
    assert (tmp_path / "page.md").read_text("utf-8") == page()
