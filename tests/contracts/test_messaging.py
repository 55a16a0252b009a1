"""What an application asks of a broker through the Broker port, of every adapter alike.

Embedded is the broker in the test's own process; Penstock, RabbitMQ and beanstalkd are reached over TCP, and
Penstock by its beanstalk front as well. Whatever passes here on one passes on all: that is what "only the URL
changes" means, but for what beanstalk cannot (conftest.py). test_subscriptions.py goes on with what consumers
do.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.client import Binding, Exchange, Queue
from penstock.errors import BrokerRefused, Unroutable
from penstock.messaging import Destination, Message, Topology
from tests.contracts.brokers import (
    bill,
    opened,
    opened_by_cable,
    until,
    until_depth,
    until_fetched,
    withdraw,
)

if TYPE_CHECKING:
    from penstock.messaging import Received


def test_a_broker_says_what_it_is(mq_url: str | None) -> None:
    async def story() -> None:
        async with opened(mq_url) as broker:
            assert broker.is_connected
            assert broker.product in {"Penstock", "RabbitMQ", "beanstalkd"}
            assert broker.version
            assert broker.clock.now() > 0
        assert not broker.is_connected

    asyncio.run(story())


def test_a_message_comes_out_as_it_went_in(mq_url: str | None, name: str) -> None:
    sent = Message(
        body=b'{"sum": 5}',
        type="Bill",
        version=3,
        content_type="application/x-bill",
        headers={"trace": "t1", "tries": 2},
        correlation_id="c1",
        reply_to="answers",
        priority=4,
        timestamp=1_800_000_000.0,
        durable=False,
    )

    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            await broker.publish(sent, Destination.queue(name))
            received = await until_fetched(broker, name)
            message = received.message
            assert (message.body, message.id, message.type, message.version) == (
                sent.body,
                sent.id,
                "Bill",
                3,
            )
            assert (received.body, received.type, received.queue) == (sent.body, "Bill", name)
            assert message.headers == {"trace": "t1", "tries": 2, "x-penstock-type-version": 3}
            assert (message.content_type, message.correlation_id, message.reply_to) == (
                "application/x-bill",
                "c1",
                "answers",
            )
            assert (message.priority, message.timestamp, message.durable) == (4, 1_800_000_000.0, False)
            assert received.destination == Destination("", name)
            assert (received.redelivered, received.delivery_count, received.deaths) == (False, 0, ())
            received.ack()

    asyncio.run(story())


def test_a_topology_routes_and_may_grow(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            exchange = Exchange(name, "topic")
            bound = Topology(exchanges=(exchange,), bindings=(Binding(name, name, "Bill.#"),))
            await broker.initialize(bound)
            await broker.initialize(bound)
            await broker.publish(bill(), Destination(name, "Bill.eu"))
            received = await until_fetched(broker, name)
            assert received.destination == Destination(name, "Bill.eu")
            received.ack()
            await withdraw(broker, exchange)

    asyncio.run(story())


def test_a_topology_that_differs_is_refused(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            with pytest.raises(BrokerRefused):
                await broker.initialize(Topology(queues=(Queue(name, arguments={"x-max-length": 5}),)))
            await broker.publish(bill(), Destination.queue(name))

    asyncio.run(story())


def test_a_message_that_nobody_takes_is_an_error(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            with pytest.raises(Unroutable):
                await broker.publish(bill(), Destination.queue("no-such-queue"))
            outcome = await broker.publish_many(
                [
                    (bill(1), Destination.queue(name)),
                    (bill(2), Destination.queue("no-such-queue")),
                    (bill(3), Destination.queue(name)),
                ]
            )
            assert [type(each) for each in outcome] == [type(None), Unroutable, type(None)]
            assert await broker.depth(name) == 2

    asyncio.run(story())


def test_a_queue_that_is_not_there_has_no_depth(mq_url: str | None) -> None:
    async def story() -> None:
        async with opened(mq_url) as broker:
            assert await broker.depth("no-such-queue") is None

    asyncio.run(story())


def test_an_empty_queue_has_nothing_to_fetch(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            assert await broker.fetch(name) is None

    asyncio.run(story())


def test_a_subscriber_has_so_many_in_hand_and_gets_them_in_order(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            received: list[Received] = []
            subscribed = await broker.subscribe(name, received.extend, prefetch=3)
            assert subscribed.is_live
            await broker.publish_many([(bill(n), Destination.queue(name)) for n in range(10)])
            await until(lambda: len(received) == 3)
            assert await broker.depth(name) == 7
            for each in received:
                each.ack()
            await until(lambda: len(received) == 6)
            assert [each.message.id for each in received] == [f"b{n}" for n in range(6)]
            await subscribed.cancel()
            assert not subscribed.is_live
            for each in received:
                each.requeue()
            await until_depth(broker, name, 7)

    asyncio.run(story())


def test_a_pool_is_several_subscribers(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            received: list[Received] = []
            subscribed = await broker.subscribe(name, received.extend, prefetch=1, pool=4)
            await broker.publish_many([(bill(n), Destination.queue(name)) for n in range(10)])
            await until(lambda: len(received) == 4)
            await subscribed.cancel()
            for each in received:
                each.ack()
            await until_depth(broker, name, 6)

    asyncio.run(story())


def test_what_is_requeued_comes_again_and_says_so(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            await broker.publish(bill(), Destination.queue(name))
            (await until_fetched(broker, name)).requeue()
            again = await until_fetched(broker, name)
            assert (again.message.id, again.redelivered) == ("b1", True)
            again.ack()
            again.ack()
            again.requeue()
            assert await broker.depth(name) == 0, "settled once is settled"

    asyncio.run(story())


def test_what_is_rejected_dies_and_tells_where_and_why(mq_url: str | None, name: str) -> None:
    home = Queue(f"{name}.home")
    queue = Queue(name, arguments={"x-dead-letter-exchange": "", "x-dead-letter-routing-key": f"{name}.home"})

    async def story() -> None:
        async with opened(mq_url, queue, home) as broker:
            await broker.publish(bill(), Destination.queue(name))
            (await until_fetched(broker, name)).reject()
            dead = await until_fetched(broker, home.name)
            (death,) = dead.deaths
            assert (death.queue, death.reason, death.count, death.keys) == (name, "rejected", 1, (name,))
            assert death.at > 0
            dead.ack()

    asyncio.run(story())


def test_failures_are_counted_where_the_broker_counts(mq_url: str | None, name: str) -> None:
    queue = Queue(name, arguments={"x-queue-type": "quorum"})

    async def story() -> None:
        async with opened(mq_url, queue) as broker:
            await broker.publish(bill(), Destination.queue(name))
            first = await until_fetched(broker, name)
            assert first.delivery_count == 0
            first.reject(requeue=True)  # type: ignore[call-arg]
            again = await until_fetched(broker, name)
            assert again.delivery_count == 1
            again.ack()

    asyncio.run(story())


def test_an_ack_can_be_certain(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened_by_cable(mq_url, Queue(name)) as (broker, cable):
            await broker.publish_many([(bill(n), Destination.queue(name)) for n in range(3)])
            received: list[Received] = []
            subscribed = await broker.subscribe(name, received.extend, prefetch=10)
            await until(lambda: len(received) == 3)
            assert await received[1].ack_for_certain()
            assert not await received[1].ack_for_certain(), "once"
            # The broker has heard: no cut brings it back, as it does the others.
            cable.cut()
            assert not await received[0].ack_for_certain()
            await until(lambda: len(received) >= 5)
            assert sorted(each.message.id for each in received[3:]) == ["b0", "b2"]
            await subscribed.cancel()
            for each in received:
                each.ack()
            await until_depth(broker, name, 0)

    asyncio.run(story())


def test_a_fetched_message_can_be_acked_for_certain(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            await broker.publish(bill(), Destination.queue(name))
            assert await (await until_fetched(broker, name)).ack_for_certain()
            assert await broker.fetch(name) is None

    asyncio.run(story())


def test_a_message_that_nobody_takes_in_time_is_gone(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            await broker.publish(bill(expires_in=0.05), Destination.queue(name))
            await until_depth(broker, name, 0)

    asyncio.run(story())


@pytest.mark.parametrize("through", ["queue", "exchange"])
def test_a_delayed_message_comes_later_and_blocks_nobody(mq_url: str | None, name: str, through: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            exchange, to = Exchange(name, "topic"), Destination.queue(name)
            if through == "exchange":
                bound = Topology(exchanges=(exchange,), bindings=(Binding(name, name, "Bill.#"),))
                await broker.initialize(bound)
                to = Destination(name, "Bill.eu")
            begun = broker.clock.now()
            await broker.publish(bill(1, delay=2.0, headers={"mine": 1}), to)
            await broker.publish(bill(2, delay=1.0), to)
            await broker.publish(bill(3), to)
            assert await broker.depth(name) == 1
            received = [await until_fetched(broker, name) for _ in range(3)]
            assert [each.message.id for each in received] == ["b3", "b2", "b1"]
            assert broker.clock.now() - begun >= 2.0
            assert received[2].message.headers["mine"] == 1
            assert received[2].destination == to
            for each in received:
                each.ack()
            if through == "exchange":
                await withdraw(broker, exchange)

    asyncio.run(story())
