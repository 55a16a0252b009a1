from __future__ import annotations

import asyncio
import threading
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from penstock.clock import sleep
from penstock.errors import JobFailed, MessagingError, NoSchedules, PersistentError
from penstock.messaging import Backoff, Destination, Message
from penstock.workers import Job, Routes, Schedules, Worker
from penstock.workers.form import encode_form
from tests.messaging.brokers import on_stage
from tests.messaging.fakes import FakeAlerts

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.messaging.brokers import Stage, VirtualStage


class Upgrade(msgspec.Struct):
    building_id: int


@asynccontextmanager
async def working(
    routes: Routes, queue: str = "bg", url: str | None = None, **options: Any
) -> AsyncIterator[tuple[Worker, Stage]]:
    """A worker at work on a broker, and how time passes there."""
    async with on_stage(url) as stage:
        worker = Worker(routes, queues=[queue], broker=stage.broker, **options)
        stage.watch(worker)
        async with worker:
            yield worker, stage


def test_jobs_are_done_on_every_broker_and_what_nobody_can_do_is_buried_with_its_reason(
    mq_url: str | None, name: str
) -> None:
    routes, done = Routes(), list[int]()

    @routes.route("/building/finishUpgrade")
    async def finish(job: Job[Upgrade]) -> None:
        done.append(job.content.building_id)

    bad = {
        b"no JSON": "this is no job",
        b'{"route": "/building/finishUpgrade"}': "content",
        encode_form("/nowhere", {}): "no handler here is for the route '/nowhere'",
        encode_form(
            "/building/finishUpgrade", {"building_id": "x"}
        ): "is not what /building/finishUpgrade takes",
    }

    async def story() -> None:
        async with working(routes, name, mq_url) as (worker, stage):
            for number, body in enumerate(bad):
                await worker.jobs.put(name, "/building/finishUpgrade", Upgrade(number))
                await stage.broker.publish(Message(body=body), Destination.queue(name))
            await stage.comes_true(lambda: len(done) == 4 and worker.subscriptions[0].counters.dead == 4)
            assert (sorted(done), worker.done) == ([0, 1, 2, 3], 4)
            letters = [await stage.broker.fetch(f"{name}.dead-letters") for _ in bad]
            found = {each.body: each.message.headers["x-penstock-error"] for each in letters if each}
            assert found.keys() == bad.keys()
            assert all(why in found[body] for body, why in bad.items())

    asyncio.run(story())


def test_a_caller_gets_reports_and_the_result_on_every_broker(mq_url: str | None, name: str) -> None:
    routes = Routes()

    @routes.route("/count")
    def count(job: Job[int]) -> dict[str, int]:
        for number in range(job.content):
            job.report(number)
        return {"counted": job.content}

    @routes.route("/fail", retry=Backoff(attempts=0))
    async def fail(job: Job[Any]) -> None:
        raise PersistentError("it cannot be done")

    async def story() -> None:
        async with working(routes, name, mq_url) as (worker, _):
            asked = await worker.jobs.ask(name, "/count", 3)
            assert [each async for each in asked.reports()] == [0, 1, 2]
            assert await asked.result() == {"counted": 3}
            with pytest.raises(JobFailed, match="it cannot be done"):
                await worker.jobs.call(name, "/fail")

    asyncio.run(story())


def test_a_job_that_fails_is_tried_again_by_its_routes_strategy_and_buried_after_ten_tries() -> None:
    routes, tried = Routes(), list[tuple[float, int]]()

    @routes.route("/fail", retry=Backoff(attempts=9, initial=1, multiplier=2, cap=8, jitter=0))
    async def fail(job: Job[Any]) -> None:
        tried.append((stage_now(), job.attempts))
        raise ValueError("no")

    stage_now: Any = None

    async def story() -> None:
        nonlocal stage_now
        async with working(routes) as (worker, stage):
            stage_now = stage.broker.clock.now
            await worker.jobs.put("bg", "/fail")
            await stage.wait(100)
            assert [attempts for _, attempts in tried] == list(range(10))
            assert [round(b - a) for (a, _), (b, _) in pairwise(tried)] == [1, 2, 4, 8, 8, 8, 8, 8, 8]
            assert await stage.broker.depth("bg.dead-letters") == 1

    asyncio.run(story())


def test_a_job_has_its_time_and_more_if_it_asks_for_it() -> None:
    routes, ended = Routes(), list[str]()

    async def take(job: Job[Any], seconds: float) -> None:
        try:
            await sleep(clock, seconds)
        except asyncio.CancelledError:
            ended.append(f"{job.route} was stopped")
            raise
        ended.append(f"{job.route} is done")

    @routes.route("/long", retry=Backoff(attempts=0))
    async def long(job: Job[Any]) -> None:
        await take(job, 31)

    @routes.route("/short", time_limit=5, retry=Backoff(attempts=0))
    async def short(job: Job[Any]) -> None:
        await take(job, 6)

    @routes.route("/touching", time_limit=5)
    async def touching(job: Job[Any]) -> None:
        job.touch(60)
        await take(job, 50)

    clock: Any = None

    async def story() -> None:
        nonlocal clock
        async with working(routes, time_limit=30) as (worker, stage):
            clock = stage.broker.clock
            for route in ("/long", "/short", "/touching"):
                await worker.jobs.put("bg", route)
            await stage.wait(60)
            assert ended == ["/short was stopped", "/long was stopped", "/touching is done"]
            assert await stage.broker.depth("bg.dead-letters") == 2

    asyncio.run(story())


def test_a_job_that_ends_its_worker_is_counted_and_buried_in_the_end() -> None:
    routes, begun, is_put, over = Routes(), list[int](), asyncio.Event(), asyncio.Event()

    @routes.route("/poison")
    async def poison(job: Job[Any]) -> None:
        # Whoever puts it has its confirm first: the test's clock stands still for a reconnect.
        await is_put.wait()
        begun.append(job.attempts)
        # What the broker sees when a worker dies: its connection goes, and nothing is said.
        controlled.cut()
        await over.wait()

    controlled: Any = None

    async def story() -> None:
        nonlocal controlled
        async with on_stage(None) as stage:
            virtual: VirtualStage = stage  # type: ignore[assignment]
            controlled = virtual.controlled
            worker = Worker(routes, queues=["bg"], broker=stage.broker, max_reserves=3, time_limit=None)
            async with worker:
                await worker.jobs.put("bg", "/poison")
                is_put.set()
                await controlled.advance(60, step=1)
                letter = await stage.broker.fetch("bg.dead-letters")
                over.set()
            assert letter is not None
            assert letter.message.headers["x-penstock-error"].startswith("it was tried 3 times")
            assert begun == [0, 1, 2]

    asyncio.run(story())


def test_handlers_on_the_loop_and_in_threads_work_side_by_side() -> None:
    routes, together = Routes(), threading.Barrier(3)
    arrived: list[str] = []

    @routes.route("/thread")
    def in_thread(job: Job[Any]) -> None:
        together.wait(60)
        arrived.append(job.id)

    @routes.route("/loop")
    async def on_loop(job: Job[Any]) -> None:
        await asyncio.to_thread(together.wait, 60)
        arrived.append(job.id)

    async def story() -> None:
        async with working(routes, concurrency=3) as (worker, stage):
            ids = [await worker.jobs.put("bg", route) for route in ("/thread", "/thread", "/loop")]
            await stage.comes_true(lambda: sorted(arrived) == sorted(ids))

    asyncio.run(story())


def test_a_handler_puts_further_jobs_and_schedules_are_kept(tmp_path: Path) -> None:
    routes, done = Routes("bg"), list[str]()
    routes.cron("@hourly", "bg", "/first")

    @routes.route("/first")
    async def first(job: Job[Any]) -> None:
        done.append("first")
        await job.jobs.put("bg", "/second", delay=60)

    @routes.route("/second")
    async def second(job: Job[Any]) -> None:
        done.append("second")

    async def story() -> None:
        schedules = Schedules(f"sqlite:///{tmp_path / 'schedules.db'}")
        async with on_stage(None) as stage:
            worker = Worker(routes, broker=stage.broker, schedules=schedules)
            stage.watch(worker)
            async with worker:
                # Polling every second for an hour is not what is shown here.
                worker._scheduler._poll = 600.0  # type: ignore[union-attr]
                await stage.wait(3601)
                assert done == ["first"]
                await stage.wait(60)
                assert done == ["first", "second"]
        schedules.close()

    asyncio.run(story())


def test_a_stop_lets_what_has_begun_be_done_and_gives_back_the_rest() -> None:
    routes, done, gate = Routes(), list[int](), asyncio.Event()

    @routes.route("/slow")
    async def slow(job: Job[int]) -> None:
        await gate.wait()
        done.append(job.content)

    async def story() -> None:
        async with on_stage(None) as stage:
            worker = Worker(routes, queues=["bg"], broker=stage.broker, concurrency=2)
            await worker.start()
            for number in range(6):
                await worker.jobs.put("bg", "/slow", number)
            await stage.comes_true(lambda: worker.subscriptions[0].running == 2)
            assert repr(worker) == "<Worker of bg, 1 routes, 2 busy>"
            assert worker.is_busy
            stopping = asyncio.create_task(worker.stop())
            await asyncio.sleep(0.01)
            gate.set()
            await stopping
            assert (done, await stage.broker.depth("bg")) == ([0, 1], 4)
            assert repr(worker) == "<Worker of bg, 1 routes, stopped>"

    asyncio.run(story())


def test_without_a_url_the_broker_is_in_the_process_and_a_worker_starts_once() -> None:
    routes, done = Routes("bg"), asyncio.Event()

    @routes.route("/a")
    async def handler(job: Job[Any]) -> None:
        done.set()

    async def story() -> None:
        worker = Worker(routes, alerts=FakeAlerts())
        with pytest.raises(MessagingError, match="is not running"):
            _ = worker.jobs
        async with worker:
            with pytest.raises(MessagingError, match="is running already"):
                await worker.start()
            await worker.jobs.put("bg", "/a")
            async with asyncio.timeout(60):
                await done.wait()

    asyncio.run(story())


def test_a_worker_needs_a_queue_and_crons_need_a_database() -> None:
    routes = Routes()
    with pytest.raises(MessagingError, match="name one at least"):
        Worker(routes)
    routes.cron("@daily", "bg", "/a")
    with pytest.raises(NoSchedules, match=r"bg /a: .*sqlite:///"):
        Worker(routes, queues=["bg"])
