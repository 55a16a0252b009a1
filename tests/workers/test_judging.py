from __future__ import annotations

from dataclasses import replace

import pytest

from penstock.errors import PenstockError, ProcessDied, TakenBefore, TakenTooOften, TimeLimitExceeded
from penstock.messaging import Backoff, Message, Republish
from penstock.messaging.subscriptions import DeadLetter, ErrorClass, Failure, Retry
from penstock.workers.form import encode_form
from penstock.workers.job import Job  # noqa: TC001  annotations are read
from penstock.workers.judging import JobRetry, judge
from penstock.workers.routes import Routes
from tests.messaging.fakes import FakeReceived


async def handler(job: Job[dict[str, int]]) -> None: ...


def received(attempts: int, delivery_count: int = 0, *, counts: bool = False) -> FakeReceived:
    headers: dict[str, int] = {"x-penstock-attempts": attempts}
    if counts:
        headers["x-acquired-count"] = 1
    made = FakeReceived(Message(body=b"", headers=headers))
    made.delivery_count = delivery_count
    return made


@pytest.mark.parametrize(
    ("job", "error"),
    [
        (received(0), TakenBefore),
        (received(8), TakenBefore),
        (received(9), TakenTooOften),
        # The broker counts by itself: nothing to write down.
        (received(0, 3, counts=True), None),
        (received(4, 5, counts=True), None),
        (received(4, 6, counts=True), TakenTooOften),
    ],
    ids=["first", "last", "one too many", "counted", "together", "together too many"],
)
def test_a_job_that_a_worker_had_before_is_counted_and_in_the_end_buried(
    job: FakeReceived, error: type[PenstockError] | None
) -> None:
    if error is None:
        judge(job, 10)
        return
    with pytest.raises(error):
        judge(job, 10)


def failure(error: Exception, attempts: int = 1, route: str = "/patient") -> Failure:
    return Failure(
        message=Message(body=encode_form(route, {})),
        error=error,
        error_class=ErrorClass.UNKNOWN,
        attempts=attempts,
        at=0.0,
        first_at=0.0,
        consumer="bg",
        queue="bg",
    )


def test_each_route_has_a_strategy_of_its_own() -> None:
    routes = Routes()
    routes.route("/patient", retry=Backoff(initial=8, jitter=0))(handler)
    routes.route("/quick", retry=Republish(attempts=1, defer=1))(handler)
    retry = JobRetry(routes)
    assert retry.decide(failure(ValueError())) == Retry(8)
    assert retry.decide(failure(ValueError(), route="/quick")) == Retry(1)
    assert isinstance(retry.decide(failure(ValueError(), 2, "/quick")), DeadLetter)


def test_by_default_a_job_is_tried_ten_times() -> None:
    routes = Routes()
    routes.route("/patient")(handler)
    assert isinstance(JobRetry(routes).decide(failure(ValueError(), 9)), Retry)
    assert JobRetry(routes).decide(failure(ValueError(), 10)) == DeadLetter("tried 10 times")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (TimeLimitExceeded(), "tried 3 times, and never in time"),
        (ProcessDied(), "tried 3 times, and the process that did it died"),
    ],
    ids=["never in time", "process died"],
)
def test_a_job_that_ends_in_silence_is_buried_however_patient_its_route(error: Exception, told: str) -> None:
    routes = Routes()
    routes.route("/patient", retry=Backoff(attempts=100))(handler)
    assert isinstance(JobRetry(routes, 3).decide(failure(error, 2)), Retry)
    assert JobRetry(routes, 3).decide(failure(error, 3)) == DeadLetter(told)


def test_a_job_that_was_taken_before_is_replaced_when_the_original_is_surely_settled() -> None:
    assert JobRetry(Routes()).decide(failure(TakenBefore(), 1)) == Retry(1.0)


def test_jobs_that_were_taken_together_again_and_again_come_apart() -> None:
    waits = []
    for attempts in (2, 3, 9):
        for chance in (0.0, 1.0):
            verdict = JobRetry(Routes()).decide(replace(failure(TakenBefore(), attempts), chance=chance))
            assert isinstance(verdict, Retry)
            waits.append(verdict.after)
    assert waits == [1.0, 3.0, 1.0, 5.0, 1.0, 61.0]
