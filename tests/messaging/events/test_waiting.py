from __future__ import annotations

import asyncio
import uuid
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from penstock.client import Queue
from penstock.messaging import Destination, Message, Topology
from penstock.messaging.events import Registry, event, upcast
from penstock.messaging.events.waiting import Sample, judge, sample
from penstock.messaging.headers import ERROR_CLASS
from penstock.messaging.opening import open_broker

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.messaging import Broker


@upcast("Created", 1)
def from_1(content: dict[str, Any]) -> dict[str, Any]:
    return {"id": content["number"]}


@event("Created", version=2, upcasters=[from_1])
class Created(msgspec.Struct):
    id: int


REGISTRY = Registry(Created)


def message(body: bytes, name: str = "Created", version: int = 2, **more: Any) -> Message:
    return Message(body=body, type=name, version=version, **more)


MESSAGES = [
    message(b'{"id":1}'),
    message(b'{"number":1}', version=1),
    message(b'{"id":"one"}', id="first"),
    message(b'{"id":"two"}', id="second"),
    message(b"{}", "Deleted", id="third"),
    message(b"", content_type="image/png", id="fourth"),
]

FOUND = [
    "2 messages such as first cannot be read: Created version 2: Expected `int`, got `str` - at `$.id`",
    "1 message such as third cannot be read: event 'Deleted' is not declared here",
    "1 message such as fourth cannot be read: Created is application/json, and this message is image/png",
]


def told(found: Sample) -> list[str]:
    return [str(each) for each in found.unreadable]


def test_messages_are_read_as_handlers_would_and_faults_counted() -> None:
    found = judge(REGISTRY, "here", MESSAGES)
    assert (found.place, found.looked_at) == ("here", 6)
    assert told(found) == FOUND


@pytest.mark.parametrize(
    ("error", "count"),
    [("penstock.errors.InvalidMessage", 0), ("penstock.errors.UnknownEvent", 0), ("ValueError", 1)],
)
def test_what_died_of_it_is_no_news(error: str, count: int) -> None:
    assert len(judge(REGISTRY, "here", [message(b"{}", headers={ERROR_CLASS: error})]).unreadable) == count


def with_broker(mq_url: str | None, work: Callable[[Broker], Awaitable[None]]) -> None:
    async def run() -> None:
        broker = await open_broker(mq_url)
        try:
            await work(broker)
        finally:
            await broker.close()

    asyncio.run(run())


@pytest.fixture
def queue() -> Queue:
    return Queue(f"waiting-{uuid.uuid4().hex[:8]}")


async def put(broker: Broker, queue: Queue) -> None:
    await broker.initialize(Topology(queues=(queue,)))
    to = Destination.queue(queue.name)
    assert not any(await broker.publish_many([(each, to) for each in MESSAGES]))


def test_a_sample_is_put_back_in_its_order(mq_url: str | None, queue: Queue) -> None:
    async def work(broker: Broker) -> None:
        await put(broker, queue)
        found = await sample(broker, REGISTRY, queue)
        assert (found.looked_at, told(found)) == (6, FOUND)
        # On RabbitMQ each has come by a channel of its own, and goes back by it.
        while await broker.depth(queue.name) != len(MESSAGES):  # noqa: ASYNC110 (a broker sets no event)
            await asyncio.sleep(0.01)
        again = [await broker.fetch(queue.name) for _ in MESSAGES]
        assert [each and each.message.id for each in again] == [each.id for each in MESSAGES]

    with_broker(mq_url, work)


def test_a_sample_has_a_bound(mq_url: str | None, queue: Queue) -> None:
    async def work(broker: Broker) -> None:
        await put(broker, queue)
        found = await sample(broker, REGISTRY, queue, most=3)
        assert (found.looked_at, len(found.unreadable)) == (3, 1)
        left = [await broker.fetch(queue.name) for _ in MESSAGES]
        assert None not in left

    with_broker(mq_url, work)


def test_what_cannot_be_looked_at_is_said(mq_url: str | None, queue: Queue) -> None:
    async def work(broker: Broker) -> None:
        assert (await sample(broker, REGISTRY, queue)).skipped == "there is no such queue yet"
        stream = Queue(queue.name, arguments={"x-queue-type": "stream"})
        assert (await sample(broker, REGISTRY, stream)).skipped == "a stream is not read like a queue"

    with_broker(mq_url, work)


def test_a_look_does_no_harm_to_quorum_queues(mq_url: str | None, queue: Queue) -> None:
    quorum = Queue(queue.name, arguments={"x-queue-type": "quorum", "x-delivery-limit": 1})

    async def work(broker: Broker) -> None:
        await put(broker, quorum)
        counts_failures = broker.product == "RabbitMQ" and broker.version < (4, 3)
        for _ in range(3):
            found = await sample(broker, REGISTRY, quorum)
            assert bool(found.skipped) is counts_failures
        left = [await broker.fetch(quorum.name) for _ in MESSAGES]
        assert None not in left

    with_broker(mq_url, work)
