"""A feed of any AMQP 0-9-1 broker: a consumer with a prefetch, on an event loop in a thread of its own.

A prefetch counts messages, and these may be large: with too many bytes in hand nothing more is read from the
broker. Then it cannot answer there either, so another connection asks what is left.
"""

from __future__ import annotations

import asyncio
import queue
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from penstock.client import BrokerUrl, ClientSettings, connect
from penstock.errors import BrokerRefused, LoginRefused, NotConnected, PenstockError, UnknownQueue
from penstock.pipelines.looping import LoopThread
from penstock.pipelines.spool.gathering import Gathering
from penstock.pipelines.spool.lot import Lot
from penstock.wire.arrow import Same

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.client import Client, Consumption
    from penstock.client.run import Run

__all__ = ["AmqpFeed"]

#: Messages in hand: enough for RabbitMQ to go on while some are brought to disk.
PREFETCH: Final = 10_000
#: Bytes in hand, above which nothing more is read; a lot and a read may come on top.
MOST_BYTES: Final = 128 * 1024 * 1024
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
        self._place = f"queue {queue_name!r} at {BrokerUrl.parse(url)}"
        self._arrived: queue.SimpleQueue[_Arrived] = queue.SimpleQueue()
        #: Bytes that have arrived and are not on disk. The loop's thread counts them.
        self._size = 0
        self._listen: Callable[..., None] = _nothing_to_hear
        self._loop = LoopThread("penstock feed")
        settings = ClientSettings(name="penstock spool", connect_max_retries=retries)
        try:
            self._client, self._asking = self._loop.wait(_connect_twice(url, settings))
            self._loop.wait(self._begin(prefetch))
        except BaseException:
            self._loop.end()
            raise

    def __repr__(self) -> str:
        return f"<AmqpFeed {self._consumption}>"

    async def _begin(self, prefetch: int) -> None:
        """Count what waits, then consume it."""
        try:
            self.waited = await self._ready()
            self._gathering = Gathering(asyncio.get_running_loop(), self._arrive)
            self._consumption: Consumption = await self._client.consume_runs(
                self._queue, self._gathering.add, prefetch=prefetch
            )
            self._listen = self._consumption.listen
            self._listen(is_wanted=self._size <= MOST_BYTES)
        except BaseException as exc:
            await self._hang_up()
            if _is_not_found(exc):
                raise UnknownQueue(f"there is no {self._place}") from exc
            raise

    def _arrive(self, runs: list[Run], size: int) -> None:
        self._arrived.put(_Arrived(runs, size))
        self._size += size
        self._listen(is_wanted=self._size <= MOST_BYTES)

    def next(self, wait: float) -> Lot | None:
        try:
            arrived = self._arrived.get(timeout=wait)
        except queue.Empty:
            self._demand_live()
            return None
        # Messages without an id would not be known again, and thousands may wait here.
        if runs := [run for run in arrived.runs if not run.is_lost]:
            return lot_of(runs, origin=arrived)
        self._loop.call(self._ack, arrived)
        return None

    def _demand_live(self) -> None:
        """Raise what keeps messages from coming, if anything does."""
        if self._consumption.is_live:
            return
        trouble = self._consumption.trouble
        if _is_not_found(trouble):
            raise UnknownQueue(f"there is no {self._place} any more: {trouble}")
        if isinstance(trouble, LoginRefused):
            raise LoginRefused(str(trouble))
        raise NotConnected(f"nothing comes from {self._place}: {trouble or 'the connection was lost'}")

    def ack(self, lot: Lot) -> None:
        self._loop.call(self._ack, lot.origin)

    def _ack(self, arrived: _Arrived) -> None:
        for run in arrived.runs:
            run.ack()
        self._size -= arrived.size
        self._listen(is_wanted=self._size <= MOST_BYTES)

    def left(self) -> int:
        self._demand_live()
        ready = self._loop.wait(self._ready())
        if not ready:
            self._loop.call(self._gathering.end)
        return ready + self._consumption.in_hand

    async def _ready(self) -> int:
        state = await self._asking.queue_state(self._queue)
        if state is None:
            raise UnknownQueue(f"there is no {self._place}")
        return state.messages

    def close(self) -> None:
        with suppress(PenstockError):
            self._loop.wait(self._hang_up())
        self._loop.end()

    async def _hang_up(self) -> None:
        await asyncio.gather(self._client.close(0), self._asking.close(0))


class _Arrived(NamedTuple):
    """What was handed over at once."""

    runs: list[Run]
    size: int


def _nothing_to_hear(*, is_wanted: bool) -> None:
    """Before the broker has agreed to deliver."""


async def _connect_twice(url: str, settings: ClientSettings) -> tuple[Client, Client]:
    """One client to consume with, and one to ask with."""
    first = await connect(url, settings=settings)
    try:
        return first, await connect(url, settings=settings)
    except BaseException:
        await first.close(0)
        raise


def lot_of(runs: Sequence[Run], origin: Any = None) -> Lot:
    """Runs behind each other."""
    return Lot(
        frames=[frames for run in runs for frames in run.frames],
        exchanges=_column(runs, [run.exchange for run in runs]),
        routing_keys=_column(runs, [run.routing_key for run in runs]),
        redelivered=_column(runs, [run.redelivered for run in runs]),
        origin=origin,
    )


def _column(runs: Sequence[Run], values: Sequence[Any]) -> Sequence[Any] | Same:
    """What is so of all messages of each run, for each message."""
    if len({*values}) == 1:
        return Same(values[0], sum(map(len, runs)))
    return [value for run, value in zip(runs, values, strict=True) for _ in run.frames]


def _is_not_found(error: BaseException | None) -> bool:
    return isinstance(error, BrokerRefused) and error.code == _NOT_FOUND


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
