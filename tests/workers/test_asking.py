from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from penstock.clock import VirtualClock
from penstock.errors import JobFailed, NoReply
from penstock.messaging import Message
from penstock.workers.asking import Asked, Replies
from penstock.workers.reply import Reply
from tests.messaging.fakes import FakeBroker, FakeReceived, turns


class Level(msgspec.Struct):
    level: int


def reply(state: Any, value: Any = None, error: str = "", job: str = "j1") -> Reply:
    return Reply(job=job, state=state, value=msgspec.Raw(msgspec.json.encode(value)), error=error)


def test_the_result_has_the_type_that_was_asked_for() -> None:
    async def story() -> None:
        asked = Asked[Level]("j1", Level, VirtualClock())
        waiting = asyncio.create_task(asked.result(10))
        await turns()
        asked.tell(reply("done", {"level": 4}))
        assert await waiting == Level(4)
        assert (asked.is_over, repr(asked)) == (True, "<Asked j1, done>")

    asyncio.run(story())


def test_a_result_of_another_type_is_told() -> None:
    async def story() -> None:
        asked = Asked[Level]("j1", Level, VirtualClock())
        asked.tell(reply("done", {"level": "high"}))
        with pytest.raises(JobFailed, match="its result is not what was asked"):
            await asked.result()

    asyncio.run(story())


def test_a_result_that_is_no_text_is_told() -> None:
    async def story() -> None:
        asked = Asked[Any]("j1", Any, VirtualClock())
        asked.tell(Reply(job="j1", state="done", value=msgspec.Raw(b'"\xff"')))
        with pytest.raises(JobFailed, match="its result is not what was asked"):
            await asked.result()

    asyncio.run(story())


def test_a_failure_is_raised_where_it_is_waited_for() -> None:
    async def story() -> None:
        asked = Asked[Any]("j1", Any, VirtualClock())
        asked.tell(reply("failed", error="no such building"))
        with pytest.raises(JobFailed, match="the job j1 failed: no such building"):
            await asked.result()

    asyncio.run(story())


def test_without_a_reply_in_time_the_job_can_be_waited_for_again() -> None:
    async def story() -> None:
        clock = VirtualClock()
        asked = Asked[Any]("j1", Any, clock)
        waiting = asyncio.create_task(asked.result(10))
        await turns()
        asked.tell(reply("progress", 1))
        await turns()
        clock.advance(10)
        with pytest.raises(NoReply, match="no result after 10 s"):
            await waiting
        asked.tell(reply("done", 5))
        assert await asked.result(10) == 5

    asyncio.run(story())


def test_reports_are_seen_as_they_come_until_the_job_is_over() -> None:
    async def story() -> None:
        asked, seen = Asked[Any]("j1", Any, VirtualClock()), list[Any]()

        async def watch() -> None:
            async for each in asked.reports():
                seen.append(each)

        watching = asyncio.create_task(watch())
        for number in range(3):
            asked.tell(reply("progress", number))
            await turns()
            assert seen == list(range(number + 1))
        asked.tell(reply("done", "first"))
        asked.tell(reply("done", "second"))
        asked.tell(reply("progress", "late"))
        await watching
        assert (seen, await asked.result()) == ([0, 1, 2], "first")

    asyncio.run(story())


def test_replies_find_the_job_they_are_about_and_strays_do_no_harm() -> None:
    async def story() -> None:
        broker = FakeBroker()
        replies = Replies(broker)
        await asyncio.gather(replies.open(), replies.open())
        assert [each.queue for each in broker.subscriptions] == [replies.queue]
        ((queue,),) = (topology.queues for topology in broker.topologies)
        assert (queue.name, queue.durable, "x-expires" in queue.arguments) == (replies.queue, True, True)
        asked = replies.expect("j1", int)
        arrived = [
            FakeReceived(Message(body=body))
            for body in (
                b"no reply",
                b'{"job":"\xff","state":"done"}',
                b'{"job":"j1","state":"progress","value":' + b"[" * 5000 + b"]" * 5000 + b"}",
                msgspec.json.encode(reply("done", 1, job="another")),
                msgspec.json.encode(reply("done", 4)),
            )
        ]
        broker.deliver(*arrived)
        assert await asked.result() == 4
        assert [each.settled for each in arrived] == [["ack"]] * 5
        assert not replies._asked
        forgotten = replies.expect("j2", int)
        del forgotten
        assert not replies._asked, "who has let go of it does not wait"
        await replies.close()
        assert not broker.subscriptions[0].is_live

    asyncio.run(story())
