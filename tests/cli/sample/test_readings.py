from __future__ import annotations

from collections import Counter

from penstock.cli.sample.events import GAUGES
from penstock.cli.sample.readings import EVERY, doings, gauge_at, level_at


def test_every_gauge_has_its_turn() -> None:
    assert {gauge_at(moment) for moment in range(5)} == set(GAUGES)


def test_levels_are_where_water_can_stand() -> None:
    assert all(1.5 < level_at(moment) < 6.5 for moment in range(5000))
    assert len({level_at(moment) for moment in range(0, 5000, 5)}) > 100


def test_everything_comes_now_and_then_and_most_moments_are_quiet() -> None:
    counts = Counter(doing.kind for moment in range(300) for doing in doings(moment))
    assert counts.keys() == EVERY.keys()
    assert counts["break"] == 1
    assert sum(counts.values()) < 100


def test_the_same_moment_has_the_same_doings() -> None:
    assert list(doings(21)) == list(doings(21))
    assert [doing.kind for doing in doings(21)] == ["tell", "test"]
