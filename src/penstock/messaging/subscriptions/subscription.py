"""A subscription: a consumer on its queue. Takes messages, has them handled, pauses, stops.

Where the socket is read, messages are only put aside; the pool's workers handle them.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

from penstock.clock import sleep
from penstock.errors import ClientError
from penstock.messaging.alerts.kinds import PAUSED, STUCK_CONSUMER
from penstock.messaging.port import Alert
from penstock.messaging.subscriptions.batches import Batches
from penstock.messaging.subscriptions.breaker import Breaker, BreakerState
from penstock.messaging.subscriptions.context import Context
from penstock.messaging.subscriptions.counters import Counters
from penstock.messaging.subscriptions.failing import FailureRoad
from penstock.messaging.subscriptions.gathering import Gathering
from penstock.messaging.subscriptions.handling import call_of, is_async
from penstock.messaging.subscriptions.pool import Pool
from penstock.messaging.subscriptions.settling import Settling
from penstock.messaging.subscriptions.single import Single
from penstock.messaging.tracing import within

if TYPE_CHECKING:
    from random import Random

    from penstock.messaging.message import Destination
    from penstock.messaging.port import Alerts, Broker, Received, Subscribed
    from penstock.messaging.subscriptions.consumer import Consumer
    from penstock.messaging.subscriptions.worker import Worker

__all__ = ["Subscription"]

_log = logging.getLogger(__name__)

#: Seconds after which a subscription that the broker did not take is tried again, or room is looked for.
AGAIN_S: Final = 1.0


class Subscription:
    """A consumer at work. `start` it once and `stop` it once."""

    def __init__(
        self,
        consumer: Consumer,
        broker: Broker,
        *,
        dead_letters: Destination,
        alerts: Alerts | None = None,
        random: Random | None = None,
    ) -> None:
        self.consumer = consumer
        self.counters = Counters()
        self._broker = broker
        self._alerts = alerts
        self._executor = None if is_async(consumer.handler) else _threads(consumer)
        self._breaker = Breaker(consumer.pausing) if consumer.pausing else None
        road = FailureRoad(
            consumer, broker, self.counters, dead_letters=dead_letters, alerts=alerts, random=random
        )
        self._settling = Settling(consumer, self.counters, road, self._breaker, self._pause)
        run = (Batches if consumer.batching else Single)(
            consumer,
            call_of(consumer.handler, self._executor, self._context),
            broker.clock,
            self.counters,
            self._settling,
        )
        self._pool: Pool[Any] = Pool(
            consumer.pool, run.run, clock=broker.clock, time_limit=consumer.time_limit, stuck=self._give_way
        )
        self._gathering = (
            Gathering(consumer.batching, broker.clock, self._pool.put) if consumer.batching else None
        )
        #: What came while nothing is taken.
        self._held: list[Received] = []
        self._is_taking = False
        self._subscribed: Subscribed | None = None
        self._pausing: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"<Subscription {self.consumer.name} to {self.consumer.queue!r}, {self.state}, {self._pool!r}>"

    # Looking

    @property
    def state(self) -> str:
        """One of running, paused, probing, stuck and stopped."""
        if self._subscribed is None and self._pausing is None:
            return "stopped"
        if self._pool.is_stuck:
            return "stuck"
        if self._breaker is None or self._breaker.state is BreakerState.RUNNING:
            # Paused for other reasons than a breaker's.
            return "paused" if self._pausing is not None else "running"
        return str(self._breaker.state.value)

    @property
    def running(self) -> int:
        """How many handlers are at work."""
        return self._pool.running

    @property
    def is_live(self) -> bool:
        """Whether the broker agrees that there is a consumer."""
        return self._subscribed is not None and self._subscribed.is_live

    @property
    def is_busy(self) -> bool:
        """Whether a message is being handled, or is about to be."""
        return bool(self._pool.running or self._pool.waiting)

    def busiest_s(self, now: float) -> float:
        """Seconds that the slowest handler is at its message by now."""
        return max(0.0, *(now - worker.held_since for worker in self._pool.workers))

    def in_hand(self) -> list[tuple[float, Received]]:
        """The messages that handlers are at, and since when; of a batch, all of them."""
        at_work = [(worker.busy_since, worker.job) for worker in self._pool.workers if worker.job is not None]
        if self.consumer.batching is None:
            return [(since, received) for since, (_, received) in at_work]
        return [(since, received) for since, (_, batch) in at_work for received in batch]

    # Starting and stopping

    async def start(self) -> None:
        """Take messages.

        Raises:
            BrokerRefused: there is no such queue, or it may not be consumed.
        """
        with within(None):
            # The workers are in no trace, whoever starts them.
            self._pool.start()
        await self._subscribe()

    async def stop(self, timeout: float = 30.0) -> bool:  # noqa: ASYNC109  by the broker's clock
        """Take no more, let what is begun be done, and give the rest back; whether all was done in time."""
        if self._pausing is not None:
            self._pausing.cancel()
            await asyncio.gather(self._pausing, return_exceptions=True)
            self._pausing = None
        await self._unsubscribe()
        in_time = await self._pool.drain(timeout)
        await self._pool.close()
        if self._executor is not None:
            self._executor.shutdown(wait=False)
        return in_time

    async def _subscribe(self) -> None:
        consumer, batching = self.consumer, self.consumer.batching
        prefetch = max(consumer.prefetch, batching.size) if batching else consumer.prefetch
        self._is_taking = True
        self._subscribed = await self._broker.subscribe(
            consumer.queue, self._receive, prefetch=prefetch, pool=consumer.pool
        )

    async def _unsubscribe(self) -> None:
        self._hold()
        subscribed, self._subscribed = self._subscribed, None
        if subscribed is not None:
            await subscribed.cancel()
        held, self._held = self._held, []
        for received in held:
            self._settling.gave_back(received)

    def _context(self, received: Received, worker: Worker) -> Context:
        return Context(received, self.consumer.name, worker, self._broker.clock)

    def _hold(self) -> None:
        """Begin nothing more."""
        self._is_taking = False
        jobs = self._pool.take_back()
        if self._gathering is None:
            self._held += [received for _, received in jobs]
        else:
            self._held += [each for _, batch in jobs for each in batch] + self._gathering.take_back()

    def _receive(self, received: list[Received]) -> None:
        """Messages have come. On the I/O path: nothing is handled here."""
        if self._is_taking and self._is_full():
            self._wait_for_room()
        if not self._is_taking:
            self._held += received
        elif self._gathering is not None:
            self._gathering.add(received)
        else:
            now = self._broker.clock.now()
            self._pool.put([(now, each) for each in received])

    # Pausing

    def _pause(self) -> None:
        """The breaker has opened."""
        self._hold()
        self.counters.paused += 1
        if self._pausing is None:
            why = "too many transient failures in a row; it probes until one succeeds"
            self._begin_pause(PAUSED, why, is_critical=False)

    def _give_way(self) -> None:
        """Threads that cannot be stopped have every worker: others are to have what is in hand."""
        self._hold()
        if self._pausing is None:
            why = "none of its handlers has ended in time, and a thread cannot be stopped; it waits for one"
            self._begin_pause(STUCK_CONSUMER, why, is_critical=True)

    def _wait_for_room(self) -> None:
        """What is taken has nowhere to go."""
        self._hold()
        if self._pausing is None:
            self._begin_pause(PAUSED, "there is no room for more; it waits for some", is_critical=False)

    def _is_full(self) -> bool:
        return self.consumer.is_full is not None and self.consumer.is_full()

    def _begin_pause(self, kind: str, why: str, *, is_critical: bool) -> None:
        name = self.consumer.name
        text = f"{name} pauses: {why}"
        _log.warning("%s", text)
        self._pausing = asyncio.create_task(self._sit_out(), name=f"pause of {name}")
        if self._alerts is not None:
            self._alerts.raise_alert(Alert(kind=kind, subject=name, text=text, is_critical=is_critical))

    async def _sit_out(self) -> None:
        """Give back what is not begun, and wait until there is room, and a probe succeeds if it takes one."""
        # It may be paused again by the first that come, before the broker has even said that it subscribed.
        while not self._is_taking:
            await self._unsubscribe()
            await self._pool.room()
            while self._is_full():
                await sleep(self._broker.clock, AGAIN_S)
            while not await self._is_resumed():
                pass
        self._pausing = None
        _log.info("%s resumes", self.consumer.name)

    async def _is_resumed(self) -> bool:
        """Probe, and resume if it succeeds; with nothing to try, the next message that comes is the probe."""
        breaker = self._breaker
        if breaker is not None and breaker.state is BreakerState.PAUSED:
            await sleep(self._broker.clock, breaker.wait)
            breaker.probe()
        try:
            if breaker is not None and await self._has_probed() and breaker.state is not BreakerState.RUNNING:
                return False
            await self._subscribe()
        except ClientError as exc:
            _log.warning("%s cannot resume yet: %s", self.consumer.name, exc)
            if breaker is None:
                await sleep(self._broker.clock, AGAIN_S)
            elif not breaker.failed():
                # The probe went well, so nothing else makes it wait.
                await sleep(self._broker.clock, breaker.wait)
            return False
        return True

    async def _has_probed(self) -> bool:
        """Try one message; whether there was one."""
        received = await self._broker.fetch(self.consumer.queue)
        if received is None:
            return False
        now = self._broker.clock.now()
        self._pool.put([(now, received if self._gathering is None else [received])])
        await self._pool.drain()
        return True


def _threads(consumer: Consumer) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(consumer.pool, thread_name_prefix=consumer.name)
