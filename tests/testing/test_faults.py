from __future__ import annotations

import pytest

from penstock.testing.faults import Faults, Point


def test_a_trap_springs_once_at_the_nth_time() -> None:
    faults, done = Faults(), []
    with faults.trap("commit", 2, lambda: done.append("now")) as trap:
        assert repr(trap) == "<Trap at <Point.COMMIT: 'commit'>, 2 to go>"
        assert [faults.reach(Point.COMMIT) for _ in range(4)] == [False, True, False, False]
    assert done == ["now"]
    assert trap.has_sprung
    assert repr(trap) == "<Trap at <Point.COMMIT: 'commit'>, sprung>"


def test_a_trap_waits_at_its_own_point_and_within_its_block() -> None:
    faults, done = Faults(), []
    with faults.trap(Point.TOLD, 1, lambda: done.append("now")) as trap:
        assert (faults.watches(Point.TOLD), faults.watches(Point.COMMIT)) == (True, False)
        assert not faults.reach(Point.RECEIVED)
    assert not faults.watches(Point.TOLD)
    assert not faults.reach(Point.TOLD)
    assert (done, trap.has_sprung) == ([], False)


def test_several_traps_may_wait_at_one_point() -> None:
    faults, done = Faults(), []
    with faults.trap("told", 1, lambda: done.append(1)), faults.trap("told", 1, lambda: done.append(2)):
        assert faults.reach(Point.TOLD)
        assert not faults.watches(Point.TOLD)
    assert done == [1, 2]


def test_a_point_that_is_not_there_cannot_have_a_trap() -> None:
    with (
        pytest.raises(ValueError, match="'lunch' is not a valid Point"),
        Faults().trap("lunch", 1, lambda: None),
    ):
        pass


def cuts(faults: Faults) -> list[int | None]:
    return [faults.maybe_cut(100) for _ in range(1000)]


def test_nothing_is_cut_unless_it_is_asked_for() -> None:
    assert set(cuts(Faults())) == {None}


def test_a_seed_decides_what_is_cut() -> None:
    faults = Faults()
    with faults.losing(0.1, seed=7):
        assert repr(faults) == "<Faults [], 10% of reads>"
        first = cuts(faults)
    with faults.losing(0.1, seed=7):
        assert cuts(faults) == first
    with faults.losing(0.1, seed=8):
        assert cuts(faults) != first
    assert set(cuts(faults)) == {None}
    places = [place for place in first if place is not None]
    assert 60 < len(places) < 140
    assert (min(places), max(places)) >= (0, 90)
    assert max(places) < 100
