"""Brokers that are opened for a test, cables to them that can be cut, and patience without clocks."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from penstock.client import BrokerUrl, ClientSettings, Exchange, Queue, connect
from penstock.client.beanstalk import BeanstalkUrl
from penstock.client.beanstalk import connect as connect_to_tubes
from penstock.client.dialing import dial_url
from penstock.client.schemes import is_beanstalk
from penstock.messaging import Message, Topology
from penstock.messaging.amqp import AmqpBroker
from penstock.messaging.beanstalk import BeanstalkBroker
from penstock.messaging.opening import open_broker
from penstock.messaging.settings import MessagingSettings
from penstock.server.embedded import Embedded

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from penstock.messaging import Broker, Received

#: Brokers that an application may be given, with what tests do to them beside.
AnyBroker = AmqpBroker | BeanstalkBroker

#: Seconds within which everything happens that must happen; far more than it needs.
PATIENCE_S = 60.0

#: A client that does not let a test wait.
HASTY = ClientSettings(backoff_initial=0.02, backoff_max=0.2, publish_timeout=30)


class Cable:
    """Sockets to a broker that can be cut."""

    def __init__(self, dial: Any) -> None:
        self._dial = dial
        self._transports: list[asyncio.Transport] = []

    async def dial(self, protocol: Callable[[], Any]) -> tuple[asyncio.Transport, Any]:
        transport, made = await self._dial(protocol)
        self._transports.append(transport)
        return transport, made

    def cut(self) -> None:
        for transport in self._transports:
            transport.abort()
        self._transports.clear()


@asynccontextmanager
async def wired(mq_url: str | None) -> AsyncIterator[tuple[str, Cable]]:
    """A broker's URL, and the cable that leads there."""
    if mq_url is not None:
        parsed = BeanstalkUrl.parse(mq_url) if is_beanstalk(mq_url) else BrokerUrl.parse(mq_url)
        yield mq_url, Cable(dial_url(parsed))
        return
    embedded = await Embedded.start()
    yield embedded.url, Cable(embedded.dial)
    await embedded.close()


@asynccontextmanager
async def opened_by_cable(mq_url: str | None, *queues: Queue) -> AsyncIterator[tuple[AnyBroker, Cable]]:
    """A broker at the end of a cable."""
    async with wired(mq_url) as (url, cable):
        broker: AnyBroker
        if is_beanstalk(url):
            broker = BeanstalkBroker(await connect_to_tubes(url, dial=cable.dial, settings=HASTY))
        else:
            broker = AmqpBroker(await connect(url, dial=cable.dial, settings=HASTY))
        await broker.initialize(Topology(queues=queues))
        try:
            yield broker, cable
        finally:
            await withdraw(broker, *queues)
            await broker.close()


@asynccontextmanager
async def opened(mq_url: str | None, *queues: Queue) -> AsyncIterator[AnyBroker]:
    broker = await open_broker(mq_url, settings=MessagingSettings(mq_publish_timeout=30))
    assert isinstance(broker, AmqpBroker | BeanstalkBroker)
    await broker.initialize(Topology(queues=queues))
    try:
        yield broker
    finally:
        if broker.is_connected:
            await withdraw(broker, *queues)
        await broker.close()


async def withdraw(broker: AnyBroker, *things: Queue | Exchange) -> None:
    """Have them no more; of a beanstalk server, the jobs of tubes."""
    if isinstance(broker, AmqpBroker):
        await broker.client.withdraw(*things)
        return
    for thing in things:
        while (received := await broker.fetch(thing.name)) is not None:
            received.ack()
        await broker.client.tubes.withdraw(thing.name)


async def until(condition: Callable[[], Any]) -> Any:
    async with asyncio.timeout(PATIENCE_S):
        while not (found := condition()):  # noqa: ASYNC110  what is waited for has no event
            await asyncio.sleep(0.005)
        return found


async def until_fetched(broker: Broker, queue: str) -> Received:
    async with asyncio.timeout(PATIENCE_S):
        while (received := await broker.fetch(queue)) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        return received


async def until_depth(broker: Broker, queue: str, depth: int) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while await broker.depth(queue) != depth:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


def bill(number: int = 1, **properties: Any) -> Message:
    return Message(body=b'{"bill": %d}' % number, id=f"b{number}", type="Bill", **properties)
