from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from penstock import testing
from penstock.errors import NotConnected, StoreError
from penstock.messaging.tracing import Trace, within
from penstock.workers.jobs import Jobs
from penstock.workers.routes import Routes
from penstock.workers.schedules import Scheduler, Schedules
from penstock.workers.schedules.scheduler import CLAIM_S
from tests.messaging.fakes import FakeBroker, turns

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    import pytest


class Stage:
    """A broker whose time is moved, and schedulers beside it."""

    def __init__(self, controlled: testing.ControlledBroker, jobs: Jobs, store: Schedules) -> None:
        self.controlled = controlled
        self.jobs = jobs
        self.store = store
        self.schedulers: list[Scheduler] = []

    async def start(self, routes: Routes | None = None, poll: float = 1.0) -> Scheduler:
        scheduler = Scheduler(self.store, self.jobs, (routes or Routes()).recurring, poll=poll)
        self.schedulers.append(scheduler)
        self.controlled.watch(scheduler)
        await scheduler.start()
        return scheduler

    async def depth(self) -> int:
        await self.controlled.settled()
        return await self.jobs.broker.depth("bg") or 0


@asynccontextmanager
async def on_stage(folder: Path) -> AsyncIterator[Stage]:
    store = Schedules(f"sqlite:///{folder / 'schedules.db'}")
    async with testing.broker() as controlled:
        stage = Stage(controlled, Jobs(await controlled.port(), store), store)
        try:
            yield stage
        finally:
            for scheduler in stage.schedulers:
                await scheduler.stop()
            store.close()


def test_a_job_is_put_when_it_is_due(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            scheduler = await stage.start()
            name = await stage.jobs.put("bg", "/a", key="k", delay=60)
            await stage.controlled.advance(59)
            assert await stage.depth() == 0
            await stage.controlled.advance(1)
            assert await stage.depth() == 1
            (message,) = stage.controlled.queue("bg").messages
            assert (message.properties.message_id, scheduler.put) == (name, 1)
            assert await stage.jobs.scheduled("k") is None
            assert "1 jobs put" in repr(scheduler)

    asyncio.run(story())


def test_a_job_with_a_key_goes_on_with_the_trace_that_it_was_put_in_and_a_cron_begins_one(
    tmp_path: Path,
) -> None:
    trace = Trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=1")
    routes = Routes()
    routes.cron("* * * * *", "crons", "/a")

    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            # Whoever starts a scheduler is not what its jobs come of.
            with within(Trace("00-" + "3" * 32 + "-" + "4" * 16 + "-01")):
                await stage.start(routes)
            with within(trace):
                await stage.jobs.put("bg", "/a", key="traced", delay=20)
                assert await stage.jobs.reschedule("traced", delay=10)
            await stage.jobs.put("bg", "/a", key="untraced", delay=20)
            await stage.controlled.advance(120)
            assert await stage.depth() == 2
            found = [traced(each) for each in stage.controlled.queue("bg").messages]
            assert found == [trace, None]
            crons = [traced(each) for each in stage.controlled.queue("crons").messages]
            assert len({each.numbers[0] for each in crons if each is not None}) == len(crons) == 2
            assert "3" * 32 not in str(crons)

    asyncio.run(story())


def traced(message: Any) -> Trace | None:
    return Trace.maybe_in(message.properties.as_dict().get("headers", {}))


def test_what_was_cancelled_is_not_put_and_what_was_moved_is_put_then(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            await stage.start()
            for key in ("cancelled", "moved"):
                await stage.jobs.put("bg", "/a", key=key, delay=10)
            assert await stage.jobs.cancel("cancelled")
            assert await stage.jobs.reschedule("moved", delay=20)
            await stage.controlled.advance(19)
            assert await stage.depth() == 0
            await stage.controlled.advance(2)
            assert await stage.depth() == 1

    asyncio.run(story())


def test_a_cron_fires_once_however_many_schedulers_run(tmp_path: Path) -> None:
    routes = Routes()
    routes.cron("* * * * *", "bg", "/captcha/generate")

    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            for _ in range(3):
                await stage.start(routes, poll=60)
            await stage.controlled.advance(5 * 60)
            assert await stage.depth() == 5
            ids = {each.properties.message_id for each in stage.controlled.queue("bg").messages}
            assert (len(ids), sum(each.put for each in stage.schedulers)) == (5, 5)

    asyncio.run(story())


def test_after_a_night_without_schedulers_a_cron_comes_once(tmp_path: Path) -> None:
    routes = Routes()
    routes.cron("* * * * *", "bg", "/captcha/generate")

    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            await (await stage.start(routes)).stop()
            await stage.controlled.advance("8 h")
            await stage.start(routes)
            await stage.controlled.advance(1)
            assert await stage.depth() == 1

    asyncio.run(story())


def test_a_scheduler_that_died_in_between_leaves_its_jobs_to_another(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            stage.store.create()
            await stage.jobs.put("bg", "/a", key="k")
            now = stage.controlled.clock.now()
            # Given one that has claimed the row, and was never heard of again
            assert len(stage.store.claim(now, now + CLAIM_S, (), 10)) == 1
            await stage.start()
            await stage.controlled.advance(CLAIM_S - 1)
            assert await stage.depth() == 0
            await stage.controlled.advance(2)
            assert await stage.depth() == 1

    asyncio.run(story())


def test_while_the_broker_is_away_jobs_are_late_and_not_lost(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        broker, store = FakeBroker(), Schedules(f"sqlite:///{tmp_path / 'schedules.db'}")
        store.create()
        jobs = Jobs(broker, store)
        scheduler = Scheduler(store, jobs, {})
        await jobs.put("bg", "/a", key="k")
        broker.errors.append(NotConnected("away"))
        await scheduler._turn()
        assert await scheduler._turn() == 1.0
        assert (broker.published, await jobs.scheduled("k") is not None) == ([], True)
        broker.clock.advance(CLAIM_S)
        await scheduler._turn()
        assert len(broker.published) == 1
        store.close()

    asyncio.run(story())
    assert "the job of schedule 'k' is late: away" in caplog.text


def test_a_job_that_can_never_be_put_does_not_have_the_others_put_again_and_again(tmp_path: Path) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            scheduler = await stage.start()
            # No broker has a queue of that name.
            await stage.jobs.put("x" * 300, "/a", key="never")
            await stage.jobs.put("bg", "/a", key="k")
            await stage.controlled.advance(3 * CLAIM_S)
            assert (await stage.depth(), scheduler.put) == (1, 1)
            assert await stage.jobs.scheduled("k") is None

    asyncio.run(story())


def test_a_job_that_is_on_its_way_when_a_scheduler_stops_is_not_put_by_another(tmp_path: Path) -> None:
    class Slow(FakeBroker):
        async def publish(self, *arguments: Any, **options: Any) -> None:
            has_begun.set()
            await goes_on.wait()
            await super().publish(*arguments, **options)

    async def story() -> None:
        broker, store = Slow(), Schedules(f"sqlite:///{tmp_path / 'schedules.db'}")
        jobs = Jobs(broker, store)
        store.create()
        await jobs.put("bg", "/a", key="k")
        scheduler = Scheduler(store, jobs, {})
        await scheduler.start()
        await has_begun.wait()
        stopping = asyncio.create_task(scheduler.stop())
        await turns()
        goes_on.set()
        await stopping
        assert (len(broker.published), await jobs.scheduled("k")) == (1, None)
        store.close()

    has_begun, goes_on = asyncio.Event(), asyncio.Event()
    asyncio.run(story())


def test_while_the_database_is_away_it_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        async with on_stage(tmp_path) as stage:
            scheduler = await stage.start()
            asked: list[object] = []

            def broken(crons: object) -> float | None:
                asked.append(crons)
                raise StoreError("away")

            monkeypatch.setattr(stage.store, "next_at", broken)
            await stage.controlled.advance(3)
            assert len(asked) >= 2
            monkeypatch.undo()
            await stage.jobs.put("bg", "/a", key="k")
            await stage.controlled.advance(2)
            assert (await stage.depth(), scheduler.put) == (1, 1)

    asyncio.run(story())
