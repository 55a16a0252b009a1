from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from penstock.clock import VirtualClock
from penstock.messaging import Context
from penstock.messaging.subscriptions.worker import Worker
from penstock.workers.job import Job, Known
from penstock.workers.route import Route
from penstock.workers.running import Running
from tests.messaging.fakes import FakeReceived

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
