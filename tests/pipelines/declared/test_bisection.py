from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import NoRowToBlame
from penstock.pipelines.declared.bisection import find_poison


class Trials:
    """Fails where there is poison, and counts how often it was asked."""

    def __init__(self, *poison: int) -> None:
        self.poison = set(poison)
        self.count = 0

    def __call__(self, part: range) -> str | None:
        self.count += 1
        met = sorted(self.poison & set(part))
        return f"met {met}" if met else None


@given(count=st.integers(1, 200), poison=st.sets(st.integers(0, 199), max_size=10))
def test_all_poison_is_found_and_nothing_else(count: int, poison: set[int]) -> None:
    there = {each for each in poison if each < count}
    found = find_poison(count, Trials(*poison), most=10)
    assert found == {each: f"met [{each}]" for each in there}


def test_one_in_a_hundred_thousand_takes_some_dozens_of_trials() -> None:
    trials = Trials(77_777)
    assert find_poison(100_000, trials, most=1) == {77_777: "met [77777]"}
    assert trials.count < 40


def test_where_all_is_well_one_trial_suffices() -> None:
    trials = Trials()
    assert find_poison(1000, trials, most=1) == {}
    assert trials.count == 1


def test_nothing_needs_no_trial() -> None:
    trials = Trials()
    assert find_poison(0, trials, most=1) == {}
    assert trials.count == 0


def test_what_fails_only_together_is_innocent() -> None:
    assert find_poison(8, lambda part: "together" if {1, 6} <= set(part) else None, most=8) == {}


def test_if_too_many_fail_it_is_not_their_fault_and_soon_known() -> None:
    trials = Trials(*range(10_000))
    with pytest.raises(NoRowToBlame, match=r"more than 3 rows fail, the last with: met \[3\]"):
        find_poison(10_000, trials, most=3)
    assert trials.count < 40
