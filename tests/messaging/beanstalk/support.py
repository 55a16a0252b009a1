"""A beanstalk adapter, on a whole broker in this process by a clock that stands."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from penstock.client import Queue
from penstock.messaging import Topology
from penstock.messaging.beanstalk import BeanstalkBroker
from tests.client.beanstalk.support import World, world

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from penstock.messaging import Received

#: A queue, and where its dead letters go.
HOMED = (
    Queue("jobs", arguments={"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "graves"}),
    Queue("graves"),
)


@asynccontextmanager
async def adapted(*queues: Queue) -> AsyncIterator[tuple[BeanstalkBroker, World]]:
    async with world() as (made, client):
        broker = BeanstalkBroker(client, clock=made.clock)
        await broker.initialize(Topology(queues=queues or HOMED))
        yield broker, made


async def fetched(broker: BeanstalkBroker, queue: str) -> Received:
    received = await broker.fetch(queue)
    assert received is not None
    return received
