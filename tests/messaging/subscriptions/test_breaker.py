from __future__ import annotations

import pytest

from penstock.errors import MessagingError
from penstock.messaging.subscriptions.breaker import Breaker, BreakerState, Pausing

PAUSED, PROBING, RUNNING = BreakerState.PAUSED, BreakerState.PROBING, BreakerState.RUNNING


def test_a_queue_pauses_after_so_many_failures_in_a_row() -> None:
    breaker = Breaker(Pausing(after=3))
    assert [breaker.failed() for _ in range(2)] == [False, False]
    breaker.worked()
    assert [breaker.failed() for _ in range(3)] == [False, False, True]
    assert breaker.state is PAUSED
    assert breaker.failed() is False, "those that were begun before fail without further ado"


def test_a_probe_that_works_resumes() -> None:
    breaker = Breaker(Pausing(after=1))
    breaker.failed()
    breaker.probe()
    assert breaker.state is PROBING
    assert breaker.worked() is True
    assert breaker.state is RUNNING
    assert breaker.worked() is False


def test_a_probe_that_fails_pauses_for_longer_up_to_the_cap() -> None:
    breaker = Breaker(Pausing(after=1, probe_after=1, multiplier=2, cap=5))
    waits = []
    breaker.failed()
    for _ in range(4):
        waits.append(breaker.wait)
        breaker.probe()
        assert breaker.failed() is True
        assert breaker.state is PAUSED
    assert waits == [1, 2, 4, 5]
    breaker.probe()
    breaker.worked()
    assert breaker.wait == 1


def test_a_long_outage_overflows_nothing() -> None:
    breaker = Breaker(Pausing(after=1))
    for _ in range(5000):
        breaker.probe()
        breaker.failed()
    assert breaker.wait == 60


def test_its_state_can_be_read() -> None:
    breaker = Breaker(Pausing(after=2))
    breaker.failed()
    assert repr(breaker) == "<Breaker running, 1 of 2 failures>"


@pytest.mark.parametrize(
    "wrong", [{"after": 0}, {"probe_after": 0}, {"multiplier": 0.5}, {"cap": 0.5}, {"probe_after": 61}]
)
def test_pausing_that_cannot_be_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(MessagingError, match="cannot pause like that"):
        Pausing(**wrong)  # type: ignore[arg-type]
