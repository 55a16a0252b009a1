from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from penstock.messaging.alerts.dedupe import Dedupe

A, B, C = ("exhausted", "a"), ("exhausted", "b"), ("unrouted", "a")


def test_the_first_is_told_and_the_next_ones_are_counted_until_the_window_is_over() -> None:
    dedupe = Dedupe(window=60, capacity=10)
    assert dedupe.maybe_admit(A, 100) == 0
    assert dedupe.maybe_admit(A, 100) is None
    assert dedupe.maybe_admit(A, 159.9) is None
    assert dedupe.maybe_admit(A, 160) == 2
    assert dedupe.maybe_admit(A, 161) is None
    assert dedupe.maybe_admit(A, 220) == 1


def test_kind_and_subject_together_are_the_key() -> None:
    dedupe = Dedupe(window=60, capacity=10)
    assert [dedupe.maybe_admit(key, 0) for key in (A, B, C, A)] == [0, 0, 0, None]


def test_beyond_its_capacity_the_oldest_is_forgotten() -> None:
    dedupe = Dedupe(window=60, capacity=2)
    assert [dedupe.maybe_admit(key, 0) for key in (A, B, C)] == [0, 0, 0]
    assert [dedupe.maybe_admit(key, 1) for key in (B, C)] == [None, None]
    assert dedupe.maybe_admit(A, 1) == 0


@given(st.lists(st.tuples(st.sampled_from([A, B, C]), st.floats(0, 100)), max_size=60))
def test_everything_is_told_or_counted(steps: list[tuple[tuple[str, str], float]]) -> None:
    dedupe, now = Dedupe(window=60, capacity=10), 0.0
    told: dict[tuple[str, str], list[tuple[float, int]]] = {A: [], B: [], C: []}
    came = {A: 0, B: 0, C: 0}
    for key, later in steps:
        now += later
        came[key] += 1
        if (held_back := dedupe.maybe_admit(key, now)) is not None:
            told[key].append((now, held_back))
    for key, tellings in told.items():
        instants = [at for at, _ in tellings]
        assert all(after - before >= 60 for before, after in pairwise(instants))
        assert sum(1 + held_back for _, held_back in tellings) <= came[key]
        assert bool(tellings) == bool(came[key])
