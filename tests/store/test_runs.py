from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.store.runs import runs_of_ids, runs_of_places


@pytest.mark.parametrize(
    ("ids", "runs"),
    [
        ([], []),
        ([5], [(5, 5)]),
        ([1, 2, 3], [(1, 3)]),
        ([3, 1, 2, 2], [(1, 3)]),  # in any order, and more than once
        ([1, 3, 4, 9], [(1, 1), (3, 4), (9, 9)]),
    ],
)
def test_numbers_that_follow_each_other_are_a_run(ids: list[int], runs: list[tuple[int, int]]) -> None:
    assert runs_of_ids(ids) == runs


def test_places_run_within_their_line() -> None:
    places = [(1, 0, 4, 9), (2, 0, 6, 9), (1, 0, 5, 9), (1, 1, 6, 9), (1, 0, 8, 9)]
    assert sorted(runs_of_places(places)) == [(1, 0, 4, 5), (1, 0, 8, 8), (1, 1, 6, 6), (2, 0, 6, 6)]


@given(st.lists(st.integers(0, 40)))
def test_runs_hold_all_the_numbers_and_no_others(ids: list[int]) -> None:
    assert [number for first, last in runs_of_ids(ids) for number in range(first, last + 1)] == sorted(
        set(ids)
    )
