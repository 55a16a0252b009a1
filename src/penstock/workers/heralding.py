"""Heralding: a worker tells of itself every few seconds (penstock.messaging.presence), for a panel to show.

Nothing is noted for it while jobs are done: it looks at what is in hand when it tells.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from penstock.clock import sleep
from penstock.errors import InvalidMessage, PenstockError
from penstock.messaging import presence
from penstock.messaging.presence import AtWork, Presence
from penstock.messaging.tracing import untraced
from penstock.workers.form import read_form

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.messaging import Broker, Received
    from penstock.messaging.subscriptions import Subscription
    from penstock.workers.reporting import Reporter

__all__ = ["Herald"]

_log = logging.getLogger(__name__)


class Herald:
    """Tells of one worker. `start` it and `stop` it."""

    def __init__(
        self, broker: Broker, queues: Sequence[str], subscriptions: Sequence[Subscription], reporter: Reporter
    ) -> None:
        self._broker = broker
        self._queues = list(queues)
        self._subscriptions = subscriptions
        self._reporter = reporter
        self._host, self._pid = socket.gethostname(), os.getpid()
        #: Several workers may live in one process.
        self._name = f"{self._host}-{self._pid}-{secrets.token_hex(2)}"
        self._started_at = broker.clock.now()
        self._telling: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"<Herald of {self._name}{'' if self._telling else ', silent'}>"

    async def start(self) -> None:
        """Tell from now on; where that is not permitted, or a broker has no place for it, not at all."""
        try:
            await self._broker.initialize(presence.TOPOLOGY)
        except PenstockError as exc:
            _log.info("no panel will show this worker: %s", exc)
            return
        self._telling = asyncio.create_task(self._tell_on(), name="herald")

    async def stop(self) -> None:
        """Take leave."""
        telling, self._telling = self._telling, None
        if telling is not None:
            telling.cancel()
            await asyncio.gather(telling, return_exceptions=True)
            await self._tell(self.presence(is_leaving=True))

    def presence(self, *, is_leaving: bool = False) -> Presence:
        """What there is to tell now."""
        counters = [each.counters for each in self._subscriptions]
        jobs = [] if is_leaving else list(self._at_work())
        self._reporter.keep_progress({job.id for job in jobs})
        return Presence(
            name=self._name,
            host=self._host,
            pid=self._pid,
            started_at=self._started_at,
            queues=self._queues,
            done=sum(each.handled for each in counters),
            failed=sum(each.failed for each in counters),
            jobs=jobs,
            is_leaving=is_leaving,
        )

    async def _tell_on(self) -> None:
        while True:
            await self._tell(self.presence())
            await sleep(self._broker.clock, presence.APART)

    async def _tell(self, told: Presence) -> None:
        # Nobody listens, or the broker is away: it is told again soon.
        with suppress(PenstockError), untraced():
            await self._broker.publish(presence.message_of(told), presence.TO, timeout=presence.APART)

    def _at_work(self) -> Iterator[AtWork]:
        for subscription in self._subscriptions:
            for since, received in subscription.in_hand():
                yield self._job(since, received)

    def _job(self, since: float, received: Received) -> AtWork:
        message = received.message
        return AtWork(
            id=message.id,
            route=_route(received),
            queue=received.queue,
            attempt=message.attempts + 1,
            started_at=since,
            progress=self._progress(message.id),
        )

    def _progress(self, job: str) -> Any:
        return self._reporter.progress.get(job)


def _route(received: Received) -> str:
    try:
        return read_form(received.body).route
    except InvalidMessage:
        return received.type
