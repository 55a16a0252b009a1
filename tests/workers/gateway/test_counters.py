from __future__ import annotations

from penstock.workers.gateway.counters import Counters


def test_counters_are_told_in_one_line() -> None:
    shown = str(Counters(connected=2, too_slow=1))
    assert shown.startswith("connected 2, opened 0, ")
    assert shown.endswith("too_slow 1")
