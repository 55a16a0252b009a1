from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from penstock import testing
from penstock.client import Queue
from penstock.errors import MessagingError, NoReply, NoSchedules, PublishTimeout
from penstock.messaging import Topology
from penstock.workers.jobs import Jobs
from penstock.workers.schedules import Schedules
from tests.messaging.fakes import FakeBroker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def schedules(tmp_path: Path) -> Iterator[Schedules]:
    store = Schedules(f"sqlite:///{tmp_path / 'schedules.db'}")
    store.create()
    yield store
    store.close()


def test_a_job_is_put_in_the_seeds_form_on_a_queue_that_is_made_for_it() -> None:
    async def story() -> None:
        async with testing.broker() as controlled, Jobs(await controlled.port()) as jobs:
            name = await jobs.put("bg_building", "/building/finishUpgrade", {"building_id": 7}, user_id=3)
            await controlled.settled()
            (message,) = controlled.queue("bg_building").messages
            assert msgspec.json.decode(message.body) == {
                "route": "/building/finishUpgrade",
                "user_id": 3,
                "content": {"building_id": 7},
            }
            assert message.properties.message_id == name
            assert controlled.queue("bg_building.dead-letters").depth == 0
            assert await jobs.put("bg_building", "/captcha/generate", job_id="mine") == "mine"

    asyncio.run(story())


def test_a_queue_that_is_there_is_taken_as_it_is() -> None:
    async def story() -> None:
        async with testing.broker() as controlled:
            broker = await controlled.port()
            await broker.initialize(Topology(queues=(Queue("bg", arguments={"x-max-length": 5}),)))
            await Jobs(broker).put("bg", "/captcha/generate")
            assert await broker.depth("bg") == 1

    asyncio.run(story())


def test_a_queue_of_another_s_that_has_gone_since_is_made_anew() -> None:
    async def story() -> None:
        async with testing.broker() as controlled:
            broker = await controlled.port()
            tube = Queue("bg_captcha", durable=False)
            await broker.initialize(Topology(queues=(tube,)))
            jobs = Jobs(broker)
            await jobs.declare("bg_captcha")
            await broker.client.withdraw(tube)
            await jobs.put("bg_captcha", "/captcha/generate")
            assert await broker.depth("bg_captcha") == 1

    asyncio.run(story())


def test_the_most_urgent_job_comes_first() -> None:
    async def story() -> None:
        async with testing.broker() as controlled:
            broker = await controlled.port()
            jobs = Jobs(broker)
            for priority in (9, 5, 0, 5):
                await jobs.put("bg", "/a", {"priority": priority}, priority=priority)
            bodies = [received.body for _ in range(4) if (received := await broker.fetch("bg"))]
            assert [msgspec.json.decode(body)["content"]["priority"] for body in bodies] == [0, 5, 5, 9]
            with pytest.raises(MessagingError, match="0, the most urgent"):
                await jobs.put("bg", "/a", priority=10)

    asyncio.run(story())


@pytest.mark.parametrize("told", ["a span", "a time", "an instant"])
def test_a_delay_is_the_brokers_to_keep(told: str) -> None:
    async def story() -> None:
        async with testing.broker() as controlled:
            jobs, due = Jobs(await controlled.port()), controlled.clock.now() + 3600
            ways: dict[str, Any] = {
                "a span": {"delay": timedelta(hours=1)},
                "a time": {"at": datetime.fromtimestamp(due, UTC)},
                "an instant": {"at": due},
            }
            await jobs.put("bg", "/building/finishUpgrade", **ways[told])
            await controlled.advance(3599)
            assert [each.state for each in controlled.queue("bg").messages] == ["delayed"]
            await controlled.advance(1)
            assert [each.state for each in controlled.queue("bg").messages] == ["ready"]

    asyncio.run(story())


def test_what_is_due_in_the_past_is_due_now_and_a_time_needs_a_zone() -> None:
    jobs = Jobs(FakeBroker())
    assert (jobs._wait(0.0, 5.0), jobs._wait(-3, None)) == (0.0, 0.0)
    with pytest.raises(MessagingError, match="without a zone"):
        jobs._wait(0.0, datetime(2030, 1, 1))  # noqa: DTZ001  that is the mistake
    with pytest.raises(MessagingError, match="not both"):
        jobs._wait(1.0, 2000.0)


def test_a_job_with_a_key_waits_in_the_database_and_can_be_moved_and_cancelled(schedules: Schedules) -> None:
    async def story() -> None:
        broker = FakeBroker()
        jobs = Jobs(broker, schedules)
        name = await jobs.put("bg", "/building/finishUpgrade", key="building 7", delay=60)
        found = await jobs.scheduled("building 7")
        assert found is not None
        assert (found.job, found.due_at, found.queue, found.priority) == (name, 1060.0, "bg", 5)
        assert broker.published == []
        assert await jobs.reschedule("building 7", delay=30)
        assert (await jobs.scheduled("building 7")).due_at == 1030.0  # type: ignore[union-attr]
        assert await jobs.cancel("building 7")
        assert await jobs.scheduled("building 7") is None
        assert not await jobs.cancel("building 7")
        assert not await jobs.reschedule("building 7")

    asyncio.run(story())


def test_a_key_without_a_database_is_refused_with_what_to_do() -> None:
    jobs = Jobs(FakeBroker())
    for asked in (jobs.put("bg", "/a", key="k"), jobs.cancel("k"), jobs.reschedule("k"), jobs.scheduled("k")):
        with pytest.raises(NoSchedules, match="sqlite:///"):
            asyncio.run(asked)


def test_a_call_that_is_not_answered_is_forgotten() -> None:
    async def story() -> None:
        async with testing.broker() as controlled, Jobs(await controlled.port()) as jobs:
            calling = asyncio.create_task(jobs.call("bg", "/a", timeout=5))
            await controlled.settled()
            (message,) = controlled.queue("bg").messages
            assert message.properties.reply_to == jobs._replies.queue
            await controlled.advance(5)
            with pytest.raises(NoReply):
                await calling
            assert not jobs._replies._asked

    asyncio.run(story())


def test_a_job_that_could_not_be_put_is_not_waited_for() -> None:
    async def story() -> None:
        broker = FakeBroker()
        jobs = Jobs(broker)
        broker.errors.append(PublishTimeout("too late"))
        with pytest.raises(PublishTimeout):
            await jobs.ask("bg", "/a")
        assert not jobs._replies._asked

    asyncio.run(story())


def test_jobs_are_opened_by_url_and_leave_a_broker_that_was_lent_open() -> None:
    async def story() -> None:
        async with await Jobs.open() as jobs:
            await jobs.put("bg", "/a")
            assert repr(jobs).startswith("<Jobs on <AmqpBroker Penstock")
            own = jobs.broker
        assert not own.is_connected
        lent = FakeBroker()
        await Jobs(lent).close()
        assert lent.is_connected

    asyncio.run(story())
