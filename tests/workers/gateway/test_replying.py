from __future__ import annotations

import asyncio
from typing import Any

from penstock.clock import VirtualClock
from penstock.errors import NotConnected, PublishError, Unroutable
from penstock.messaging import Destination, Message
from penstock.messaging.tracing import Trace
from penstock.workers.gateway.asking import Asker
from penstock.workers.gateway.replying import Replying
from penstock.workers.gateway.settings import REPLIES
from penstock.workers.queues import buried_at
from tests.client.support import until
from tests.messaging.fakes import FakeReceived
from tests.workers.gateway.support import gateway_on, opened_broker, talk

QUEUE = Destination.queue(REPLIES)


def test_what_is_put_on_the_seeds_queue_reaches_the_user_on_every_gateway() -> None:
    async def story() -> None:
        async with (
            opened_broker() as broker,
            gateway_on(broker, "a") as a,
            gateway_on(broker, "b") as b,
            talk(a.port) as one,
            talk(b.port) as two,
        ):
            message = Message(body=b'{"route":"/starmap/chunk","user_id":3,"content":{}}')
            await broker.publish(message, QUEUE)
            told = [await one.next(), await two.next()]
            assert told[0] == told[1] == {"id": message.id, "route": "/starmap/chunk", "content": {}}

    asyncio.run(story())


def test_a_reply_finds_its_client_at_whichever_gateway_it_is_now() -> None:
    async def story() -> None:
        async with opened_broker() as broker, gateway_on(broker, "a") as a, gateway_on(broker, "b") as b:
            job_id = Asker(3, "c1", 7).job_id
            async with talk(a.port) as client:
                mark = client.opened["mark"]
            await broker.publish(Message(body=b'{"content":1}', correlation_id=job_id), QUEUE)
            await until(lambda: a.counters.heard + b.counters.heard >= 2 + 2)
            async with talk(b.port, mark=mark) as client:
                told = await client.next()
                assert (told["msgId"], told["status"], told["content"]) == (7, 200, 1)

    asyncio.run(story())


def test_what_nobody_can_get_is_buried() -> None:
    async def story() -> None:
        async with opened_broker() as broker, gateway_on(broker):
            await broker.publish(Message(body=b'{"route":"/x"}'), QUEUE)
            async with asyncio.timeout(60):
                while (found := await broker.fetch(buried_at(REPLIES).key)) is None:  # noqa: ASYNC110  a gateway at work
                    await asyncio.sleep(0.01)
            assert found.body == b'{"route":"/x"}'
            found.ack()

    asyncio.run(story())


class Grudging:
    """A broker that publishes nothing."""

    def __init__(self, error: PublishError) -> None:
        self.error = error
        self.messages: list[Message] = []

    async def publish_many(self, messages: list[Any]) -> list[PublishError]:
        self.messages += [message for message, _ in messages]
        return [self.error] * len(messages)


def test_what_is_passed_on_is_part_of_the_same_trace() -> None:
    trace = Trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=1")
    broker = Grudging(Unroutable("nobody"))
    reply = Message(body=b'{"user_id":3}', id="m1", headers={**trace.headers, "x-penstock-attempts": 2})
    asyncio.run(Replying(broker)._pass_on([FakeReceived(reply)]))  # type: ignore[arg-type]
    (passed,) = broker.messages
    assert (passed.id, passed.headers) == ("m1", trace.headers)


def test_what_could_not_be_passed_on_goes_back_to_the_queue() -> None:
    async def story() -> None:
        replying = Replying(Grudging(Unroutable("nobody")))  # type: ignore[arg-type]
        several = [FakeReceived(Message(body=b'{"user_id":3}')), FakeReceived(Message(body=b"{"))]
        assert await replying._pass_on([*several]) is False
        assert [each.settled for each in several] == [["requeue"], ["reject"]]
        waiting = FakeReceived(Message(body=b'{"user_id":3}'))
        replying._receive([waiting])
        assert repr(replying) == "<Replying, 1 waiting>"
        await replying.stop()
        assert waiting.settled == ["requeue"]

    asyncio.run(story())


class Away:
    """A broker that cannot be asked at first."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.asked = 0

    async def publish_many(self, messages: list[Any]) -> list[None]:
        self.asked += 1
        if self.asked == 1:
            raise NotConnected("nobody answers")
        return [None] * len(messages)


def test_replies_wait_for_a_broker_that_is_away() -> None:
    async def story() -> None:
        broker = Away()
        replying = Replying(broker)  # type: ignore[arg-type]
        replying._working = asyncio.create_task(replying._work())
        first, again = (FakeReceived(Message(body=b'{"user_id":3}')) for _ in range(2))
        replying._receive([first])
        await until(lambda: bool(first.settled))
        replying._receive([again])
        await asyncio.sleep(0)
        assert (first.settled, broker.asked) == (["requeue"], 1), "it is not asked again at once"
        await until(lambda: broker.clock.next_at < 1)
        broker.clock.advance(1)
        await until(lambda: again.settled == ["ack"])
        await replying.stop()

    asyncio.run(story())
