from __future__ import annotations

import pytest

from penstock.did.tasks.permit import IDLE, RUNNING, Permit, Step, next_step

NOW = 1_000_000.0


def step(permit: Permit | None, *, is_running: bool = False) -> Step:
    return next_step(permit, "me", NOW, interval=30.0, check_interval=10.0, is_running=is_running)


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


@pytest.mark.parametrize(("unchanged", "expected"), [(0, Step.NOTHING), (40, Step.NOTHING), (40.1, Step.RUN)])
def test_a_permit_of_the_future_holds_as_long_as_it_changes(unchanged: float, expected: Step) -> None:
    permit = Permit("other", IDLE, NOW + 3600)
    found = next_step(
        permit, "me", NOW, interval=30.0, check_interval=10.0, is_running=False, unchanged=unchanged
    )
    assert found is expected
