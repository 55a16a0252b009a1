from __future__ import annotations

import pytest

from penstock.did.tasks.permit import IDLE, RUNNING, Permit, Seen, Step, next_step, seen_now

NOW = 1_000_000.0


def step(permit: Permit | None, before: Seen | None = None, *, is_running: bool = False) -> Step:
    seen = seen_now(permit, before, NOW)
    return next_step(seen, "me", NOW, interval=30.0, check_interval=10.0, is_running=is_running)


@pytest.mark.parametrize(
    ("permit", "expected"),
    [
        (None, Step.RUN),
        (Permit("me", IDLE, NOW - 30), Step.RUN),
        (Permit("me", IDLE, NOW - 29.9), Step.NOTHING),
        # It ran here when the database was lost, and does no more.
        (Permit("me", RUNNING, NOW - 30), Step.RUN),
        (Permit("other", IDLE, NOW - 30), Step.NOTHING),
        (Permit("other", IDLE, NOW - 40), Step.NOTHING),
        (Permit("other", IDLE, NOW - 40.1), Step.RUN),
        (Permit("other", RUNNING, NOW - 40), Step.NOTHING),
        (Permit("other", RUNNING, NOW - 40.1), Step.RUN),
    ],
)
def test_what_an_instance_concludes_from_a_permit(permit: Permit | None, expected: Step) -> None:
    assert step(permit) is expected


@pytest.mark.parametrize("holder", ["me", "other"])
def test_while_it_runs_here_it_is_not_begun_again(holder: str) -> None:
    assert step(Permit(holder, RUNNING, NOW - 3600), is_running=True) is Step.REFRESH


@pytest.mark.parametrize("word", [NOW - 3600, NOW, NOW + 3600])
@pytest.mark.parametrize(("silent", "expected"), [(0, Step.NOTHING), (40, Step.NOTHING), (40.1, Step.RUN)])
def test_another_is_silent_since_it_was_heard_of_whatever_its_clock_says(
    word: float, silent: float, expected: Step
) -> None:
    permit = Permit("other", IDLE, word)
    assert step(permit, Seen(permit, NOW - silent)) is expected


@pytest.mark.parametrize("before", [None, Permit("me", IDLE, NOW - 60), Permit("other", IDLE, NOW - 3700)])
def test_one_that_has_something_new_to_say_is_heard_now(before: Permit | None) -> None:
    assert step(Permit("other", RUNNING, NOW - 3600), Seen(before, NOW - 60)) is Step.NOTHING


def test_one_that_is_heard_of_for_the_first_time_is_taken_at_its_word_unless_that_is_of_the_future() -> None:
    for word, heard_at in ((NOW - 60, NOW - 60), (NOW + 60, NOW)):
        permit = Permit("other", IDLE, word)
        assert seen_now(permit, None, NOW) == Seen(permit, heard_at)
