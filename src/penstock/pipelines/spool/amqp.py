"""A feed of any AMQP 0-9-1 broker: a consumer with a prefetch, on an event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import queue
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from penstock.client import BrokerUrl, ClientSettings, connect
from penstock.errors import BrokerRefused, PenstockError, UnknownQueue
from penstock.pipelines.looping import LoopThread
from penstock.pipelines.spool.gathering import Gathering
from penstock.pipelines.spool.lot import Lot
from penstock.wire.arrow import Same

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.client import Client, Consumption
    from penstock.client.run import Run

__all__ = ["AmqpFeed"]

#: Messages in hand: enough for RabbitMQ to go on while some are brought to disk.
PREFETCH: Final = 10_000
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
        self._arrived: queue.SimpleQueue[list[Run]] = queue.SimpleQueue()
        self._loop = LoopThread("penstock feed")
        settings = ClientSettings(name="penstock spool", connect_max_retries=retries)
        try:
            self._client: Client = self._loop.wait(connect(url, settings=settings))
            self.waited = self._ready()
            self._consumption: Consumption = self._loop.wait(self._consume(url, prefetch))
        except BaseException:
            self._loop.end()
            raise

    def __repr__(self) -> str:
        return f"<AmqpFeed {self._consumption}>"

    async def _consume(self, url: str, prefetch: int) -> Consumption:
        try:
            gathering = Gathering(asyncio.get_running_loop(), self._arrived.put)
            return await self._client.consume_runs(self._queue, gathering.add, prefetch=prefetch)
        except BaseException as exc:
            await self._client.close(0)
            if isinstance(exc, BrokerRefused) and exc.code == _NOT_FOUND:
                raise UnknownQueue(f"there is no queue {self._queue!r} at {BrokerUrl.parse(url)}") from exc
            raise

    def next(self, wait: float) -> Lot | None:
        try:
            return lot_of(self._arrived.get(timeout=wait))
        except queue.Empty:
            return None

    def ack(self, lot: Lot) -> None:
        self._loop.call(_ack, lot.origin)

    def left(self) -> int:
        return self._ready() + self._consumption.in_hand

    def _ready(self) -> int:
        state = self._loop.wait(self._client.queue_state(self._queue))
        return state.messages if state is not None else 0

    def close(self) -> None:
        with suppress(PenstockError):
            self._loop.wait(self._client.close(0))
        self._loop.end()


def lot_of(runs: Sequence[Run]) -> Lot:
    """Runs behind each other."""
    return Lot(
        frames=[frames for run in runs for frames in run.frames],
        exchanges=_column(runs, [run.exchange for run in runs]),
        routing_keys=_column(runs, [run.routing_key for run in runs]),
        redelivered=_column(runs, [run.redelivered for run in runs]),
        origin=runs,
    )


def _column(runs: Sequence[Run], values: Sequence[Any]) -> Sequence[Any] | Same:
    """What is so of all messages of each run, for each message."""
    if len({*values}) == 1:
        return Same(values[0], sum(map(len, runs)))
    return [value for run, value in zip(runs, values, strict=True) for _ in run.frames]


def _ack(runs: Sequence[Run]) -> None:
    for run in runs:
        run.ack()


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
