"""A feed of any AMQP 0-9-1 broker: a consumer with a prefetch, on an event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import queue
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from penstock.client import BrokerUrl, ClientSettings, connect
from penstock.clock import SystemClock
from penstock.errors import BrokerRefused, PenstockError, UnknownQueue
from penstock.pipelines.looping import LoopThread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.client import Client, Consumption, Delivery

__all__ = ["AmqpFeed"]

#: Messages in hand: enough for RabbitMQ to go on while some are brought to disk.
PREFETCH: Final = 10_000
#: Messages written down at once, if as many come: they become one block, and a block has its price for who
#: writes it and for all who read it.
AT_ONCE: Final = 2_000
#: Messages that come together in a flood, and the seconds that more are then waited for.
FLOOD: Final = 100
MORE_IN: Final = 0.1
_NOT_FOUND: Final = 404


class AmqpFeed:
    """Messages of one queue, from when it is made."""

    def __init__(self, url: str, queue_name: str, *, retries: int = 25, prefetch: int = PREFETCH) -> None:
        """Connect and begin to consume.

        Raises:
            UnknownQueue: there is none of that name.
            BadUrl, LoginRefused, NotConnected: as of `penstock.client.connect`, after so many retries.
        """
        self._queue = queue_name
        self._arrived: queue.SimpleQueue[list[Delivery]] = queue.SimpleQueue()
        self._clock = SystemClock()
        self._loop = LoopThread("penstock feed")
        settings = ClientSettings(name="penstock spool", connect_max_retries=retries)
        try:
            self._client: Client = self._loop.wait(connect(url, settings=settings))
            self._consumption: Consumption = self._loop.wait(self._consume(url, prefetch))
        except BaseException:
            self._loop.end()
            raise

    def __repr__(self) -> str:
        return f"<AmqpFeed {self._consumption}>"

    async def _consume(self, url: str, prefetch: int) -> Consumption:
        try:
            return await self._client.consume(
                self._queue, self._arrived.put, prefetch=prefetch, any_size=True
            )
        except BaseException as exc:
            await self._client.close(0)
            if isinstance(exc, BrokerRefused) and exc.code == _NOT_FOUND:
                raise UnknownQueue(f"there is no queue {self._queue!r} at {BrokerUrl.parse(url)}") from exc
            raise

    def next(self, wait: float) -> Sequence[Delivery]:
        found: list[Delivery] = []
        with suppress(queue.Empty):
            found = list(self._arrived.get(timeout=wait))
            until = self._clock.now() + MORE_IN
            while len(found) < AT_ONCE:
                left = until - self._clock.now() if len(found) >= FLOOD else 0.0
                found += self._arrived.get(timeout=max(left, 0.0))
        return found

    def ack(self, messages: Sequence[Delivery]) -> None:
        self._loop.call(_ack, messages)

    def left(self) -> int:
        state = self._loop.wait(self._client.queue_state(self._queue))
        return (state.messages if state is not None else 0) + self._consumption.in_hand

    def close(self) -> None:
        with suppress(PenstockError):
            self._loop.wait(self._client.close(0))
        self._loop.end()


def _ack(messages: Sequence[Delivery]) -> None:
    for message in messages:
        message.ack()


def check(url: str, queue_name: str) -> None:
    """See that the queue is there, without taking anything.

    Raises:
        UnknownQueue: there is none of that name.
        BadUrl, LoginRefused, NotConnected: as of `penstock.client.connect`.
    """

    async def look() -> bool:
        async with await connect(url, settings=ClientSettings(connect_max_retries=1)) as client:
            return await client.queue_state(queue_name) is not None

    if not asyncio.run(look()):
        raise UnknownQueue(f"there is no queue {queue_name!r} at {BrokerUrl.parse(url)}")
