from __future__ import annotations

import pytest

from penstock.did.operation_queue.hearing import GONE, Hearing, is_dead
from tests.did.operation_queue.support import NOW

HOUR = 3600.0


@pytest.mark.parametrize(
    ("seconds", "dead"), [(0, False), (30, False), (30.99, False), (31, True), (3600, True), (-5, False)]
)
def test_an_instance_is_dead_when_its_last_word_is_older_than_the_expiration(
    seconds: float,
    dead: bool,  # noqa: FBT001  a column of the table
) -> None:
    assert is_dead(NOW - seconds, NOW, 30.0) is dead


def test_of_one_that_was_never_heard_before_its_own_word_is_taken() -> None:
    words = {"old": NOW - 50, "young": NOW - 5}
    assert Hearing(30.0).silent(words, NOW) == {"old": NOW - 50}


def test_who_speaks_is_alive_and_who_is_silent_is_dead_after_a_while() -> None:
    hearing = Hearing(30.0)
    for seconds in range(0, 100, 10):
        words = {"speaks": NOW + seconds, "silent": NOW}
        assert hearing.silent(words, NOW + seconds) == ({"silent": NOW} if seconds > 30 else {})
    assert repr(hearing) == "<Hearing of 2 instances>"


def test_who_died_with_a_clock_that_was_ahead_is_dead_as_soon_as_anybody() -> None:
    hearing, word = Hearing(30.0), NOW + 5 * HOUR
    assert [hearing.silent({"early": word}, NOW + at) for at in (0, 30, 31)] == [{}, {}, {"early": word}]


def test_who_speaks_with_a_clock_that_is_behind_is_taken_for_dead_only_once() -> None:
    hearing = Hearing(30.0)
    found = [hearing.silent({"late": NOW - HOUR + at}, NOW + at) for at in (0, 10, 20, 30)]
    assert [bool(each) for each in found] == [True, False, False, False]
    # When it falls silent, it is dead like everybody.
    last = NOW - HOUR + 30
    assert [bool(hearing.silent({"late": last}, NOW + at)) for at in (60, 61)] == [False, True]


def test_who_has_left_is_dead_at_once() -> None:
    hearing = Hearing(30.0)
    assert hearing.silent({"one": NOW}, NOW) == {}
    assert hearing.silent({"one": GONE}, NOW + 1) == {"one": GONE}
