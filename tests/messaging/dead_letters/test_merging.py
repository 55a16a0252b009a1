from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from penstock.messaging.dead_letters import DEAD, REDRIVEN, RETRIED, DeadLetter
from penstock.messaging.dead_letters.merging import merged
from tests.messaging.dead_letters.making import FAILED


def test_the_same_arrival_changes_nothing() -> None:
    assert merged(FAILED, FAILED) == FAILED


def test_a_redriven_message_that_fails_again_is_dead_again_and_counts_on() -> None:
    kept = replace(FAILED, state=REDRIVEN, redriven=1, redriven_at=200.0)
    again = replace(
        FAILED, redriven=1, attempts=3, first_failure=210.0, last_failure=220.0, error="no thread 18"
    )
    now = merged(kept, again)
    assert (now.state, now.redriven, now.redriven_at, now.attempts) == (DEAD, 1, 200.0, 6)
    assert (now.first_failure, now.last_failure, now.error) == (100.0, 220.0, "no thread 18")
    assert now.group == kept.group


def test_one_that_comes_back_before_it_is_marked_is_dead_as_well() -> None:
    again = replace(FAILED, redriven=1, last_failure=220.0)
    now = merged(FAILED, again)
    assert (now.state, now.redriven, now.attempts) == (DEAD, 1, 6)


def test_an_echo_of_what_was_redriven_since_changes_nothing() -> None:
    kept = replace(FAILED, state=REDRIVEN, redriven=2, redriven_at=200.0)
    assert merged(kept, replace(FAILED, redriven=1, last_failure=999.0)) is kept


def test_an_echo_of_what_was_edited_since_changes_no_state() -> None:
    kept = replace(FAILED, state=RETRIED, retried_as="m2")
    now = merged(kept, replace(FAILED, last_failure=111.0))
    assert (now.state, now.retried_as) == (RETRIED, "m2")


def test_two_deaths_without_a_redrive_are_one_with_the_newer_error() -> None:
    other = replace(FAILED, error="newer", attempts=2, first_failure=90.0, last_failure=120.0)
    now = merged(FAILED, other)
    assert (now.error, now.attempts, now.first_failure, now.last_failure) == ("newer", 3, 90.0, 120.0)
    assert merged(other, FAILED) == now


LETTERS = st.builds(
    lambda state, redriven, attempts, first, took: replace(
        FAILED,
        state=state,
        redriven=redriven,
        attempts=attempts,
        first_failure=float(first),
        last_failure=float(first + took),
    ),
    st.sampled_from([DEAD, REDRIVEN, RETRIED]),
    st.integers(0, 3),
    st.integers(0, 9),
    st.integers(0, 100),
    st.integers(0, 100),
)


@given(LETTERS, LETTERS.map(lambda letter: replace(letter, state=DEAD)))
def test_nothing_that_was_known_is_forgotten(kept: DeadLetter, arrived: DeadLetter) -> None:
    now = merged(kept, arrived)
    assert now.attempts >= kept.attempts
    assert now.first_failure <= kept.first_failure
    assert now.last_failure >= kept.last_failure
    assert now.redriven >= kept.redriven
    # Whoever gets the same message a second time ends at the same.
    if kept.state == DEAD and now.state == DEAD:
        assert merged(now, arrived) == now
