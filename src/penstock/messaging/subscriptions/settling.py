"""What a message's outcome means: for the message, for the counters, and for the queue's breaker."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.messaging.subscriptions.breaker import BreakerState

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.messaging.port import Received
    from penstock.messaging.subscriptions.breaker import Breaker
    from penstock.messaging.subscriptions.consumer import Consumer
    from penstock.messaging.subscriptions.counters import Counters
    from penstock.messaging.subscriptions.failing import FailureRoad

__all__ = ["Settling"]


class Settling:
    """Settles the messages of one subscription."""

    def __init__(
        self,
        consumer: Consumer,
        counters: Counters,
        road: FailureRoad,
        breaker: Breaker | None,
        pause: Callable[[], None],
    ) -> None:
        self._errors = consumer.errors
        self._pauses_on = consumer.pausing.on if consumer.pausing else ()
        self._counters = counters
        self._road = road
        self._breaker = breaker
        self._pause = pause

    def worked(self, received: Received) -> None:
        """The handler has done it."""
        received.ack()
        self._counters.handled += 1
        if self._breaker is not None:
            self._breaker.worked()

    async def failed(self, received: Received, error: Exception) -> None:
        """The handler has not done it."""
        await self.all_failed([received], error)

    async def all_failed(self, received: list[Received], error: Exception) -> None:
        """The handler has not done them, for one and the same reason."""
        breaker = self._breaker
        if breaker is None or not self._errors.is_transient(error, self._pauses_on):
            await self._fail(received, error)
            return
        was_probing = breaker.state is BreakerState.PROBING
        is_to_pause = breaker.failed()
        if was_probing:
            # The dependency is known to be down: a probe has not used up an attempt.
            for each in received:
                each.requeue()
            self._counters.failed += len(received)
            self._counters.redelivered += len(received)
        if is_to_pause:
            self._pause()
        if not was_probing:
            await self._fail(received, error)

    async def _fail(self, received: list[Received], error: Exception) -> None:
        if len(received) == 1:
            await self._road.fail(received[0], error)
        else:
            # Together, so that their copies leave and are confirmed together.
            await asyncio.gather(*(self._road.fail(each, error) for each in received))

    def gave_back(self, received: Received) -> None:
        """Nobody has done anything with it."""
        received.requeue()
        self._counters.returned += 1
