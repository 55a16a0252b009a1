"""What a worker does with one message: read the job in it, have it done, and tell whoever waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.errors import RequestRefused
from penstock.messaging.tracing import Trace, within
from penstock.workers.job import Job
from penstock.workers.judging import judge
from penstock.workers.reporting import Report

if TYPE_CHECKING:
    from penstock.messaging import Context, Received
    from penstock.messaging.subscriptions import Failure
    from penstock.workers.job import Desk
    from penstock.workers.routes import Routes, Taken
    from penstock.workers.running import Running

__all__ = ["Doing"]


class Doing:
    """A consumer's `decode`, `handler` and `died`, for jobs. The hot path of a worker."""

    def __init__(self, routes: Routes, running: Running, desk: Desk, max_reserves: int) -> None:
        self._routes = routes
        self._ways = {route.name: running.of(route) for route in routes}
        self._desk = desk
        self._max_reserves = max_reserves

    def read(self, received: Received) -> Taken:
        """What a message asks for.

        Raises:
            InvalidMessage: nothing that anybody here could do.
            TakenBefore: that is to be counted first.
            TakenTooOften: it is not to be begun again.
        """
        if received.redelivered:
            judge(received, self._max_reserves)
        return self._routes.read(received.body)

    async def do(self, taken: Taken, context: Context) -> None:
        """Have a job done; whatever its handler raises is its failure."""
        route, user_id, content = taken
        job: Job[Any] = Job(route.name, content, user_id, context, self._desk)
        if route.time_limit is not None:
            context.limit(route.time_limit)
        if context.wishes.reply_to is None:
            await self._ways[route.name](job, context)
            return
        try:
            result = await self._ways[route.name](job, context)
        except RequestRefused as refused:
            # That is an answer. Where nobody waits for one, it is a failure.
            await job.told.refused(refused)
        else:
            await job.told.done(result)

    def died(self, failure: Failure, reason: str) -> None:
        """A job is a dead letter."""
        message = failure.message
        if message.reply_to is not None:
            report = Report(self._desk.reporter, message.id, message.reply_to)
            with within(Trace.maybe_in(message.headers)):
                report.failed(f"{failure.error} ({reason})")
