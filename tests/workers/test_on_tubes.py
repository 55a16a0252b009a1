"""Workers on a beanstalk server: beanstalkd, and Penstock by its beanstalk front."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from penstock.client.beanstalk import OutgoingJob, connect
from penstock.clock import sleep
from penstock.errors import JobFailed, PersistentError
from penstock.messaging import Backoff
from penstock.messaging.beanstalk import BeanstalkBroker
from penstock.workers import Job, Jobs, Routes, Worker
from tests.client.beanstalk.support import World, world
from tests.client.support import PATIENCE_S, story, until
from tests.messaging.beanstalk.support import fetched

if TYPE_CHECKING:
    from tests.servers.running import Running


class Upgrade(msgspec.Struct):
    building_id: int


def seed(route: str, content: Any) -> bytes:
    """A job as Keno Antigen writes it."""
    return json.dumps({"route": route, "user_id": 7, "content": content}).encode()


@story
async def test_the_games_jobs_are_done_and_what_nobody_can_do_is_kept_with_its_reason(
    tube_server: Running, name: str
) -> None:
    routes, done = Routes(), list[tuple[int, Any]]()

    @routes.route("/building/finishUpgrade")
    async def finish(job: Job[Upgrade]) -> None:
        done.append((job.content.building_id, job.user_id))

    async with (
        await connect(tube_server.url) as game,
        Worker(routes, queues=[name], mq_url=tube_server.url) as worker,
    ):
        await game.put(OutgoingJob(name, seed("/building/finishUpgrade", {"building_id": 5})))
        await game.put(OutgoingJob(name, b"no JSON"))
        await until(lambda: done and worker.subscriptions[0].counters.dead == 1)
        assert done == [(5, 7)]
        dead = await game.get(f"{name}.dead-letters")
        assert dead is not None
        headers = json.loads(dead.body.partition(b"\n")[0])["penstock"]["headers"]
        assert "this is no job" in headers["x-penstock-error"]
        dead.delete()


@story
async def test_another_programs_worker_reads_a_job_of_ours_as_the_game_writes_it(
    tube_server: Running, name: str
) -> None:
    async with await Jobs.open(tube_server.url) as jobs, await connect(tube_server.url) as game:
        await jobs.put(name, "/fleet/arrives", {"fleet_id": 3}, user_id=7, priority=0)
        await jobs.put(name, "/fleet/arrives", {"fleet_id": 4}, job_id="mine", priority=9)
        first, second = await game.get(name), await game.get(name)
        assert first is not None
        assert second is not None
        read = json.loads(first.body)
        assert (read["route"], read["user_id"], read["content"]) == ("/fleet/arrives", 7, {"fleet_id": 3})
        assert json.loads(second.body)["penstock"]["id"] == "mine"
        assert first.facts.priority < second.facts.priority
        first.delete()
        second.delete()


@story
async def test_a_caller_gets_reports_and_the_result(tube_server: Running, name: str) -> None:
    routes = Routes()

    @routes.route("/count")
    async def count(job: Job[int]) -> int:
        job.report("begun")
        return job.content + 1

    @routes.route("/fail")
    async def fail(job: Job[Any]) -> None:
        raise PersistentError("never")

    async with Worker(routes, queues=[name], mq_url=tube_server.url):
        jobs = await Jobs.open(tube_server.url)
        async with jobs:
            asked = await jobs.ask(name, "/count", 41, result=int)
            assert await asked.result(60) == 42
            assert [report async for report in asked.reports()] == ["begun"]
            with pytest.raises(JobFailed, match="never"):
                await jobs.call(name, "/fail", timeout=60)
        # Whoever asked is gone, and a reply to nobody is no job left behind.
        async with await connect(tube_server.url) as client:
            async with asyncio.timeout(PATIENCE_S):
                while await client.tubes.is_there(jobs._replies.queue):  # noqa: ASYNC110 (it has no event)
                    await asyncio.sleep(0.01)
            dead = await client.get(f"{name}.dead-letters")
            assert dead is not None
            dead.delete()


# By a clock that is moved


async def working(made: World, routes: Routes, **options: Any) -> tuple[Worker, BeanstalkBroker]:
    broker = BeanstalkBroker(await made.client(), clock=made.clock)
    worker = Worker(routes, queues=["bg"], broker=broker, **options)
    await worker.start()
    return worker, broker


@story
async def test_a_job_that_fails_is_tried_again_later_and_then_kept() -> None:
    routes, tried = Routes(), list[tuple[int, float, str]]()

    async with world() as (made, client):

        @routes.route("/fails", retry=Backoff(attempts=2, initial=10, multiplier=2, jitter=0))
        async def fails(job: Job[Any]) -> None:
            tried.append((job.attempts, made.clock.now() - 1_000_000, job.id))
            raise ValueError("not today")

        worker, broker = await working(made, routes)
        await client.put(OutgoingJob("bg", seed("/fails", {}), priority=1024, ttr=60))
        await made.until(lambda: worker.subscriptions[0].counters.dead == 1, step=0.1)
        assert [attempts for attempts, _, _ in tried] == [0, 1, 2]
        assert [round(at / 10) for _, at, _ in tried] == [0, 1, 3]
        assert len({name for _, _, name in tried}) == 1, "one job, however often it is tried"
        dead = await fetched(broker, "bg.dead-letters")
        assert dead.message.headers["x-penstock-reason"] == "tried 3 times"
        assert dead.message.headers["x-beanstalk-priority"] == 1024
        assert dead.body == seed("/fails", {})
        await worker.stop()
        await broker.close()


@story
async def test_a_job_that_ends_its_workers_is_buried_after_ten_of_them() -> None:
    routes, tried = Routes(), list[int]()

    @routes.route("/poison")
    async def poison(job: Job[Any]) -> None:
        tried.append(job.attempts)

    async with world() as (made, client):
        await client.put(OutgoingJob("bg", seed("/poison", {})))
        for _ in range(10):
            victim = await made.client()
            assert await victim.get("bg") is not None
            await victim.close(0)
        worker, broker = await working(made, routes)
        await made.until(lambda: worker.subscriptions[0].counters.dead == 1, step=0.01)
        assert tried == []
        dead = await fetched(broker, "bg.dead-letters")
        assert "tried 10 times, and no worker has finished it" in dead.message.headers["x-penstock-error"]
        await worker.stop()
        await broker.close()


@story
async def test_a_job_that_takes_longer_than_its_time_to_run_is_touched() -> None:
    routes, done = Routes(), list[str]()

    async with world() as (made, client):

        @routes.route("/long")
        async def long(job: Job[Any]) -> None:
            await sleep(made.clock, 30)
            done.append(job.id)

        worker, broker = await working(made, routes)
        other, further = await working(made, routes)
        await client.put(OutgoingJob("bg", seed("/long", {}), ttr=4))
        await made.until(lambda: done, step=0.1)
        await made.pass_by(5)
        assert len(done) == 1
        assert worker.done + other.done == 1
        await asyncio.gather(worker.stop(), other.stop())
        await asyncio.gather(broker.close(), further.close())
