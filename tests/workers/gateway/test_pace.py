from __future__ import annotations

from penstock.workers.gateway.pace import Pace


def test_so_many_at_once_and_then_so_many_a_second() -> None:
    pace = Pace(rate=2, burst=3, now=10.0)
    assert [pace.takes(10.0) for _ in range(4)] == [True, True, True, False]
    assert [pace.takes(10.5), pace.takes(10.5)] == [True, False]


def test_a_pause_saves_up_no_more_than_a_burst() -> None:
    pace = Pace(rate=2, burst=3, now=0.0)
    assert [pace.takes(1000.0) for _ in range(4)] == [True, True, True, False]
