"""A pool of workers that do the jobs put into it, so many at a time.

There is no task for each job: a worker is a task that takes one job after another, so a handler that never
waits costs no turn of the event loop. Nor is there a timer for each: one alarm watches the earliest deadline.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from math import inf
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from penstock.messaging.subscriptions.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from penstock.clock import Alarm, Clock

__all__ = ["Pool"]

Job = TypeVar("Job")

_log = logging.getLogger(__name__)

#: Jobs, and seconds, after which a worker lets others have the loop: heartbeats must be answered.
JOBS_A_TURN: Final = 64
SECONDS_A_TURN: Final = 0.005


class Pool(Generic[Job]):
    """So many workers. `start` it, `put` jobs in, and `close` it."""

    def __init__(
        self,
        size: int,
        run: Callable[[Job, Worker], Awaitable[None]],
        *,
        clock: Clock,
        time_limit: float | None = None,
        stuck: Callable[[], None] | None = None,
    ) -> None:
        """`stuck` is called when threads that cannot be stopped have all the workers."""
        self._run = run
        self._stuck = stuck
        self._clock = clock
        self._backlog: deque[Job] = deque()
        limit = inf if time_limit is None else time_limit
        self.workers = [Worker(limit, self._watch) for _ in range(size)]
        self._napping: list[Worker] = []
        self._alarm: Alarm | None = None
        #: When it rings.
        self._look_at = inf
        self._done: asyncio.Future[None] | None = None
        #: Whether any worker could begin something.
        self._has_room = asyncio.Event()
        self._has_room.set()

    def __repr__(self) -> str:
        return f"<Pool {self.running} of {len(self.workers)} busy, {len(self._backlog)} waiting>"

    @property
    def running(self) -> int:
        """How many jobs are being done."""
        return sum(worker.busy_since != inf for worker in self.workers)

    @property
    def waiting(self) -> int:
        """How many jobs wait for a worker."""
        return len(self._backlog)

    @property
    def is_stuck(self) -> bool:
        """Whether threads that cannot be stopped have all the workers."""
        return not self._has_room.is_set()

    def start(self) -> None:
        """Let the workers work."""
        for number, worker in enumerate(self.workers):
            worker.task = asyncio.create_task(self._work(worker), name=f"worker {number}")

    def put(self, jobs: Iterable[Job]) -> None:
        """Have these done, in order as far as several workers keep one."""
        self._backlog.extend(jobs)
        for _ in range(min(len(self._backlog), len(self._napping))):
            _resolve(self._napping.pop().nap)

    def take_back(self) -> list[Job]:
        """The jobs that nobody has begun; they will not be done."""
        jobs = list(self._backlog)
        self._backlog.clear()
        return jobs

    async def drain(self, timeout: float | None = None) -> bool:  # noqa: ASYNC109  by the pool's clock
        """Wait until nothing is being done, at most so long; whether it came to that."""
        if self.running or self._backlog:
            self._done = done = asyncio.get_running_loop().create_future()
            alarm = timeout is not None and self._clock.call_at(self._clock.now() + timeout, _resolve, done)
            try:
                await done
            finally:
                self._done = None
                if alarm:
                    alarm.cancel()
        return not self.running

    async def room(self) -> None:
        """Wait until threads that cannot be stopped leave a worker for something else."""
        await self._has_room.wait()

    async def close(self) -> None:
        """End the workers; who is at a job is cancelled."""
        if self._alarm is not None:
            self._alarm.cancel()
        tasks = [worker.task for worker in self.workers if worker.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # A worker's day

    async def _work(self, worker: Worker) -> None:
        """Do one job after another. The hot path: no call and no await that a job can do without."""
        backlog, now_of, run = self._backlog, self._clock.now, self._run
        jobs, breath_at = 0, now_of()
        while True:
            if not backlog:
                await self._nap(worker)
                jobs, breath_at = 0, now_of()
                continue
            now = now_of()
            if jobs >= JOBS_A_TURN or now - breath_at > SECONDS_A_TURN:
                await asyncio.sleep(0)
                jobs, breath_at = 0, now
                continue
            jobs += 1
            worker.job = job = backlog.popleft()
            worker.busy_since = now
            worker.limit(now)
            try:
                await run(job, worker)
            except Exception:  # noqa: BLE001  a mistake in this package; a worker must outlive it
                _log.exception("a job ended in a way that nobody expected")
            finally:
                worker.busy_since = worker.deadline = inf
                worker.job = None
            if worker.leftover is not None:
                await self._outlast(worker, worker.leftover, now)

    def _watch(self, deadline: float) -> None:
        if deadline < self._look_at:
            self._look_again(deadline)

    def _look_again(self, when: float) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._look_at = when
        self._alarm = None if when == inf else self._clock.call_at(when, self._look)

    async def _outlast(self, worker: Worker, leftover: asyncio.Future[object], since: float) -> None:
        """Have a worker begin nothing while its thread goes on; a thread more each time would be no end."""
        worker.stuck_since = since
        _log.error(
            "a handler does not end %.0f s after it was begun, and a thread cannot be stopped: "
            "until it does, %d of %d are left to work",
            self._clock.now() - since,
            sum(each.stuck_since == inf for each in self.workers),
            len(self.workers),
        )
        if all(each.stuck_since != inf for each in self.workers):
            self._has_room.clear()
            if self._stuck is not None:
                self._stuck()
        self._tell_if_drained()
        await asyncio.wait({leftover})
        worker.leftover, worker.stuck_since = None, inf
        self._has_room.set()

    def _tell_if_drained(self) -> None:
        if self._done is not None and not self.running:
            _resolve(self._done)

    async def _nap(self, worker: Worker) -> None:
        self._tell_if_drained()
        worker.nap = asyncio.get_running_loop().create_future()
        self._napping.append(worker)
        await worker.nap

    def _look(self) -> None:
        """Interrupt whose time is over, and look again when the next one's is."""
        now, next_at = self._clock.now(), inf
        for worker in self.workers:
            if worker.deadline <= now:
                worker.expire()
            next_at = min(next_at, worker.deadline)
        self._look_again(next_at)


def _resolve(future: asyncio.Future[None] | None) -> None:
    if future is not None and not future.done():
        future.set_result(None)
