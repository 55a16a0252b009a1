"""What views are called; what they show is in test_log.py."""

from __future__ import annotations

import pytest

from penstock.pipelines.event_log.views import view_name


@pytest.mark.parametrize(
    ("kind", "name"),
    [("OrderPlaced", "events_orderplaced"), ("a.b/v2", "events_a_b_v2"), ("-Größe-", "events_gr_e")],
)
def test_a_view_of_a_type(kind: str, name: str) -> None:
    assert view_name(kind) == name
