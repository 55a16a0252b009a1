"""Many messages at once: a batch handler settles each apart, and one that fails is searched for the culprit.

A handler that raises has done nothing with those messages that it did not settle itself; so the rest is
halved and tried again, until the poison message is alone. An error known as transient is nobody's poison and
is not searched for.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from penstock.messaging.subscriptions.failure import ErrorClass
from penstock.messaging.tracing import handling

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.messaging.message import Message
    from penstock.messaging.port import Received
    from penstock.messaging.subscriptions.consumer import Consumer
    from penstock.messaging.subscriptions.counters import Counters
    from penstock.messaging.subscriptions.handling import Call
    from penstock.messaging.subscriptions.settling import Settling
    from penstock.messaging.subscriptions.worker import Worker

__all__ = ["Batches", "Delivered"]


class Delivered:
    """One message of a batch. Not settled by the handler, it is done if the handler returns."""

    __slots__ = ("error", "event", "is_done", "received")

    def __init__(self, event: Any, received: Received) -> None:
        self.event = event
        self.received = received
        self.is_done = False
        self.error: Exception | None = None

    def __repr__(self) -> str:
        state = "failed" if self.error else "done" if self.is_done else "in hand"
        return f"<Delivered {self.event!r}, {state}>"

    @property
    def message(self) -> Message:
        """The message, with its id and headers."""
        return self.received.message

    def done(self) -> None:
        """It is done, whatever becomes of the others."""
        self.is_done, self.error = True, None

    def fail(self, error: Exception) -> None:
        """It failed, whatever becomes of the others."""
        self.is_done, self.error = False, error


class Batches:
    """Runs a handler on batches. A job is when the first message came, and the messages."""

    def __init__(
        self, consumer: Consumer, call: Call, clock: Clock, counters: Counters, settling: Settling
    ) -> None:
        self._consumer = consumer
        self._call = call
        self._clock = clock
        self._counters = counters
        self._settling = settling

    async def run(self, job: tuple[float, list[Received]], worker: Worker) -> None:
        """Handle the messages and settle each."""
        came_at = job[0]
        received = [each for each in job[1] if not each.is_lost]
        begun_at = worker.busy_since
        in_hand = dict.fromkeys(received)
        for lost in (each for each in job[1] if each not in in_hand):
            lost.requeue()
        try:
            await self._try(await self._decoded(received, in_hand), in_hand, worker)
        except asyncio.CancelledError:
            for each in in_hand:
                self._settling.gave_back(each)
            raise
        finally:
            self._counters.took(begun_at - came_at, self._clock.now() - begun_at)

    async def _decoded(self, received: list[Received], in_hand: dict[Received, None]) -> list[Delivered]:
        """Those that can be read; the others have failed already."""
        found = []
        for each in received:
            try:
                found.append(Delivered(self._consumer.decode(each), each))
            except Exception as error:  # noqa: BLE001  whatever reading raises is the message's failure
                await self._fail([each], error, in_hand)
        return found

    async def _try(self, batch: list[Delivered], in_hand: dict[Received, None], worker: Worker) -> None:
        if not batch:
            return
        error = await self._maybe_error(batch, worker)
        rest = [each for each in batch if error is not None and not each.is_done and each.error is None]
        for each in batch:
            if each.error is not None:
                await self._fail([each.received], each.error, in_hand)
            elif error is None or each.is_done:
                in_hand.pop(each.received)
                self._settling.worked(each.received)
        if error is None:
            return
        is_transient = self._consumer.errors.of(error) is ErrorClass.TRANSIENT
        if len(rest) == 1 or is_transient:
            await self._fail([each.received for each in rest], error, in_hand)
            return
        half = len(rest) // 2
        await self._try(rest[:half], in_hand, worker)
        await self._try(rest[half:], in_hand, worker)

    async def _maybe_error(self, batch: list[Delivered], worker: Worker) -> Exception | None:
        worker.limit(self._clock.now())
        try:
            with handling(self._consumer.queue, self._consumer.name, [each.received.trace for each in batch]):
                await self._call(batch, batch[0].received, worker)
            worker.is_interrupted()
        except asyncio.CancelledError:
            if not worker.is_interrupted():
                raise
            return worker.time_limit_error(self._clock.now())
        except Exception as error:  # noqa: BLE001  whatever a handler raises is its failure
            worker.is_interrupted()
            return error
        return None

    async def _fail(self, received: list[Received], error: Exception, in_hand: dict[Received, None]) -> None:
        await self._settling.all_failed(received, error)
        for each in received:
            in_hand.pop(each)
