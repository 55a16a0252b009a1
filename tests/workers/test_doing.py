from __future__ import annotations

import asyncio
from math import inf
from typing import Any, cast

import msgspec
import pytest

from penstock.clock import VirtualClock
from penstock.errors import PersistentError, RequestRefused, TakenBefore
from penstock.messaging import Context, Message
from penstock.messaging.subscriptions import ErrorClass, Failure
from penstock.messaging.subscriptions.worker import Worker
from penstock.workers.doing import Doing
from penstock.workers.form import encode_form
from penstock.workers.job import Desk, Job
from penstock.workers.reporting import Reporter
from penstock.workers.routes import Routes
from penstock.workers.running import Running
from tests.messaging.fakes import FakeBroker, FakeReceived


class Shop:
    """All that doing a job takes."""

    def __init__(self) -> None:
        self.routes, self.broker = Routes(), FakeBroker()
        self.reporter = Reporter(self.broker)
        self.worker = Worker()
        self.seen: list[Job[Any]] = []

        @self.routes.route("/add", time_limit=5)
        async def add(job: Job[list[int]]) -> int:
            self.seen.append(job)
            return sum(job.content)

        @self.routes.route("/refuse")
        async def refuse(job: Job[str]) -> None:
            raise RequestRefused(job.content, status=409)

        @self.routes.route("/free")
        async def free(job: Job[Any]) -> None:
            self.seen.append(job)

    @property
    def doing(self) -> Doing:
        return Doing(self.routes, Running(1, 1), Desk(cast("Any", None), self.reporter), 10)

    async def do(self, received: FakeReceived) -> None:
        context = Context(received, "bg", self.worker, VirtualClock(100.0))
        await self.doing.do(self.doing.read(received), context)

    @property
    def told(self) -> list[Any]:
        return [msgspec.json.decode(message.body) for message, _ in self.broker.published]


def job(route: str, content: Any, **more: Any) -> FakeReceived:
    return FakeReceived(Message(body=encode_form(route, content, 3), id="j1", **more))


def test_a_job_is_done_with_its_own_time_limit_and_the_result_is_told_before_the_ack() -> None:
    async def story() -> None:
        shop = Shop()
        await shop.do(job("/add", [1, 2], reply_to="till"))
        assert shop.told == [{"job": "j1", "state": "done", "value": 3}]
        (done,) = shop.seen
        assert (done.user_id, done.id, done.time_left) == (3, "j1", 5.0)

    asyncio.run(story())


def test_without_a_limit_of_its_own_and_anybody_waiting_nothing_is_done_about_them() -> None:
    async def story() -> None:
        shop = Shop()
        await shop.do(job("/free", {}))
        assert (shop.told, shop.worker.deadline) == ([], inf)

    asyncio.run(story())


def test_what_a_handler_refuses_is_an_answer_and_a_failure_only_where_nobody_waits() -> None:
    async def story() -> None:
        shop = Shop()
        await shop.do(job("/refuse", "not now", reply_to="till"))
        assert shop.told == [{"job": "j1", "state": "failed", "error": "not now", "status": 409}]
        with pytest.raises(PersistentError, match="not now"):
            await shop.do(job("/refuse", "not now"))

    asyncio.run(story())


def test_a_job_that_the_broker_would_take_back_can_ask_for_more_as_any_other() -> None:
    async def story() -> None:
        shop = Shop()
        await shop.do(job("/add", [], headers={"x-ttr": 4}))
        (done,) = shop.seen
        assert done.time_left == 5.0
        done.touch(1000)
        assert done.time_left == 1000

    asyncio.run(story())


def test_a_job_that_a_worker_had_before_is_not_begun_before_that_is_counted() -> None:
    async def story() -> None:
        shop, received = Shop(), job("/add", [1])
        received.redelivered = True
        with pytest.raises(TakenBefore):
            shop.doing.read(received)

    asyncio.run(story())


def test_whoever_waits_is_told_that_a_job_is_a_dead_letter() -> None:
    async def story() -> None:
        shop = Shop()
        for reply_to in ("till", None):
            message = job("/add", [], reply_to=reply_to).message
            failure = Failure(
                message=message,
                error=ValueError("no such thing"),
                error_class=ErrorClass.UNKNOWN,
                attempts=10,
                at=0,
                first_at=0,
                consumer="bg",
                queue="bg",
            )
            shop.doing.died(failure, "tried 10 times")
        await shop.reporter.drain()
        assert shop.told == [{"job": "j1", "state": "failed", "error": "no such thing (tried 10 times)"}]

    asyncio.run(story())
