"""A worker: takes jobs from queues and has the handlers of their routes do them.

On every broker of the Broker port. Several workers share a queue by taking from it; each job is in one's
hands at a time, and in another's when that one dies.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Final

from penstock.errors import MessagingError, NoSchedules
from penstock.messaging import open_broker
from penstock.messaging.subscriptions import Consumer, Subscription, Watch
from penstock.workers.doing import Doing
from penstock.workers.heralding import Herald
from penstock.workers.job import Desk
from penstock.workers.jobs import Jobs
from penstock.workers.judging import MAX_RESERVES, JobRetry
from penstock.workers.queues import buried_at
from penstock.workers.reporting import Reporter
from penstock.workers.running import Running
from penstock.workers.schedules.firing import OncePerFiring
from penstock.workers.schedules.scheduler import Scheduler

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from penstock.clock import Clock
    from penstock.messaging import Alerts, Broker, MessagingSettings
    from penstock.workers.routes import Routes
    from penstock.workers.schedules.store import Schedules

__all__ = ["Worker"]

#: Seconds that a job may take; Keno Antigen's time to run.
TIME_LIMIT_S: Final = 120.0
CONCURRENCY: Final = 10
#: Jobs in hand for each that is being done: enough to hide the way to the broker, too few to hoard.
PREFETCH: Final = 4
#: Seconds after which somebody is told of a job that is still being done.
STUCK_AFTER_S: Final = 300.0


class Worker:
    """Does jobs from `start` to `stop`.

    Args:
        routes: Who does what.
        queues: Where jobs are taken from; those that the routes name, if none is given.
        mq_url: Where the broker is; None is one inside this process.
        broker: One that is open, in place of a URL; it is not closed here.
        concurrency: Jobs of each queue that are done at a time.
        prefetch: Jobs in hand for each of them.
        processes: For handlers that want a process, so many.
        time_limit: Seconds that a job may take, if its route does not say and it does not ask for more.
        max_reserves: After so many tries that ended in silence, a dead process or a time limit, it is buried.
        schedules: The database of jobs with a key and of crons; this worker is one of its schedulers then.
        stop_timeout: Seconds that `stop` waits for jobs that have begun.
        alerts: Who is told when a person should know.
    """

    def __init__(
        self,
        routes: Routes,
        *,
        queues: Sequence[str] = (),
        mq_url: str | None = None,
        broker: Broker | None = None,
        settings: MessagingSettings | None = None,
        concurrency: int = CONCURRENCY,
        prefetch: int = PREFETCH,
        processes: int = 1,
        time_limit: float | None = TIME_LIMIT_S,
        max_reserves: int = MAX_RESERVES,
        schedules: Schedules | None = None,
        stop_timeout: float = 30.0,
        clock: Clock | None = None,
        alerts: Alerts | None = None,
    ) -> None:
        self.queues = tuple(queues) or routes.queues
        if not self.queues:
            raise MessagingError("a worker takes jobs from queues: name one at least")
        if routes.recurring and schedules is None:
            raise NoSchedules(
                f"{', '.join(routes.recurring)}: what comes by itself needs a database, such as "
                "sqlite:///schedules.db, so that it comes once however many workers run"
            )
        self.subscriptions: list[Subscription] = []
        self._routes = routes
        self._mq_url = mq_url
        self._given = broker
        self._settings = settings
        self._concurrency = concurrency
        self._prefetch = prefetch
        self._processes = processes
        self._time_limit = time_limit
        self._max_reserves = max_reserves
        self._schedules = schedules
        self._stop_timeout = stop_timeout
        self._clock = clock
        self._alerts = alerts
        self._jobs: Jobs | None = None
        self._scheduler: Scheduler | None = None
        self._reporter: Reporter | None = None
        self._opened = AsyncExitStack()

    def __repr__(self) -> str:
        state = (
            "stopped" if self._jobs is None else f"{sum(each.running for each in self.subscriptions)} busy"
        )
        return f"<Worker of {', '.join(self.queues)}, {len(list(self._routes))} routes, {state}>"

    # Running

    @property
    def jobs(self) -> Jobs:
        """Where jobs are put, on the same broker, while the worker runs.

        Raises:
            MessagingError: it does not.
        """
        if self._jobs is None:
            raise MessagingError("the worker is not running: `await worker.start()` first")
        return self._jobs

    @property
    def is_busy(self) -> bool:
        """Whether a job is being done, or is about to be."""
        others = (self._scheduler, self._reporter)
        return any(each.is_busy for each in self.subscriptions) or any(
            each is not None and each.is_busy for each in others
        )

    @property
    def done(self) -> int:
        """How many jobs were done since the start."""
        return sum(each.counters.handled for each in self.subscriptions)

    async def start(self) -> None:
        """Connect, have the queues, and do jobs.

        Raises:
            ClientError: the broker cannot be reached.
            StoreError: the database of schedules cannot be used.
        """
        if self._jobs is not None:
            raise MessagingError("the worker is running already")
        async with AsyncExitStack() as opened:
            await self._begin(opened)
            self._opened = opened.pop_all()

    async def stop(self) -> None:
        """Let jobs that have begun be done, give back the rest, and leave."""
        await self._opened.aclose()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _begin(self, opened: AsyncExitStack) -> None:
        """Open one thing after another; `opened` closes them in the opposite order."""
        broker = self._given or await open_broker(self._mq_url, settings=self._settings, clock=self._clock)
        if self._given is None:
            opened.push_async_callback(broker.close)
        if self._schedules is not None:
            await self._schedules.run(self._schedules.create)
        self._jobs = jobs = Jobs(broker, self._schedules)
        opened.push_async_callback(self._forget)
        self._reporter = reporter = Reporter(broker)
        running = Running(self._concurrency * len(self.queues), self._processes)
        opened.callback(running.close)
        doing = Doing(self._routes, running, Desk(jobs, reporter), self._max_reserves)
        opened.push_async_callback(self._stop_subscriptions)
        for queue in self.queues:
            await jobs.declare(queue, priorities=self._routes.keeps_priorities(queue))
            subscription = Subscription(
                self._consumer(queue, doing, broker.clock),
                broker,
                dead_letters=buried_at(queue),
                alerts=self._alerts,
            )
            self.subscriptions.append(subscription)
            await subscription.start()
        herald = Herald(broker, self.queues, self.subscriptions, reporter)
        opened.push_async_callback(herald.stop)
        await herald.start()
        if self._alerts is not None:
            watch = Watch(self.subscriptions, clock=broker.clock, alerts=self._alerts, after=STUCK_AFTER_S)
            opened.callback(watch.stop)
            watch.start()
        if self._schedules is not None:
            self._scheduler = Scheduler(self._schedules, jobs, self._routes.recurring)
            opened.push_async_callback(self._scheduler.stop)
            await self._scheduler.start()

    async def _stop_subscriptions(self) -> None:
        await asyncio.gather(*(each.stop(self._stop_timeout) for each in self.subscriptions))
        if self._reporter is not None:
            await self._reporter.drain()

    async def _forget(self) -> None:
        jobs, self._jobs, self._scheduler, self._reporter = self._jobs, None, None, None
        self.subscriptions = []
        if jobs is not None:
            await jobs.close()

    def _consumer(self, queue: str, doing: Doing, clock: Clock) -> Consumer:
        once = None if self._schedules is None else OncePerFiring(doing.do, self._schedules, clock)
        return Consumer(
            name=queue,
            queue=queue,
            handler=doing.do if once is None else once.do,
            decode=doing.read,
            retry=JobRetry(self._routes, self._max_reserves),
            pool=self._concurrency,
            prefetch=self._prefetch,
            time_limit=self._time_limit,
            # Routes have nothing in common that could be down for all of them.
            pausing=None,
            died=doing.died,
        )
