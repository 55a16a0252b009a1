from __future__ import annotations

import asyncio
from math import inf

from penstock.messaging.subscriptions.worker import Worker


def test_a_worker_knows_since_when_and_until_when() -> None:
    worker = Worker()
    assert repr(worker) == "<Worker idle>"
    worker.limit(100.0)
    assert worker.deadline == inf, "there is no limit"
    watched: list[float] = []
    worker = Worker(30.0, watched.append)
    worker.busy_since = 100.0
    worker.limit(100.0)
    assert watched == [130.0]
    assert (worker.busy_since, worker.deadline) == (100.0, 130.0)
    assert repr(worker) == "<Worker busy since 100.000>"
    worker.extend(120.0)
    assert worker.deadline == 130.0, "nobody's time is cut short"
    worker.extend(150.0)
    assert worker.deadline == 150.0
    assert str(worker.time_limit_error(151.5)) == "the handler was stopped after 51.500 s"


def test_an_interruption_is_told_from_somebody_elses_cancellation() -> None:
    async def story(*, stop: bool) -> bool:
        worker = Worker()
        caught: list[bool] = []

        async def work() -> None:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                caught.append(worker.is_interrupted())

        worker.task = asyncio.create_task(work())
        await asyncio.sleep(0)
        worker.expire()
        if stop:
            worker.task.cancel()
        await worker.task
        assert not worker.is_interrupted(), "asked once"
        return caught[0]

    assert asyncio.run(story(stop=False))
    assert not asyncio.run(story(stop=True))


def test_nobody_is_interrupted_before_work() -> None:
    worker = Worker()
    worker.expire()
    assert not worker.is_interrupted()
