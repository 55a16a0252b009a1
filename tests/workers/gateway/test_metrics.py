from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from penstock.workers.gateway.counters import Counters
from penstock.workers.gateway.metrics import MEANINGS, metric_of, told

DOCS = Path(__file__).parents[3] / "docs" / "reference" / "metrics.md"


def test_every_counter_has_a_meaning_and_stands_in_the_docs() -> None:
    assert list(MEANINGS) == [field.name for field in fields(Counters)]
    text = DOCS.read_text()
    assert [name for name in MEANINGS if f"| `{metric_of(name)}` |" not in text] == []


def test_what_goes_down_is_a_gauge() -> None:
    text = told(Counters(connected=2, sent=7)).decode()
    assert text.startswith(
        "# HELP penstock_gateway_connected Clients with a session\n"
        "# TYPE penstock_gateway_connected gauge\n"
        "penstock_gateway_connected 2\n"
    )
    assert "# TYPE penstock_gateway_sent_total counter\npenstock_gateway_sent_total 7\n" in text
