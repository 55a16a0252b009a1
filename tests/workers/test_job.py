from __future__ import annotations

import asyncio
import pickle
from typing import TYPE_CHECKING, Any, cast

import pytest

from penstock.clock import VirtualClock
from penstock.errors import MessagingError
from penstock.messaging import Context, Message
from penstock.messaging.subscriptions.worker import Worker
from penstock.workers.job import Desk, Job, Known
from penstock.workers.reporting import Reporter
from tests.messaging.fakes import FakeBroker, FakeReceived, turns

if TYPE_CHECKING:
    from collections.abc import Callable

JOBS = cast("Any", "where jobs are put")


def working(reporter: Any = None, reply_to: str | None = None) -> tuple[Job[dict[str, int]], Worker]:
    """A job in its worker's hands."""
    message = Message(body=b"", id="j1", headers={"x-penstock-attempts": 2}, reply_to=reply_to)
    clock, worker = VirtualClock(100.0), Worker()
    worker.deadline = 110.0
    context = Context(FakeReceived(message, queue="bg_building"), "bg_building", worker, clock)
    return Job("/building/finishUpgrade", {"building_id": 7}, 3, context, Desk(JOBS, reporter)), worker


def test_a_job_says_what_it_is() -> None:
    job, _ = working()
    assert (job.id, job.queue, job.attempts, job.user_id) == ("j1", "bg_building", 2, 3)
    assert (job.content, job.message.id, job.jobs) == ({"building_id": 7}, "j1", JOBS)
    assert repr(job) == "<Job j1 /building/finishUpgrade, tried 2 times before>"


def test_a_job_from_a_beanstalk_client_is_known_by_its_number() -> None:
    message = Message(body=b"", id="", headers={"x-job-id": 17})
    context = Context(FakeReceived(message), "bg_building", Worker(), VirtualClock())
    assert Job("/a", None, None, context, Desk(JOBS, cast("Any", None))).id == "17"


def test_a_job_may_ask_for_more_time() -> None:
    job, worker = working()
    assert job.time_left == 10.0
    job.touch(60.0)
    assert (job.time_left, worker.deadline) == (60.0, 160.0)


def test_what_a_job_reports_goes_to_whoever_waits() -> None:
    async def story() -> None:
        broker = FakeBroker()
        job, _ = working(Reporter(broker), "till")
        job.report({"half": True})
        await turns()
        ((message, to),) = broker.published
        assert (message.correlation_id, to.key) == ("j1", "till")
        assert job.told is job.told

    asyncio.run(story())


def test_in_another_process_a_job_is_what_it_is_and_has_no_worker() -> None:
    copy: Job[Any] = pickle.loads(pickle.dumps(working()[0]))  # noqa: S301  as a process pool does
    assert (copy.id, copy.queue, copy.attempts, copy.content) == ("j1", "bg_building", 2, {"building_id": 7})
    asks: list[Callable[[], object]] = [lambda: copy.jobs, lambda: copy.message, lambda: copy.time_left]
    for ask in asks:
        with pytest.raises(MessagingError, match="has the job, and may touch and report"):
            ask()


def test_a_test_makes_a_job_for_a_handler() -> None:
    assert Job("/a", 1, known=Known(id="j2")).id == "j2"
