"""What the adapter does that no other does; what all do is in tests/contracts."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import pytest

from penstock.client import Exchange, Queue
from penstock.errors import NotPortable, PublishRefused, Unroutable
from penstock.messaging import Application, Destination, Message, Topology, event
from penstock.wire.amqp import CannotEncode
from tests.client.support import story
from tests.contracts import conftest, test_messaging
from tests.messaging.beanstalk.support import adapted, fetched

if TYPE_CHECKING:
    from penstock.messaging import Received

JOBS = Destination.queue("jobs")


@event("Bill")
@dataclass
class Bill:
    number: int


@story
async def test_exchanges_are_refused_before_anything_is_there() -> None:
    async with adapted() as (broker, _):
        wanted = Topology(exchanges=(Exchange("bills"),), queues=(Queue("new"),))
        with pytest.raises(NotPortable, match="no exchanges"):
            await broker.initialize(wanted)
        assert await broker.depth("new") is None


@story
async def test_an_application_that_needs_exchanges_does_not_start() -> None:
    async with adapted() as (broker, _):
        application = Application("shop", broker=broker)

        @application.consumer(Bill)
        async def handle(bill: Bill) -> None: ...

        with pytest.raises(NotPortable, match="give the application an AMQP broker"):
            await application.start()


@story
async def test_what_is_published_to_an_exchange_is_for_nobody() -> None:
    async with adapted() as (broker, _):
        with pytest.raises(Unroutable, match="beanstalk has no exchanges"):
            await broker.publish(Message(body=b"x"), Destination("bills", "Bill"))
        outcome = await broker.publish_many(
            [(Message(body=b"x"), Destination("bills", "Bill")), (Message(body=b"y"), JOBS)]
        )
        assert [type(each) for each in outcome] == [Unroutable, type(None)]


@story
async def test_a_job_that_the_server_would_not_take_is_not_sent() -> None:
    async with adapted() as (broker, _):
        large = Message(body=b"x" * 65_535)
        with pytest.raises(CannotEncode, match=r"this server takes 65535 at most \(its option -z\)"):
            await broker.publish(large, JOBS)
        endless = Message(body=b"x", delay=inf)
        outcome = await broker.publish_many([(large, JOBS), (endless, JOBS), (Message(body=b"y"), JOBS)])
        assert [type(each) for each in outcome] == [PublishRefused, PublishRefused, type(None)]
        assert await broker.depth("jobs") == 1


@story
async def test_the_more_urgent_comes_first_and_a_delay_is_kept() -> None:
    async with adapted() as (broker, made):
        await broker.publish(Message(body=b"later", priority=9, delay=0.5), JOBS)
        await broker.publish(Message(body=b"whenever"), JOBS)
        await broker.publish(Message(body=b"soon", priority=4), JOBS)
        assert await broker.depth("jobs") == 2
        assert [(await fetched(broker, "jobs")).body for _ in range(2)] == [b"soon", b"whenever"]
        made.clock.advance(0.9)
        assert await broker.fetch("jobs") is None, "delays are whole seconds"
        made.clock.advance(0.2)
        assert (await fetched(broker, "jobs")).body == b"later"


@story
async def test_what_expired_is_not_handed_over() -> None:
    async with adapted(Queue("jobs")) as (broker, made):
        await broker.publish(Message(body=b"late", expires_in=5.0), JOBS)
        made.clock.advance(6)
        came: list[Received] = []
        await broker.subscribe("jobs", came.extend, prefetch=1)
        await broker.publish(Message(body=b"fresh"), JOBS)
        await made.until(lambda: came, step=0.01)
        assert [each.body for each in came] == [b"fresh"]


@story
async def test_it_says_what_it_is() -> None:
    async with adapted() as (broker, made):
        assert repr(broker).startswith("<BeanstalkBroker Penstock 0.")
        assert broker.clock is made.clock
        assert broker.is_connected
        await broker.close()
        assert not broker.is_connected


def test_what_beanstalk_cannot_is_said_of_tests_that_there_are() -> None:
    for name in conftest.BEANSTALK_CANNOT:
        assert hasattr(test_messaging, name.partition("[")[0]), name
