from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec
import pytest

from penstock import testing
from penstock.errors import (
    JobFailed,
    RequestRefused,
)
from penstock.workers import Job, Jobs, Routes, Worker
from penstock.workers.cached.notice import Notice
from penstock.workers.cached.shelf import Claim
from penstock.workers.fan import FanExchange
from tests.client.support import until
from tests.workers.cached.support import QUEUE, ROUTE, Chunk, Sky, chunks, system

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.workers.cached import DatabaseShelf


def test_who_asked_before_it_was_forgotten_is_told_of_work_that_began_after(
    database: Callable[[], DatabaseShelf],
) -> None:
    async def story() -> None:
        sky, shelf = Sky(), database()
        async with system(sky, shelf, workers=0) as (broker, [cache]):
            await Jobs(await broker.port()).declare(QUEUE)
            asking = asyncio.create_task(cache.get(Chunk(0)))
            await until(lambda: broker.queue(QUEUE).depth == 1)
            await cache.forget(Chunk(0))
            async with Worker(sky.routes(chunks(shelf)), broker=await broker.port()):
                assert await asking == {"star": 1}
                # It was made of nothing older than what was forgotten, so it is kept.
                assert await cache.get(Chunk(0)) == {"star": 1}

    asyncio.run(story())


def test_what_cannot_be_made_fails_for_all_who_wait_and_can_be_asked_for_again(
    database: Callable[[], DatabaseShelf],
) -> None:
    async def story() -> None:
        for shelf in (database(), None):
            sky = Sky()
            async with system(sky, shelf) as (_, [cache]):
                for turn in (1, 2):
                    failures = await asyncio.gather(
                        *(cache.get(Chunk(-50)) for _ in range(10)), return_exceptions=True
                    )
                    assert {str(each) for each in failures} == {
                        "-50 of starmap cannot be made: there is nothing on the left"
                    }
                    assert {type(each) for each in failures} == {JobFailed}
                    assert len(sky.computed) == turn

    asyncio.run(story())


def test_a_refusal_is_an_answer_and_no_dead_letter() -> None:
    async def story() -> None:
        async with system(Sky(), None) as (broker, [cache]):
            with pytest.raises(RequestRefused, match="beyond the end of the sky") as refused:
                await cache.get(Chunk(1050))
            assert refused.value.status == 404
            await broker.settled()
            assert broker.queue(f"{QUEUE}.dead-letters").depth == 0

    asyncio.run(story())


def test_a_job_for_what_is_there_is_not_done_again_and_has_its_result(
    database: Callable[[], DatabaseShelf],
) -> None:
    async def story() -> None:
        sky, shelf = Sky(), database()
        async with system(sky, shelf) as (broker, [cache]):
            await cache.get(Chunk(0))
            async with Worker(sky.routes(chunks(shelf)), broker=await broker.port()) as worker:
                assert await worker.jobs.call(QUEUE, ROUTE, Chunk(0)) == {"star": 1}
                assert await worker.jobs.call(QUEUE, ROUTE, Chunk(50)) == {"star": 2}
            assert await cache.get(Chunk(50)) == {"star": 2}
            assert sky.computed == [0, 50]

    asyncio.run(story())


def test_a_plain_handler_fills_from_a_thread() -> None:
    async def story() -> None:
        cached, routes = chunks(), Routes(QUEUE)

        @routes.route(ROUTE)
        @cached.fills
        def get_map_chunk(job: Job[Chunk]) -> int:
            return job.content.left

        async with (
            testing.broker() as broker,
            Worker(routes, broker=await broker.port()),
            cached.on(await broker.port()) as cache,
        ):
            assert await cache.get(Chunk(50)) == 50

    asyncio.run(story())


def test_what_json_cannot_say_is_a_failure() -> None:
    async def story() -> None:
        cached, routes = chunks(), Routes(QUEUE)

        @routes.route(ROUTE)
        @cached.fills
        async def get_map_chunk(_job: Job[Chunk]) -> object:
            return object()

        async with (
            testing.broker() as broker,
            Worker(routes, broker=await broker.port()),
            cached.on(await broker.port()) as cache,
        ):
            with pytest.raises(JobFailed, match="cannot be written as JSON"):
                await cache.get(Chunk(50))

    asyncio.run(story())


def test_what_another_job_is_at_is_not_begun_again_and_all_get_it(
    database: Callable[[], DatabaseShelf],
) -> None:
    async def story() -> None:
        sky, shelf = Sky(), database()
        sky.is_clear.clear()
        async with system(sky, shelf, workers=2) as (broker, [cache]):
            jobs = Jobs(await broker.port())
            # Given a job for what nobody has claimed, at work
            await jobs.put(QUEUE, ROUTE, Chunk(0), job_id="first")
            await sky.begun.wait()
            # When one more comes, and one whose result is waited for, and somebody asks
            await jobs.put(QUEUE, ROUTE, Chunk(0), job_id="second")
            third = asyncio.create_task(jobs.call(QUEUE, ROUTE, Chunk(0), timeout=200))
            asking = asyncio.create_task(cache.get(Chunk(0), timeout=200))
            # However long it takes
            for _ in range(100):
                await broker.advance("1 s")
                await asyncio.sleep(0.001)
            sky.is_clear.set()
            # Then it is made once, for all
            assert await asking == {"star": 1}
            await broker.advance("1 s")
            assert await third == {"star": 1}
            assert sky.computed == [0]
            await jobs.close()

    asyncio.run(story())


def test_who_waited_for_a_job_that_is_left_to_another_waits_for_that(
    database: Callable[[], DatabaseShelf],
) -> None:
    async def story() -> None:
        sky, shelf = Sky(), database()
        sky.is_clear.clear()
        async with system(sky, shelf, workers=0) as (broker, [cache]):
            await Jobs(await broker.port()).declare(QUEUE)
            # Given somebody who asked before it was forgotten, and a job that has begun since
            early = asyncio.create_task(cache.get(Chunk(0)))
            await until(lambda: broker.queue(QUEUE).depth == 1)
            await cache.forget(Chunk(0))
            now = (await broker.port()).clock.now()
            other = shelf.claim(chunks().entry(Chunk(0)), now=now, until=now + 60, maker="other")
            assert isinstance(other, Claim)
            async with Worker(sky.routes(chunks(shelf)), broker=await broker.port()) as worker:
                await until(lambda: worker.done == 1)
                assert sky.computed == []
                # When that one tells
                notice = Notice(key="0", of=(other.token,), value=msgspec.Raw(b"7"))
                await FanExchange(await broker.port()).publish("ps_cached_starmap", notice)
                assert await early == 7

    asyncio.run(story())
