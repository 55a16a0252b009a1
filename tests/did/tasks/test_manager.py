from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from penstock.clock import VirtualClock
from penstock.did.tasks import TASKS, Task, TaskManager
from penstock.did.tasks.permit import IDLE, RUNNING, Permit
from penstock.did.tasks.permits import read_permit, take_permit
from penstock.errors import DidError

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from penstock.did.database import DomainDatabase


@pytest.fixture
def kept(memory: DomainDatabase) -> DomainDatabase:
    memory.create(TASKS)
    return memory


class Work:
    """A task that counts how often it ran, and takes as long as the test likes."""

    def __init__(self, *, waits: bool = False, error: Exception | None = None) -> None:
        self.ran = 0
        self.ended = 0
        self.may_end = asyncio.Event()
        self._error = error
        if not waits:
            self.may_end.set()

    async def __call__(self) -> None:
        self.ran += 1
        try:
            await self.may_end.wait()
        finally:
            self.ended += 1
        if self._error is not None:
            raise self._error


def manager(database: DomainDatabase, clock: VirtualClock, me: str, work: Work) -> TaskManager:
    made = TaskManager(database, clock=clock, check_interval=10.0, me=me)
    made.register(Task("monitor", 30.0, work))
    return made


async def settle(*managers: TaskManager) -> None:
    while any(each.is_busy for each in managers):  # noqa: ASYNC110  a thread is waited for
        await asyncio.sleep(0.001)


async def looks(manager: TaskManager) -> None:
    """Have it look once, and wait for what it begins."""
    await manager.check()
    await settle(manager)


def run(story: Awaitable[Any]) -> None:
    async def with_deadline() -> None:
        async with asyncio.timeout(60):
            await story

    asyncio.run(with_deadline())


def test_a_task_is_run_again_when_its_interval_is_over(kept: DomainDatabase, clock: VirtualClock) -> None:
    async def story() -> None:
        work = Work()
        mine = manager(kept, clock, "me", work)
        await looks(mine)
        assert kept.do(read_permit, "monitor") == Permit("me", IDLE, clock.now())
        clock.advance(29)
        await looks(mine)
        assert work.ran == 1
        clock.advance(1)
        await looks(mine)
        assert work.ran == 2

    run(story())


def test_one_instance_runs_it_and_another_when_that_one_is_gone(
    kept: DomainDatabase, clock: VirtualClock
) -> None:
    async def story() -> None:
        mine, yours = Work(), Work()
        first, second = manager(kept, clock, "first", mine), manager(kept, clock, "second", yours)
        for _ in range(10):
            await looks(first)
            await looks(second)
            clock.advance(10)
        assert (mine.ran, yours.ran) == (4, 0)
        # The first is gone; its last word, ten seconds ago, holds for both intervals.
        for expected in (0, 0, 0, 0, 1, 1):
            await looks(second)
            assert yours.ran == expected
            clock.advance(10)

    run(story())


def test_one_that_died_with_a_clock_that_was_ahead_is_taken_over_as_soon(
    kept: DomainDatabase, clock: VirtualClock
) -> None:
    async def story() -> None:
        mine, yours = Work(), Work()
        early = VirtualClock(clock.now() + 5 * 3600)
        await looks(manager(kept, early, "first", mine))
        # The first is gone. Its permit is of the future, and holds for both intervals all the same.
        second = manager(kept, clock, "second", yours)
        for expected in (0, 0, 0, 0, 0, 1, 1):
            await looks(second)
            assert yours.ran == expected
            clock.advance(10)

    run(story())


def test_one_that_lives_with_a_clock_that_is_ahead_keeps_its_tasks(
    kept: DomainDatabase, clock: VirtualClock
) -> None:
    async def story() -> None:
        mine, yours = Work(), Work()
        early = VirtualClock(clock.now() + 5 * 3600)
        first, second = manager(kept, early, "first", mine), manager(kept, clock, "second", yours)
        for _ in range(20):
            await looks(first)
            await looks(second)
            clock.advance(10)
            early.advance(10)
        assert (mine.ran, yours.ran) == (7, 0)

    run(story())


def test_one_that_lives_with_a_clock_that_is_behind_keeps_its_tasks(
    kept: DomainDatabase, clock: VirtualClock
) -> None:
    async def story() -> None:
        mine, yours = Work(), Work(waits=True)
        late = VirtualClock(clock.now() - 5 * 3600)
        first, second = manager(kept, clock, "first", mine), manager(kept, late, "second", yours)
        await looks(first)
        # The first is silent for a while, and the other takes over, for long: hours ago, by its clock.
        for _ in range(6):
            await second.check()
            await asyncio.sleep(0)
            clock.advance(10)
            late.advance(10)
        assert yours.ran == 1
        for _ in range(20):
            await second.check()
            await looks(first)
            clock.advance(10)
            late.advance(10)
        assert (mine.ran, yours.ran) == (1, 1)
        assert not yours.ended
        yours.may_end.set()
        await settle(second)

    run(story())


def test_a_task_that_takes_long_is_not_begun_twice_and_not_taken_over(
    kept: DomainDatabase, clock: VirtualClock
) -> None:
    async def story() -> None:
        mine, yours = Work(waits=True), Work()
        first, second = manager(kept, clock, "first", mine), manager(kept, clock, "second", yours)
        for _ in range(20):
            await first.check()
            await asyncio.sleep(0)
            await looks(second)
            clock.advance(10)
        assert (mine.ran, yours.ran) == (1, 0)
        assert kept.do(read_permit, "monitor") == Permit("first", RUNNING, clock.now() - 10)
        assert repr(first) == "<TaskManager first, 1 tasks, running monitor>"
        mine.may_end.set()
        await settle(first)

    run(story())


def test_who_is_not_the_quickest_to_take_a_permit_does_not_run(
    kept: DomainDatabase, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        work = Work()
        mine = manager(kept, clock, "me", work)
        kept.do(take_permit, "monitor", None, "other", clock.now())
        # It looked before the other had it.
        monkeypatch.setattr("penstock.did.tasks.manager.read_permit", lambda _connection, _task: None)
        await looks(mine)
        assert work.ran == 0
        assert kept.do(read_permit, "monitor") == Permit("other", RUNNING, clock.now())

    run(story())


def test_a_task_that_another_has_taken_over_is_stopped_here(
    kept: DomainDatabase, clock: VirtualClock
) -> None:
    async def story() -> None:
        mine = Work(waits=True)
        first = manager(kept, clock, "first", mine)
        await first.check()
        await asyncio.sleep(0)
        # The first was paused for too long.
        kept.do(take_permit, "monitor", kept.do(read_permit, "monitor"), "second", clock.now())
        await looks(first)
        assert (mine.ran, mine.ended) == (1, 1)
        assert kept.do(read_permit, "monitor") == Permit("second", RUNNING, clock.now())

    run(story())


def test_a_task_that_fails_is_run_again_and_harms_no_other(kept: DomainDatabase, clock: VirtualClock) -> None:
    async def story() -> None:
        bad, good = Work(error=ValueError("no")), Work()
        mine = manager(kept, clock, "me", bad)
        mine.register(Task("expiry", 30.0, good))
        for _ in range(2):
            await looks(mine)
            clock.advance(30)
        assert (bad.ran, good.ran) == (2, 2)

    run(story())


def test_while_the_database_is_away_it_looks_on(kept: DomainDatabase, clock: VirtualClock) -> None:
    async def story() -> None:
        work = Work(waits=True)
        mine = manager(kept, clock, "me", work)
        await mine.check()
        await asyncio.sleep(0)
        kept.do(lambda c: c.exec_driver_sql("ALTER TABLE penstock_task_permits RENAME TO away"))
        await mine.check()
        work.may_end.set()
        await settle(mine)
        kept.do(lambda c: c.exec_driver_sql("ALTER TABLE away RENAME TO penstock_task_permits"))
        # It ran, and nobody could be told: its permit says that it runs, until it is old enough.
        clock.advance(30)
        await looks(mine)
        assert work.ran == 2

    run(story())


def test_it_looks_at_the_start_and_every_check_interval(kept: DomainDatabase, clock: VirtualClock) -> None:
    async def story() -> None:
        work = Work()
        mine = manager(kept, clock, "me", work)
        await mine.start()
        for count in (1, 2):
            while work.ran < count:
                await asyncio.sleep(0.001)
                if count > 1:
                    clock.advance(5)
        await settle(mine)
        await mine.stop()
        assert work.ran == 2

    run(story())


def test_what_runs_at_the_stop_is_cancelled_and_can_be_taken_over(
    kept: DomainDatabase, clock: VirtualClock
) -> None:
    async def story() -> None:
        mine, yours = Work(waits=True), Work()
        first, second = manager(kept, clock, "first", mine), manager(kept, clock, "second", yours)
        await first.start()
        while not mine.ran:  # noqa: ASYNC110  a thread is waited for
            await asyncio.sleep(0.001)
        await first.stop()
        assert mine.ended == 1
        clock.advance(41)
        await looks(second)
        assert yours.ran == 1

    run(story())


def test_an_instance_has_an_id_of_its_own_and_each_task_once(
    kept: DomainDatabase, clock: VirtualClock
) -> None:
    assert TaskManager(kept, clock=clock).instance != TaskManager(kept, clock=clock).instance

    async def story() -> None:
        mine = manager(kept, clock, "me", Work())
        with pytest.raises(DidError, match="there is a task monitor already"):
            mine.register(Task("monitor", 1.0, Work()))
        await mine.stop()

    run(story())
