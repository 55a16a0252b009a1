"""The failure road: what a strategy decided is done, so that a message may come twice and is never lost.

A copy is published and confirmed first, then the original is acked. When the copy cannot be published, the
original goes back to its queue.
"""

from __future__ import annotations

import asyncio
import logging
from random import Random
from typing import TYPE_CHECKING, Any, Final

from penstock.clock import sleep
from penstock.errors import ClientError, TimeLimitExceeded, Unroutable
from penstock.messaging import headers as names
from penstock.messaging.alerts.kinds import EXHAUSTED
from penstock.messaging.message import Destination
from penstock.messaging.port import Alert
from penstock.messaging.subscriptions.copies import (
    dead_copy,
    forwarded_copy,
    maybe_expires_at,
    retried_copy,
    slim_copy,
)
from penstock.messaging.subscriptions.failure import ErrorClass, Failure
from penstock.messaging.subscriptions.strategies import decide
from penstock.messaging.subscriptions.verdicts import DeadLetter, Drop, Forward, Redeliver, Reject, Retry
from penstock.wire.amqp import CannotEncode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from penstock.messaging.message import Message
    from penstock.messaging.port import Alerts, Broker, Received
    from penstock.messaging.subscriptions.consumer import Consumer
    from penstock.messaging.subscriptions.counters import Counters
    from penstock.messaging.subscriptions.verdicts import Verdict

__all__ = ["FailureRoad"]

_log = logging.getLogger(__name__)

#: Seconds between the tries to publish a copy; then the original goes back.
WAITS: Final = (0.5, 1.0, 2.0, 4.0)


class FailureRoad:
    """Does with failed messages of one consumer what its strategy decides."""

    def __init__(
        self,
        consumer: Consumer,
        broker: Broker,
        counters: Counters,
        *,
        dead_letters: Destination,
        alerts: Alerts | None = None,
        random: Random | None = None,
    ) -> None:
        self._consumer = consumer
        self._broker = broker
        self._counters = counters
        self._dead_letters = dead_letters
        self._alerts = alerts
        self._random = random or Random()  # noqa: S311  jitter keeps no secrets
        self._ways: Mapping[type, Callable[[Received, Failure, Any], Awaitable[None]]] = {
            Retry: self._retry,
            Redeliver: self._redeliver,
            Forward: self._forward,
            DeadLetter: self._dead_letter,
            Reject: self._reject,
            Drop: self._drop,
        }

    async def fail(self, received: Received, error: Exception) -> ErrorClass:
        """Decide about the failure and do it; returns the error's class when the message is settled."""
        failure = self._failure(received, error)
        self._counters.failed += 1
        self._counters.timed_out += isinstance(error, TimeLimitExceeded)
        verdict = self._verdict(failure)
        _log.info(
            "%s failed on %s (%s), attempt %d: %s; %s",
            self._consumer.name,
            failure.message.id,
            failure.message.type,
            failure.attempts,
            error,
            verdict,
        )
        try:
            await self._ways[type(verdict)](received, failure, verdict)
        except asyncio.CancelledError:
            # Nobody waits for the copy any more: the original is what remains.
            received.requeue()
            self._counters.redelivered += 1
            raise
        except Exception:  # noqa: BLE001  a copy that cannot even be made: the broker's own dead letters take it
            _log.exception("%s could not do %s with %s", self._consumer.name, verdict, failure.message.id)
            received.reject()
            self._counters.rejected += 1
        return failure.error_class

    def _failure(self, received: Received, error: Exception) -> Failure:
        message, now = received.message, self._broker.clock.now()
        return Failure(
            message=message,
            error=error,
            error_class=self._consumer.errors.of(error),
            attempts=message.attempts + 1,
            at=now,
            first_at=names.instant_of(message.headers, names.FIRST_FAILURE) or now,
            consumer=self._consumer.name,
            queue=received.queue,
            chance=self._random.random(),
        )

    def _verdict(self, failure: Failure) -> Verdict:
        try:
            verdict = decide(self._consumer.retry, failure)
        except Exception as exc:  # noqa: BLE001  an application's own; the message must not stay in hand
            _log.exception("the retry strategy of %s failed", self._consumer.name)
            return DeadLetter(f"its retry strategy failed: {exc!r}")
        expires_at = maybe_expires_at(failure.message, failure.at)
        if isinstance(verdict, Retry) and expires_at is not None and failure.at + verdict.after >= expires_at:
            return DeadLetter("its time to live is over before the next attempt")
        return verdict

    # One way a verdict

    async def _retry(self, received: Received, failure: Failure, verdict: Retry) -> None:
        copy = retried_copy(failure, received.destination, verdict.after)
        if await self._replace(received, copy, Destination.queue(failure.queue)):
            self._counters.retried += 1

    async def _forward(self, received: Received, failure: Failure, verdict: Forward) -> None:
        try:
            if await self._replace(received, forwarded_copy(failure, received.destination), verdict.to):
                self._counters.forwarded += 1
        except Unroutable:
            await self._dead_letter(received, failure, DeadLetter(f"nobody takes it at {verdict.to}"))

    async def _dead_letter(self, received: Received, failure: Failure, verdict: DeadLetter) -> None:
        copy = dead_copy(failure, received.destination, verdict.reason)
        if await self._replace(received, copy, self._dead_letters):
            self._counters.dead += 1
            self._alert(failure, verdict)
            if self._consumer.died is not None:
                self._consumer.died(failure, verdict.reason)

    async def _redeliver(self, received: Received, failure: Failure, verdict: Redeliver) -> None:
        received.requeue()
        self._counters.redelivered += 1

    async def _reject(self, received: Received, failure: Failure, verdict: Reject) -> None:
        received.reject()
        self._counters.rejected += 1

    async def _drop(self, received: Received, failure: Failure, verdict: Drop) -> None:
        received.ack()
        self._counters.dropped += 1
        _log.warning(
            "%s gave up %s (%s): at most once", self._consumer.name, failure.message.id, failure.error
        )

    # How it is done

    async def _replace(self, received: Received, copy: Message, to: Destination) -> bool:
        """Publish the copy, then ack the original; without a confirm the original goes back to its queue."""
        for wait in (*WAITS, None):
            try:
                await self._publish(copy, to)
            except ClientError as exc:
                if isinstance(exc, Unroutable) and to not in self._own:
                    raise
                if wait is not None:
                    await sleep(self._broker.clock, wait)
            else:
                received.ack()
                return True
        received.requeue()
        self._counters.redelivered += 1
        _log.error("%s cannot publish to %s; %s goes back", self._consumer.name, to, copy.id)
        return False

    async def _publish(self, copy: Message, to: Destination) -> None:
        try:
            await self._broker.publish(copy, to)
        except CannotEncode:
            await self._broker.publish(slim_copy(copy), to)

    @property
    def _own(self) -> tuple[Destination, ...]:
        """Where everything must be routable, if not now then when the topology is back."""
        return (self._dead_letters, Destination.queue(self._consumer.queue))

    def _alert(self, failure: Failure, verdict: DeadLetter) -> None:
        if self._alerts is None:
            return
        message = failure.message
        self._alerts.raise_alert(
            Alert(
                kind="dead-letter" if failure.is_persistent else EXHAUSTED,
                subject=f"{failure.consumer}: {type(failure.error).__qualname__} on {message.type}",
                text=f"{failure.consumer} could not handle {message.id} ({message.type}): "
                f"{failure.error}; {verdict.reason}",
                details={
                    "consumer": failure.consumer,
                    "message_id": message.id,
                    "type": message.type,
                    "attempts": failure.attempts,
                    "reason": verdict.reason,
                },
                is_critical=not failure.is_persistent,
            )
        )
