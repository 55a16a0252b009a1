"""Measuring a broker with one client: a queue of its own, filled, emptied, and passed through one by one."""

from __future__ import annotations

import asyncio
import uuid
from dataclasses import dataclass
from statistics import median, quantiles
from typing import TYPE_CHECKING, Final

from penstock.client import Outgoing, Queue
from penstock.clock import SystemClock
from penstock.wire.amqp import BasicProperties

if TYPE_CHECKING:
    from penstock.client import Client, Delivery

__all__ = ["Load", "Measure", "measured"]

#: Messages that leave in one write.
BATCH: Final = 500
PREFETCH: Final = 1000
#: Messages that go there and back, one after the other.
ROUND_TRIPS: Final = 500
#: Seconds without a message after which the rest is given up.
PATIENCE_S: Final = 30.0
PERSISTENT: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What is sent."""

    count: int
    size: int
    is_persistent: bool

    def __str__(self) -> str:
        kind = "persistent" if self.is_persistent else "transient"
        return f"{self.count} {kind} messages of {self.size} bytes"


@dataclass(frozen=True, slots=True)
class Measure:
    """One number."""

    name: str
    value: float
    unit: str


async def measured(client: Client, load: Load) -> list[Measure]:
    """Everything, one after the other.

    Raises:
        ClientError: the broker is gone, or does not take a message.
    """
    queue = Queue(f"penstock.bench.{uuid.uuid4().hex[:12]}", durable=load.is_persistent)
    await client.declare(queue)
    try:
        published = await _publish(client, queue.name, load)
        consumed = await _consume(client, queue.name, load.count)
        trips = await _round_trips(client, queue.name, load)
    finally:
        await client.withdraw(queue)
    return [
        Measure("publish, confirmed", round(load.count / published), "messages/s"),
        Measure("deliver, acked", round(load.count / consumed), "messages/s"),
        Measure("round trip, median", round(median(trips) * 1e6), "µs"),
        Measure("round trip, 99th percentile", round(quantiles(trips, n=100)[98] * 1e6), "µs"),
    ]


def _outgoing(queue: str, load: Load) -> Outgoing:
    properties = BasicProperties.of(delivery_mode=PERSISTENT if load.is_persistent else 1)
    return Outgoing("", queue, bytes(load.size), properties)


async def _publish(client: Client, queue: str, load: Load) -> float:
    """Seconds until all are confirmed."""
    clock, one = SystemClock(), _outgoing(queue, load)
    begun = clock.now()
    for done in range(0, load.count, BATCH):
        for error in await client.publish_many([one] * min(BATCH, load.count - done)):
            if error is not None:
                raise error
    return clock.now() - begun


async def _consume(client: Client, queue: str, count: int) -> float:
    """Seconds from the first question until the last is acked."""
    clock, came = SystemClock(), asyncio.Queue[int]()

    def receive(deliveries: list[Delivery]) -> None:
        for each in deliveries:
            each.ack()
        came.put_nowait(len(deliveries))

    begun = clock.now()
    consumption = await client.consume(queue, receive, prefetch=PREFETCH)
    left = count
    while left > 0:
        async with asyncio.timeout(PATIENCE_S):
            left -= await came.get()
    taken = clock.now() - begun
    await consumption.cancel()
    return taken


async def _round_trips(client: Client, queue: str, load: Load) -> list[float]:
    """Seconds of each, from the publish until it is in hand; it is confirmed meanwhile."""
    clock, came = SystemClock(), asyncio.Queue[float]()

    def receive(deliveries: list[Delivery]) -> None:
        for each in deliveries:
            each.ack()
            came.put_nowait(clock.now())

    consumption = await client.consume(queue, receive, prefetch=1)
    one, trips = _outgoing(queue, load), []
    for _ in range(ROUND_TRIPS):
        begun = clock.now()
        confirmed = client.publish(one)
        async with asyncio.timeout(PATIENCE_S):
            trips.append(await came.get() - begun)
        await confirmed
    await consumption.cancel()
    return trips
