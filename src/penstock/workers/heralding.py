"""A worker tells of itself: what it has in hand, and how far that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.errors import InvalidMessage
from penstock.messaging import heralding
from penstock.messaging.presence import AtWork, Presence
from penstock.workers.form import read_form

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.messaging import Broker, Received
    from penstock.messaging.subscriptions import Subscription
    from penstock.workers.reporting import Reporter

__all__ = ["Herald"]


class Herald(heralding.Herald):
    """Tells of one worker."""

    def __init__(
        self, broker: Broker, queues: Sequence[str], subscriptions: Sequence[Subscription], reporter: Reporter
    ) -> None:
        super().__init__(broker)
        self._queues = list(queues)
        self._subscriptions = subscriptions
        self._reporter = reporter

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
