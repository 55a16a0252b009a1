"""A worker tells of itself: on every broker, for whoever listens."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.client import Binding, Queue
from penstock.errors import BrokerRefused
from penstock.messaging import Topology, presence
from penstock.workers import Job, Routes
from penstock.workers.heralding import Herald
from penstock.workers.reporting import Reporter
from tests.workers.test_worker import working

if TYPE_CHECKING:
    import pytest

    from penstock.messaging.presence import Presence
    from tests.messaging.brokers import Stage


async def heard(stage: Stage, queue: str, name: str) -> list[Presence]:
    """What the worker of a queue has told, and nobody has looked at yet; others tell of themselves, too."""
    found = []
    while (received := await stage.broker.fetch(queue)) is not None:
        received.ack()
        told = presence.read(received.body)
        assert told is not None
        found += [told] if told.queues == [name] else []
    return found


async def listen(stage: Stage, queue: str) -> None:
    here = Topology(queues=(Queue(queue),), bindings=(Binding(presence.EXCHANGE, queue),))
    await stage.broker.initialize(presence.TOPOLOGY + here)


def test_a_worker_tells_what_it_does_how_far_it_is_and_that_it_leaves(mq_url: str | None, name: str) -> None:
    routes, go = Routes(), asyncio.Event()

    @routes.route("/map")
    async def draw(job: Job[int]) -> None:
        job.report(0.25)
        await go.wait()

    async def story() -> None:
        ears = f"{name}-ears"
        async with working(routes, name, mq_url) as (worker, stage):
            await listen(stage, ears)
            put = await worker.jobs.put(name, "/map", 1)
            told: list[Presence] = []
            try:
                while not any(each.jobs and each.jobs[0].progress for each in told):
                    await stage.wait(presence.APART / 4)
                    told += await heard(stage, ears, name)
            finally:
                go.set()
            busy = told[-1]
            assert (busy.queues, busy.done, busy.is_leaving) == ([name], 0, False)
            (job,) = busy.jobs
            assert (job.id, job.route, job.queue, job.attempt) == (put, "/map", name, 1)
            assert job.progress == 0.25
            await stage.comes_true(lambda: worker.done == 1)
            await worker.stop()
            last = (await heard(stage, ears, name))[-1]
            assert (last.name, last.is_leaving, last.done, last.jobs) == (busy.name, True, 1, [])

    asyncio.run(story())


def test_where_it_may_not_be_told_a_worker_works_all_the_same(caplog: pytest.LogCaptureFixture) -> None:
    class Strict:
        """A broker that has no place for it."""

        clock = None

        async def initialize(self, topology: Topology) -> None:
            raise BrokerRefused("access refused", code=403)

    async def story() -> None:
        async with working(_nothing_to_do()) as (_, stage):
            strict = Strict()
            strict.clock = stage.broker.clock  # type: ignore[assignment]
            herald = Herald(strict, ["q"], [], Reporter(stage.broker))  # type: ignore[arg-type]
            caplog.set_level("INFO")
            await herald.start()
            assert "no panel will show" in caplog.text
            assert "silent" in repr(herald)
            await herald.stop()

    asyncio.run(story())


def _nothing_to_do() -> Routes:
    routes = Routes()

    @routes.route("/nothing")
    async def nothing(job: Job[int]) -> None: ...

    return routes
