"""One message after another: what a worker does with each. The hot path of a subscription."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.messaging.tracing import handling, maybe_spans

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.messaging.port import Received
    from penstock.messaging.subscriptions.consumer import Consumer
    from penstock.messaging.subscriptions.counters import Counters
    from penstock.messaging.subscriptions.handling import Call
    from penstock.messaging.subscriptions.settling import Settling
    from penstock.messaging.subscriptions.worker import Worker

__all__ = ["Single"]


class Single:
    """Runs a handler on single messages. A job is the message and when it came."""

    def __init__(
        self, consumer: Consumer, call: Call, clock: Clock, counters: Counters, settling: Settling
    ) -> None:
        self._name = consumer.name
        self._decode = consumer.decode
        self._is_at_most_once = consumer.is_at_most_once
        self._call = call
        self._clock = clock
        self._counters = counters
        self._settling = settling

    async def run(self, job: tuple[float, Received], worker: Worker) -> None:
        """Handle the message and settle it."""
        came_at, received = job
        if received.is_lost:
            # It comes again, here or elsewhere; handling it now would make two of it.
            received.requeue()
            return
        begun_at = worker.busy_since
        try:
            event = self._decode(received)
            if self._is_at_most_once and not await received.ack_for_certain():
                return
            trace = received.trace
            if trace is None and maybe_spans() is None:
                await self._call(event, received, worker)
            else:
                with handling(received.queue, self._name, [trace]):
                    await self._call(event, received, worker)
            if worker.is_over_time:
                worker.is_interrupted()
        except asyncio.CancelledError:
            if not worker.is_interrupted():
                self._settling.gave_back(received)
                raise
            await self._settling.failed(received, worker.time_limit_error(self._clock.now()))
        except Exception as error:  # noqa: BLE001  whatever a handler raises is its failure
            worker.is_interrupted()
            await self._settling.failed(received, error)
        else:
            self._settling.worked(received)
        self._counters.took(begun_at - came_at, self._clock.now() - begun_at)
