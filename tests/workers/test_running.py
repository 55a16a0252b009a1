from __future__ import annotations

import asyncio
import threading
from math import inf
from typing import TYPE_CHECKING, Any

import pytest

from penstock.clock import VirtualClock
from penstock.messaging import Context
from penstock.messaging.subscriptions.worker import Worker
from penstock.workers.job import Job, Known
from penstock.workers.route import Route
from penstock.workers.running import Running
from tests.messaging.fakes import FakeReceived
from tests.workers.handlers import whoami

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def running() -> Iterator[Running]:
    made = Running(2, 1)
    yield made
    made.close()


def circumstances() -> tuple[Context, Worker]:
    worker = Worker()
    return Context(FakeReceived(), "bg", worker, VirtualClock()), worker


async def here(job: Job[Any]) -> str:
    return threading.current_thread().name


def there(job: Job[Any]) -> str:
    return threading.current_thread().name


def test_each_handler_runs_in_its_place(running: Running) -> None:
    async def story() -> None:
        job, (context, _) = Job("/a", None, known=Known()), circumstances()
        assert (
            await running.of(Route(name="/a", handler=here))(job, context) == threading.current_thread().name
        )
        assert (await running.of(Route(name="/a", handler=there))(job, context)).startswith("worker")

    asyncio.run(story())


def test_a_thread_whose_time_is_over_goes_on_and_keeps_its_place(running: Running) -> None:
    gate = threading.Event()

    def slow(job: Job[Any]) -> str:
        gate.wait(60)
        return "done after all"

    async def story() -> None:
        context, worker = circumstances()
        run = running.of(Route(name="/a", handler=slow))
        task = asyncio.ensure_future(run(Job("/a", None), context))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert worker.leftover is not None
        assert not worker.leftover.done()
        gate.set()
        assert await worker.leftover == "done after all"

    asyncio.run(story())


def test_to_wait_for_a_process_takes_none_of_a_job_s_time(running: Running) -> None:
    async def story() -> None:
        clock, worker = VirtualClock(1000.0), Worker(time_limit=30.0)
        context = Context(FakeReceived(), "bg", worker, clock)
        processes: Any = running._processes
        # Given that the only process is taken
        taken = await processes.take()
        worker.limit(clock.now())
        run = running.of(Route(name="/a", handler=whoami, process=True))
        task = asyncio.ensure_future(run(Job("/a", None, known=Known()), context))
        await asyncio.sleep(0)
        # Then time may pass, and the limit is counted from when there is one
        clock.advance(100)
        assert worker.deadline == inf
        await processes.do(taken, whoami, Job("/b", None, known=Known()))
        await asyncio.sleep(0)
        assert worker.deadline == 1130
        await task

    asyncio.run(story())
