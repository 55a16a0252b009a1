from __future__ import annotations

from pathlib import Path

from penstock.messaging.alerts import KINDS

PAGE = Path(__file__).parents[3] / "docs" / "howto" / "alerts.md"


def test_every_kind_is_documented() -> None:
    page = PAGE.read_text()
    assert [kind for kind in KINDS if f"| `{kind}` |" not in page] == []
