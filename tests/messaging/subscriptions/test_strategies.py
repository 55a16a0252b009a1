from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import MessagingError, TransientError
from penstock.messaging import Destination
from penstock.messaging.subscriptions import (
    AtMostOnce,
    Backoff,
    DeadLetter,
    DeadLetters,
    Drop,
    ErrorClass,
    Forward,
    ForwardTo,
    Immediate,
    Redeliver,
    Reject,
    Rejecting,
    Republish,
    Requeue,
    Retry,
    RetryStrategy,
)
from penstock.messaging.subscriptions.strategies import decide
from tests.messaging.subscriptions.failures import failure

ELSEWHERE = Destination("shop", "second-try")

#: What each strategy says to the first, second, third … failure.
STORIES: list[tuple[RetryStrategy, list[Any]]] = [
    (DeadLetters(), [DeadLetter("tried once"), DeadLetter("tried 2 times")]),
    (AtMostOnce(), [Drop(), Drop()]),
    (Rejecting(), [Reject(), Reject()]),
    (Requeue(), [Redeliver(), Redeliver()]),
    (Immediate(attempts=2), [Retry(0.0), Retry(0.0), DeadLetter("tried 3 times")]),
    (Immediate(attempts=0), [DeadLetter("tried once")]),
    (Republish(attempts=2, defer=20.0), [Retry(20.0), Retry(20.0), DeadLetter("tried 3 times")]),
    (
        Backoff(attempts=4, initial=2, multiplier=1.5, cap=4, jitter=0),
        [Retry(2.0), Retry(3.0), Retry(4.0), Retry(4.0), DeadLetter("tried 5 times")],
    ),
    (ForwardTo(to=ELSEWHERE), [Forward(ELSEWHERE), DeadLetter("tried 2 times")]),
    (
        Immediate(attempts=1, then=Republish(attempts=2, defer=5, then=ForwardTo(to=ELSEWHERE, attempts=3))),
        [Retry(0.0), Retry(5.0), Forward(ELSEWHERE), DeadLetter("tried 4 times")],
    ),
]


@pytest.mark.parametrize(("strategy", "verdicts"), STORIES, ids=lambda value: type(value).__name__)
def test_what_a_strategy_says_to_one_failure_after_another(
    strategy: RetryStrategy, verdicts: list[Any]
) -> None:
    assert [decide(strategy, failure(n)) for n in range(1, len(verdicts) + 1)] == verdicts


@pytest.mark.parametrize(("strategy", "_"), STORIES, ids=lambda value: type(value).__name__)
def test_a_persistent_error_is_a_dead_letter_at_once(strategy: RetryStrategy, _: list[Any]) -> None:
    verdict = decide(strategy, failure(error_class=ErrorClass.PERSISTENT))
    assert verdict == DeadLetter("the error is persistent")


def test_the_defaults_are_the_seeds() -> None:
    backoff = Backoff()
    assert backoff.attempts == 20
    assert [backoff.wait(n) for n in range(1, 9)] == pytest.approx(
        [2, 3, 4.5, 6.75, 10.125, 15.1875, 22.78125, 30]
    )
    assert backoff.wait(10_000) == 30


def test_jitter_takes_off_up_to_its_share() -> None:
    backoff = Backoff(initial=10, cap=10, jitter=0.5)
    waits = [backoff.decide(failure(chance=chance)) for chance in (0.0, 0.5, 1.0)]
    assert waits == [Retry(10.0), Retry(7.5), Retry(5.0)]


@pytest.mark.parametrize("strategy", [Immediate(), Republish(defer=1), Backoff(initial=1, cap=2)])
def test_an_error_that_asks_for_time_gets_it(strategy: RetryStrategy) -> None:
    error = TransientError("busy")
    error.retry_after = 60.0
    assert decide(strategy, failure(error=error)) == Retry(60.0)


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (Immediate, {"attempts": -1}),
        (Republish, {"attempts": -1}),
        (Republish, {"defer": -1}),
        (Backoff, {"attempts": -1}),
        (Backoff, {"initial": -1}),
        (Backoff, {"multiplier": 0.5}),
        (Backoff, {"cap": 1}),
        (Backoff, {"jitter": 1.1}),
        (ForwardTo, {"to": ELSEWHERE, "attempts": 0}),
    ],
)
def test_a_strategy_that_cannot_be_is_refused(make: Any, wrong: dict[str, Any]) -> None:
    with pytest.raises(MessagingError, match="a retry strategy cannot have"):
        make(**wrong)
