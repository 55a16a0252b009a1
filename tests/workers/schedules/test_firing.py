from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from penstock import testing
from penstock.clock import VirtualClock
from penstock.errors import StoreError
from penstock.messaging import Context, Message
from penstock.messaging.subscriptions import worker as pools
from penstock.workers import Job, Routes, Schedules, Worker
from penstock.workers.schedules.firing import PUT, OncePerFiring
from penstock.workers.schedules.scheduler import CLAIM_S
from tests.messaging.fakes import FakeReceived

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Forgetful(Schedules):
    """A database in which what a scheduler has put is not noted, the first time: as if it had been killed."""

    has_forgotten = False

    def settle(self, put: Iterable[Any]) -> None:
        if not self.has_forgotten:
            self.has_forgotten = True
            raise StoreError("the process is dead")
        super().settle(put)


def test_a_cron_that_was_put_twice_is_done_once_and_a_job_that_fails_is_tried_again(tmp_path: Path) -> None:
    routes, done = Routes("bg"), list[tuple[str, int]]()
    routes.cron("*/5 * * * *", "bg", "/fleet/count")

    @routes.route("/fleet/count")
    async def count(job: Job[Any]) -> None:
        done.append((job.id, job.attempts))
        if not job.attempts:
            raise RuntimeError("once more")

    async def story() -> None:
        store = Forgetful(f"sqlite:///{tmp_path / 'schedules.db'}")
        async with testing.broker() as broker:
            worker = Worker(routes, broker=await broker.port(), schedules=store)
            broker.watch(worker)
            async with worker:
                await broker.advance("5 min")
                await broker.advance(CLAIM_S + 5)
                await broker.advance("1 min")
                assert worker.done == 2, "the job, and the one that was put besides"
        store.close()
        assert [attempts for _, attempts in done] == [0, 1]
        assert len({name for name, _ in done}) == 1

    asyncio.run(story())


def test_which_put_counts_is_asked_for_jobs_of_crons_alone() -> None:
    async def story() -> None:
        store, seen = Schedules("sqlite://"), list[Any]()

        async def do(taken: Any, context: Context) -> None:
            seen.append(taken)

        once = OncePerFiring(do, store, VirtualClock())
        assert repr(once) == "<OncePerFiring by <Schedules sqlite://>>"
        await once.do("any", context_of())
        with pytest.raises(StoreError):
            await once.do("no table yet", context_of("a"))
        store.create()
        for put in "aba":
            await once.do(put, context_of(put))
        assert seen == ["any", "a", "a"]
        store.close()

    asyncio.run(story())


def context_of(put: str | None = None) -> Context:
    headers = {} if put is None else {PUT: put}
    received = FakeReceived(Message(body=b"{}", id="j1", headers=headers))
    return Context(received, "bg", pools.Worker(), VirtualClock())
