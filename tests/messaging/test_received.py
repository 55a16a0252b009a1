from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock import testing
from penstock.client import Queue
from penstock.messaging import Destination, Message, Topology
from penstock.messaging.tracing import Trace, within

if TYPE_CHECKING:
    from penstock.wire.amqp.table import Table

BILLS = Destination.queue("bills")
TRACE = Trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=1")


def test_a_message_is_read_once_and_says_what_it_is() -> None:
    async def story() -> None:
        async with testing.broker() as controlled:
            broker = await controlled.port()
            await broker.initialize(Topology(queues=(Queue("bills"),)))
            headers = {"x-penstock-exchange": "shop", "x-penstock-key": "Bill.eu", "x-ttr": 60}
            await broker.publish(
                Message(body=b"1", id="m1", type="Bill", headers=headers, reply_to="till"), BILLS
            )
            received = await broker.fetch("bills")
            assert received is not None
            assert received.wishes == ("till", 60.0)
            assert received.message is received.message
            assert received.destination == Destination("shop", "Bill.eu"), "a copy knows its first's"
            assert (received.body, received.type, received.queue) == (b"1", "Bill", "bills")
            assert (received.redelivered, received.delivery_count, received.deaths) == (False, 0, ())
            assert repr(received) == "<AmqpReceived Bill m1 from 'bills'>"

    asyncio.run(story())


def test_a_message_knows_that_the_broker_has_taken_it_back() -> None:
    async def story() -> None:
        async with testing.broker() as controlled:
            broker = await controlled.port()
            await broker.initialize(Topology(queues=(Queue("bills"),)))
            await broker.publish(Message(body=b"1"), BILLS)
            received = await broker.fetch("bills")
            assert received is not None
            assert not received.is_lost
            controlled.cut()
            await controlled.settled()
            assert received.is_lost

    asyncio.run(story())


def test_every_settlement_is_what_it_says() -> None:
    async def story() -> None:
        async with testing.broker() as controlled:
            broker = await controlled.port()
            home: Table = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "home"}
            await broker.initialize(Topology(queues=(Queue("bills", arguments=home), Queue("home"))))
            for verb in ("ack", "requeue", "reject", "ack_for_certain"):
                await broker.publish(Message(body=verb.encode()), BILLS)
            in_hand = {}
            for _ in range(4):
                received = await broker.fetch("bills")
                assert received is not None
                in_hand[received.body.decode()] = received
            for verb in ("ack", "requeue", "reject"):
                getattr(in_hand[verb], verb)()
            assert await in_hand["ack_for_certain"].ack_for_certain()
            await controlled.settled()
            assert controlled.queue("bills").bodies == [b"requeue"]
            assert controlled.queue("home").bodies == [b"reject"]

    asyncio.run(story())


def test_a_message_is_part_of_the_trace_that_its_headers_tell_of() -> None:
    async def story() -> None:
        async with testing.broker() as controlled:
            broker = await controlled.port()
            await broker.initialize(Topology(queues=(Queue("bills"),)))
            with within(TRACE):
                await broker.publish(Message(body=b"traced"), BILLS)
                await broker.publish(Message(body=b"later", delay=5), BILLS)
            await broker.publish(Message(body=b"not", headers={"about": "traceparent"}), BILLS)
            await controlled.advance(5)
            found = [await broker.fetch("bills") for _ in range(3)]
            traces = {received.body: received.trace for received in found if received is not None}
            assert traces == {b"traced": TRACE, b"later": TRACE, b"not": None}

    asyncio.run(story())
