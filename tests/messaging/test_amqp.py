"""What only this adapter does; what every adapter does is in tests/contracts/test_messaging.py."""

from __future__ import annotations

import asyncio
from math import inf, nan
from typing import TYPE_CHECKING, Any

import pytest

from penstock import testing
from penstock.client import ClientSettings, Queue, ServerInfo
from penstock.clock import VirtualClock
from penstock.errors import BrokerRefused, PublishLost, PublishRefused, PublishTimeout
from penstock.messaging import Destination, Message, Topology
from penstock.messaging.amqp import AmqpBroker

if TYPE_CHECKING:
    from penstock.client import Client, Outgoing, Thing

BILLS = Destination.queue("bills")


class FakeClient:
    """A client of a broker that has no delays."""

    def __init__(self) -> None:
        self.server = ServerInfo("RabbitMQ", (4, 3, 0))
        self.declared: list[Thing] = []
        self.published: list[Outgoing] = []
        self.refuses = False
        self.settings = ClientSettings()
        self.answers = asyncio.Event()
        self.answers.set()

    async def declare(self, *things: Thing) -> None:
        if self.refuses:
            raise BrokerRefused("no", code=406)
        await self.answers.wait()
        self.declared += things

    async def publish(self, outgoing: Outgoing, timeout: float | None = None) -> None:  # noqa: ASYNC109
        self.published.append(outgoing)

    async def publish_many(self, outgoings: list[Outgoing], timeout: float | None = None) -> list[None]:  # noqa: ASYNC109
        self.published += outgoings
        return [None] * len(outgoings)


def adapter(fake: FakeClient) -> AmqpBroker:
    client: Any = fake
    return AmqpBroker(client)


def test_on_penstock_a_delay_is_a_header_and_on_its_way_the_message_waits() -> None:
    async def story() -> None:
        async with testing.broker() as controlled:
            broker = await controlled.port()
            await broker.initialize(Topology(queues=(Queue("bills"),)))
            await broker.publish(Message(body=b"1", delay=2.5), BILLS)
            (seen,) = controlled.queue("bills").messages
            assert (seen.state, seen.headers["x-delay"]) == ("delayed", 2500)
            await controlled.advance(2.5)
            assert controlled.queue("bills").count("ready") == 1

    asyncio.run(story())


def test_elsewhere_the_way_of_a_delayed_message_is_laid_once() -> None:
    async def story() -> None:
        broker = adapter(fake := FakeClient())
        for _ in range(2):
            await broker.publish(Message(body=b"1", delay=1.0, expires_in=9.0), BILLS)
        laid = len(fake.declared)
        assert laid > 0
        first = fake.published[0]
        assert first.exchange.startswith("penstock.delay-")
        assert (first.properties.headers or {})["x-penstock-key"] == "bills"
        assert first.properties.expiration is None
        await broker.publish(Message(body=b"1", delay=1.0, headers={"x-penstock-key": "first"}), BILLS)
        assert len(fake.declared) == laid
        assert (fake.published[2].properties.headers or {})["x-penstock-key"] == "first"
        await broker.publish(Message(body=b"1", delay=1.0), Destination.queue("others"))
        assert len(fake.declared) > laid

    asyncio.run(story())


@pytest.mark.parametrize(
    "what",
    [
        {"headers": {"x": 1j}},
        {"headers": {"x": {1: "a name that is a number"}}},
        {"expires_in": inf},
        {"delay": nan},
        {"timestamp": -1.0},
    ],
    ids=str,
)
def test_a_message_that_amqp_cannot_hold_is_refused_and_no_other(what: dict[str, Any]) -> None:
    async def story() -> None:
        async with testing.broker() as controlled:
            broker = await controlled.port()
            await broker.initialize(Topology(queues=(Queue("bills"),)))
            good, bad = Message(body=b"1"), Message(body=b"2", **what)
            fates = await broker.publish_many([(bad, BILLS), (good, BILLS), (bad, BILLS), (good, BILLS)])
            assert [type(fate) for fate in fates] == [PublishRefused, type(None)] * 2
            assert [seen.body for seen in controlled.queue("bills").messages] == [b"1", b"1"]

    asyncio.run(story())


def test_a_message_for_which_the_broker_closes_the_channel_is_refused() -> None:
    async def story() -> None:
        async with testing.broker() as controlled:
            broker = await controlled.port()
            await broker.initialize(Topology(queues=(Queue("bills"),)))
            bad = Message(body=b"1", headers={"CC": "no list"})
            with pytest.raises(PublishRefused, match="PRECONDITION_FAILED"):
                await broker.publish(bad, BILLS)

    asyncio.run(story())


def test_a_delay_that_no_broker_keeps_is_refused_and_no_other_message() -> None:
    async def story() -> None:
        broker = adapter(fake := FakeClient())
        late = Message(body=b"1", delay=1e12)
        fates = await broker.publish_many([(late, BILLS), (Message(body=b"2"), BILLS)])
        assert [type(fate) for fate in fates] == [PublishRefused, type(None)]
        assert [each.body for each in fake.published] == [b"2"]

    asyncio.run(story())


def test_a_way_that_cannot_be_laid_is_a_publish_that_failed() -> None:
    async def story() -> None:
        broker = adapter(fake := FakeClient())
        fake.refuses = True
        with pytest.raises(PublishLost, match="cannot be laid"):
            await broker.publish(Message(body=b"1", delay=1.0), BILLS)
        assert fake.published == []
        fake.refuses = False
        await broker.publish(Message(body=b"1", delay=1.0), BILLS)

    asyncio.run(story())


def test_a_way_that_takes_too_long_to_lay_is_a_publish_that_is_not_sent_in_time() -> None:
    async def story() -> None:
        fake, clock = FakeClient(), VirtualClock(1000.0)
        client: Any = fake
        broker = AmqpBroker(client, clock=clock)
        fake.answers.clear()
        message = Message(body=b"1", delay=1.0)
        waiting = [
            asyncio.ensure_future(broker.publish(message, BILLS, timeout=3)),
            asyncio.ensure_future(broker.publish_many([(message, BILLS)], timeout=3)),
        ]
        for _ in range(2):
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert not any(each.done() for each in waiting)
            clock.advance(1.5)
        for each in waiting:
            with pytest.raises(PublishTimeout, match="not laid yet"):
                await each
        assert fake.published == []
        fake.answers.set()
        await broker.publish(message, BILLS, timeout=3)

    asyncio.run(story())


def test_while_nobody_answers_it_is_still_the_same_broker() -> None:
    broker = adapter(fake := FakeClient())
    fake.server = ServerInfo()
    assert (broker.product, broker.version) == ("RabbitMQ", (4, 3, 0))
    fake.server = ServerInfo("RabbitMQ", (4, 4))
    assert broker.version == (4, 4)
    assert repr(broker).startswith("<AmqpBroker RabbitMQ 4.4, ")


def test_everything_waits_by_the_given_clock() -> None:
    async def story() -> None:
        async with testing.broker() as controlled:
            client: Client = await controlled.connect()
            assert AmqpBroker(client, clock=controlled.clock).clock is controlled.clock

    asyncio.run(story())
