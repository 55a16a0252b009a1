"""Taking what arrives in a queue, in batches: what redelivery and the keeper of dead letters share."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from penstock.clock import sleep

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from penstock.clock import Clock
    from penstock.messaging.port import Broker, Received, Subscribed

__all__ = ["Drain"]

#: Seconds before what cannot be done is given back: the broker would give it again at once.
PAUSE_S = 1.0

_log = logging.getLogger(__name__)


class Drain:
    """Hands all that has arrived to `handle`, which settles each message with `ack` or `give_back` here.

    What `handle` has not settled when it fails is handled again, each apart, so that one bad message does not
    keep the others; and what is not settled when the drain is stopped goes back to the queue.
    """

    def __init__(
        self,
        queue: str,
        handle: Callable[[Sequence[Received]], Awaitable[None]],
        *,
        prefetch: int,
    ) -> None:
        self._queue = queue
        self._handle = handle
        self._prefetch = prefetch
        #: Not looked at yet; and all that are not settled, those included.
        self._arrived: list[Received] = []
        self._in_hand: dict[int, Received] = {}
        self._has_arrived = asyncio.Event()
        self._clock: Clock | None = None
        self._subscribed: Subscribed | None = None
        self._work: asyncio.Task[None] | None = None
        self.acked = 0
        self.returned = 0

    def __repr__(self) -> str:
        return f"<Drain of {self._queue}: {len(self._in_hand)} in hand, {self.acked} done>"

    @property
    def is_busy(self) -> bool:
        """Whether anything is in hand."""
        return bool(self._in_hand)

    async def start(self, broker: Broker) -> None:
        """Begin; the queue exists."""
        self._clock = broker.clock
        self._work = asyncio.get_running_loop().create_task(self._run())
        # Of any size: these queues are the last ones, and what is rejected here would be gone.
        self._subscribed = await broker.subscribe(
            self._queue, self._receive, prefetch=self._prefetch, any_size=True
        )

    async def stop(self) -> None:
        """Take no more; what is not settled goes back."""
        if self._subscribed is not None:
            await self._subscribed.cancel()
        if self._work is not None:
            self._work.cancel()
            await asyncio.wait([self._work])
        self._arrived.clear()
        self._return([*self._in_hand.values()])

    def ack(self, received: Received) -> None:
        """It is done with."""
        if self._in_hand.pop(id(received), None) is not None:
            received.ack()
            self.acked += 1

    async def give_back(self, late: Sequence[Received]) -> None:
        """They go back to the queue, after a while."""
        if late and self._clock is not None:
            await sleep(self._clock, PAUSE_S)
        self._return(late)

    def _receive(self, arrived: list[Received]) -> None:
        self._arrived += arrived
        self._in_hand.update((id(received), received) for received in arrived)
        self._has_arrived.set()

    async def _run(self) -> None:
        while True:
            await self._has_arrived.wait()
            self._has_arrived.clear()
            batch, self._arrived = self._arrived, []
            try:
                await self._handle(batch)
            except Exception:  # noqa: BLE001  whatever it meets, the queue is drained on
                _log.exception("%d messages of %s failed; each is tried apart", len(batch), self._queue)
                await self._handle_apart(batch)

    async def _handle_apart(self, batch: Sequence[Received]) -> None:
        for received in batch:
            if id(received) not in self._in_hand:
                continue
            try:
                await self._handle([received])
            except Exception:  # noqa: BLE001  the same
                _log.exception("a message of %s goes back", self._queue)
                await self.give_back([received])

    def _return(self, late: Iterable[Received]) -> None:
        for received in late:
            if self._in_hand.pop(id(received), None) is not None:
                received.requeue()
                self.returned += 1
