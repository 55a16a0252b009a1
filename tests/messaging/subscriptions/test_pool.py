from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from penstock.clock import VirtualClock
from penstock.messaging.subscriptions.pool import JOBS_A_TURN, Pool
from tests.messaging.fakes import turns

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import pytest

    from penstock.messaging.subscriptions.worker import Worker


class Hall:
    """A pool whose jobs wait to be let go, and what they did."""

    def __init__(self, size: int, time_limit: float | None = None) -> None:
        self.clock = VirtualClock()
        self.pool: Pool[Any] = Pool(size, self.run, clock=self.clock, time_limit=time_limit)
        self.begun: list[Any] = []
        self.done: list[Any] = []
        self.interrupted: list[Any] = []
        self.gates: dict[Any, asyncio.Event] = {}

    async def run(self, job: Any, worker: Worker) -> None:
        self.begun.append(job)
        try:
            if callable(job):
                job(worker)
            else:
                await self.gates.setdefault(job, asyncio.Event()).wait()
        except asyncio.CancelledError:
            if not worker.is_interrupted():
                raise
            self.interrupted.append(job)
        else:
            self.done.append(job)

    def let_go(self, *jobs: Any) -> None:
        for job in jobs:
            self.gates[job].set()


def run_in_hall(size: int, story: Callable[[Hall], Awaitable[None]], time_limit: float | None = None) -> None:
    async def main() -> None:
        hall = Hall(size, time_limit)
        hall.pool.start()
        try:
            await story(hall)
        finally:
            await hall.pool.close()

    asyncio.run(main())


def test_so_many_jobs_are_done_at_a_time_in_order() -> None:
    async def story(hall: Hall) -> None:
        hall.pool.put([1, 2, 3, 4])
        await turns()
        assert hall.begun == [1, 2]
        assert repr(hall.pool) == "<Pool 2 of 2 busy, 2 waiting>"
        assert hall.pool.waiting == 2
        hall.let_go(2)
        await turns()
        assert (hall.begun, hall.done) == ([1, 2, 3], [2])
        hall.let_go(1, 3)
        await turns()
        hall.let_go(4)
        assert await hall.pool.drain()
        assert hall.done == [2, 1, 3, 4]

    run_in_hall(2, story)


def test_a_pool_that_is_idle_is_drained() -> None:
    async def story(hall: Hall) -> None:
        assert await hall.pool.drain(5)

    run_in_hall(1, story)


def test_draining_waits_for_the_last() -> None:
    async def story(hall: Hall) -> None:
        hall.pool.put([1, 2])
        await turns()
        draining = asyncio.create_task(hall.pool.drain())
        await turns()
        hall.let_go(1)
        await turns()
        assert not draining.done()
        hall.let_go(2)
        assert await draining is True

    run_in_hall(2, story)


def test_draining_ends_when_its_time_is_over() -> None:
    async def story(hall: Hall) -> None:
        hall.pool.put([1])
        draining = asyncio.create_task(hall.pool.drain(30))
        await turns()
        hall.clock.advance(29)
        await turns()
        assert not draining.done()
        hall.clock.advance(1)
        assert await draining is False

    run_in_hall(1, story)


def test_what_was_not_begun_can_be_taken_back() -> None:
    async def story(hall: Hall) -> None:
        hall.pool.put([1, 2, 3])
        await turns()
        assert hall.pool.take_back() == [2, 3]
        hall.let_go(1)
        await turns()
        assert hall.done == [1]

    run_in_hall(1, story)


def test_a_job_over_its_time_is_interrupted_and_the_worker_goes_on() -> None:
    async def story(hall: Hall) -> None:
        hall.pool.put([1])
        await turns()
        hall.clock.advance(20)
        hall.pool.put([2])
        await turns()
        hall.clock.advance(10)
        await turns()
        assert hall.interrupted == [1]
        hall.clock.advance(19)
        await turns()
        assert hall.interrupted == [1]
        hall.clock.advance(1)
        await turns()
        assert hall.interrupted == [1, 2]
        hall.pool.put([3, 4, 5])
        await turns()
        assert hall.begun == [1, 2, 3, 4]
        hall.let_go(3, 4)
        await turns()
        assert hall.begun[-1] == 5

    run_in_hall(2, story, time_limit=30)


def test_a_job_that_asks_for_more_time_gets_it() -> None:
    async def story(hall: Hall) -> None:
        hall.pool.put([1])
        await turns()
        hall.clock.advance(29)
        hall.pool.workers[0].extend(hall.clock.now() + 100)
        hall.clock.advance(99)
        await turns()
        assert hall.interrupted == []
        hall.clock.advance(1)
        await turns()
        assert hall.interrupted == [1]

    run_in_hall(1, story, time_limit=30)


def test_the_time_limit_of_one_job_does_not_hit_the_next() -> None:
    async def story(hall: Hall) -> None:
        hall.pool.put([1, 2])
        await turns()
        hall.clock.advance(29)
        hall.let_go(1)
        await turns()
        hall.clock.advance(29)
        await turns()
        assert (hall.done, hall.interrupted) == ([1], [])

    run_in_hall(1, story, time_limit=30)


def test_a_worker_survives_a_job_that_ends_as_nobody_expected(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: Worker) -> None:
        raise RuntimeError("a mistake")

    async def story(hall: Hall) -> None:
        hall.pool.put([broken, 1])
        await turns()
        hall.let_go(1)
        await turns()
        assert hall.done == [1]

    run_in_hall(1, story)
    assert "a job ended in a way that nobody expected" in caplog.text


def test_jobs_that_never_wait_leave_the_loop_to_others_now_and_then() -> None:
    async def story(hall: Hall) -> None:
        quick: list[Any] = [lambda _: None] * (3 * JOBS_A_TURN)
        hall.pool.put(quick)
        await asyncio.sleep(0)
        assert 0 < len(hall.done) <= JOBS_A_TURN
        await turns()
        assert len(hall.done) == len(quick)

    run_in_hall(1, story)


def test_a_slow_job_leaves_the_loop_to_others_at_once() -> None:
    async def story(hall: Hall) -> None:
        hall.pool.put([lambda _: hall.clock.advance(0.006)] * 3)
        counts = []
        for _ in range(4):
            await asyncio.sleep(0)
            counts.append(len(hall.done))
        assert counts[0] == 1
        await turns()
        assert len(hall.done) == 3

    run_in_hall(1, story)


def test_a_worker_takes_nothing_else_until_its_thread_is_done() -> None:
    async def story(hall: Hall) -> None:
        thread: asyncio.Future[object] = asyncio.get_running_loop().create_future()

        def leave(worker: Worker) -> None:
            worker.leftover = thread

        hall.pool.put([leave, 1])
        await turns()
        assert (hall.begun, hall.pool.running) == ([leave], 0)
        assert repr(hall.pool.workers) == "[<Worker stuck since 0.000>]"
        thread.set_result(None)
        await turns()
        assert hall.begun == [leave, 1]

    run_in_hall(1, story)


def test_a_limit_that_ends_before_the_others_is_kept_too() -> None:
    async def story(hall: Hall) -> None:
        hall.pool.put([1, 2])
        await turns()
        hall.pool.workers[1].limit_to(5.0)
        hall.clock.advance(5)
        await turns()
        assert hall.interrupted == [2]
        hall.clock.advance(25)
        await turns()
        assert hall.interrupted == [2, 1]

    run_in_hall(2, story, time_limit=30)
