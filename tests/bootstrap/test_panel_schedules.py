"""The workers' schedules behind the panel's port."""

from __future__ import annotations

import asyncio

from penstock.bootstrap.panel_schedules import WorkersSchedules
from penstock.clock import VirtualClock
from penstock.workers.cron import Cron
from penstock.workers.schedules import Schedules
from penstock.workers.schedules.scheduled import Scheduled


def test_jobs_and_crons_are_listed_and_jobs_are_run_or_cancelled() -> None:
    async def story() -> None:
        store = Schedules("sqlite://")
        store.create()
        job = Scheduled(key="a", job="j", due_at=500.0, queue="work", body=b"{}", priority=0)
        store.put(job)
        store.follow({"nightly": Cron("0 3 * * *")}, 100.0)
        schedules = WorkersSchedules(store, VirtualClock(100.0))
        listed = await schedules.listed(10)
        assert [(each.kind, each.key, each.queue, each.cron) for each in listed] == [
            ("job", "a", "work", None),
            ("cron", "nightly", None, "0 3 * * * (UTC)"),
        ]
        assert await schedules.run("a")
        assert (await schedules.listed(1))[0].due_at == 100.0
        assert await schedules.cancel("a")
        assert not await schedules.cancel("a")
        assert not await schedules.run("nightly")
        store.close()

    asyncio.run(story())
