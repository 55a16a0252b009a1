"""Real brokers for tests of messaging: ours, with a clock that is moved, and the real RabbitMQ."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

from penstock.messaging.opening import open_broker
from penstock.testing import ControlledBroker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from penstock.messaging.port import Broker
    from penstock.testing.controlled import Busy

#: Real seconds after which something must be wrong.
SOON_S = 60.0


class Stage(Protocol):
    """A broker, and how time passes there."""

    broker: Broker

    async def wait(self, seconds: float) -> None:
        """Let at least so much time pass, and everybody do what they do about it."""
        ...

    async def comes_true(self, condition: Callable[[], bool]) -> None:
        """Wait for something that needs no time but that of the messages."""
        ...

    def watch(self, thing: Busy) -> None:
        """Wait for this, too, before saying that all is done."""
        ...


class VirtualStage:
    """Ours: time is moved."""

    def __init__(self, controlled: ControlledBroker, broker: Broker) -> None:
        self.controlled = controlled
        self.broker = broker

    async def wait(self, seconds: float) -> None:
        await self.controlled.advance(seconds)
        await self.controlled.settled()

    async def comes_true(self, condition: Callable[[], bool]) -> None:
        # A thread may have to do with it, which cannot be seen.
        async with asyncio.timeout(SOON_S):
            await self.controlled.settled()
            while not condition():  # noqa: ASYNC110  anything may make it true
                await asyncio.sleep(0.001)

    def watch(self, thing: Busy) -> None:
        self.controlled.watch(thing)


class RealStage:
    """RabbitMQ: time passes by itself."""

    def __init__(self, broker: Broker) -> None:
        self.broker = broker

    async def wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def comes_true(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(SOON_S):
            while not condition():  # noqa: ASYNC110  anything may make it true
                await asyncio.sleep(0.01)

    def watch(self, thing: Busy) -> None:
        """There is nothing to watch: a condition is waited for."""


@asynccontextmanager
async def on_stage(url: str | None) -> AsyncIterator[Stage]:
    """A broker at a URL, or without one ours, in this process."""
    if url is None:
        async with ControlledBroker() as controlled:
            yield VirtualStage(controlled, await controlled.port())
        return
    broker = await open_broker(url)
    try:
        yield RealStage(broker)
    finally:
        await broker.close()
