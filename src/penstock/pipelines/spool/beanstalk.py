"""A feed of a beanstalk server: jobs of one tube, reserved, and deleted when they are on disk.

A job that was spooled and not deleted comes again, and is known by its message id. That is its sender's, if
it has an envelope; else the job's number, with the id that its server gave itself when it was started: a
beanstalkd without a binlog counts from 1 again after a restart, and what is new then must not be taken for
what was there before. The price is paid by one that has a binlog: what was spooled, and not deleted before
its restart, is spooled again.
"""

from __future__ import annotations

import asyncio
import queue
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from penstock.client import ClientSettings
from penstock.client.beanstalk import BeanstalkUrl, connect
from penstock.clock import SystemClock
from penstock.errors import LoginRefused, NotConnected, PenstockError, UnknownQueue
from penstock.messaging.beanstalk.envelope import Opened, message_in, opened
from penstock.messaging.beanstalk.terms import around
from penstock.messaging.envelope import properties_for
from penstock.pipelines.looping import LoopThread
from penstock.pipelines.spool.gathering import Gathering
from penstock.pipelines.spool.lot import Lot
from penstock.wire.amqp import BasicProperties, content_frames
from penstock.wire.arrow import Same
from penstock.wire.beanstalk import is_tube_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.client.beanstalk import BeanstalkClient, Job, JobConsumption

__all__ = ["BeanstalkFeed", "check"]

#: Jobs in hand: enough for a server to go on while some are brought to disk.
PREFETCH: Final = 2_000


class BeanstalkFeed:
    """Jobs of one tube, from when it is made."""

    def __init__(self, url: str, tube: str, *, retries: int = 25, prefetch: int = PREFETCH) -> None:
        """Connect and begin to reserve.

        Raises:
            UnknownQueue: no tube can be called so.
            BadUrl, LoginRefused, NotConnected: as of `penstock.client.beanstalk.connect`.
        """
        _demand_name(tube, url)
        self._tube = tube
        self._place = f"tube {tube!r} at {BeanstalkUrl.parse(url)}"
        self._clock = SystemClock()
        self._arrived: queue.SimpleQueue[list[_JobRun]] = queue.SimpleQueue()
        self._loop = LoopThread("penstock feed")
        settings = ClientSettings(name="penstock spool", connect_max_retries=retries)
        try:
            self._client: BeanstalkClient = self._loop.wait(connect(url, settings=settings))
            self.waited = self._ready()
            self._consumption: JobConsumption = self._loop.wait(self._consume(prefetch))
        except BaseException:
            self._loop.end()
            raise

    def __repr__(self) -> str:
        return f"<BeanstalkFeed {self._consumption}>"

    async def _consume(self, prefetch: int) -> JobConsumption:
        gathering: Gathering[_JobRun] = Gathering(
            asyncio.get_running_loop(), lambda runs, _: self._arrived.put(runs)
        )
        self._gathering = gathering
        try:
            return await self._client.consume(
                self._tube, lambda jobs: gathering.add([_JobRun(jobs, self._clock.now())]), window=prefetch
            )
        except BaseException:
            await self._client.close(0)
            raise

    def next(self, wait: float) -> Lot | None:
        try:
            runs = self._arrived.get(timeout=wait)
        except queue.Empty:
            self._demand_live()
            return None
        jobs = [job for run in runs for job in run.jobs]
        return Lot(
            frames=[frames for run in runs for frames in run.frames],
            exchanges=Same("", len(jobs)),
            routing_keys=Same(self._tube, len(jobs)),
            redelivered=[job.facts.reserves > 1 for job in jobs],
            origin=jobs,
        )

    def _demand_live(self) -> None:
        """Raise what keeps jobs from coming, if anything does."""
        if self._consumption.is_live:
            return
        trouble = self._consumption.trouble
        if isinstance(trouble, LoginRefused):
            raise LoginRefused(str(trouble))
        raise NotConnected(f"nothing comes from {self._place}: {trouble or 'the connection was lost'}")

    def ack(self, lot: Lot) -> None:
        self._loop.call(_delete, lot.origin)

    def left(self) -> int:
        self._demand_live()
        ready = self._ready()
        if not ready:
            self._loop.call(self._gathering.end)
        return ready + self._consumption.in_hand

    def _ready(self) -> int:
        state = self._loop.wait(self._client.tubes.state(self._tube))
        return state.ready if state is not None else 0

    def close(self) -> None:
        with suppress(PenstockError):
            self._loop.wait(self._client.close(0))
        self._loop.end()


class _JobRun:
    """Jobs that came together, as the messages that they are."""

    __slots__ = ("frames", "jobs")

    def __init__(self, jobs: Sequence[Job], now: float) -> None:
        self.jobs = jobs
        self.frames = [_frames(job, now) for job in jobs]

    def __len__(self) -> int:
        return len(self.jobs)


def _frames(job: Job, now: float) -> bytes:
    found = opened(job.body)
    if found.fields:
        # An envelope may be anybody's, and say what no message can.
        with suppress(ValueError):
            message = message_in(found, around(job, now))
            return content_frames(0, properties_for(message, now), found.body, 0)
    message = message_in(Opened({}, job.body), around(job, now))
    # Another program's job says nothing of its content, nor whether it outlives its server.
    properties = BasicProperties.of(
        message_id=message.id,
        timestamp=int(message.timestamp),
        priority=message.priority,
        headers=dict(message.headers) or None,
    )
    return content_frames(0, properties, job.body, 0)


def _delete(jobs: Sequence[Job]) -> None:
    for job in jobs:
        job.delete()


def check(url: str, tube: str) -> None:
    """See that the server is there, and the tube can be, without taking anything.

    Raises:
        UnknownQueue: no tube can be called so.
        BadUrl, LoginRefused, NotConnected: as of `penstock.client.beanstalk.connect`.
    """
    _demand_name(tube, url)

    async def look() -> None:
        async with await connect(url, settings=ClientSettings(connect_max_retries=1)):
            pass

    asyncio.run(look())


def _demand_name(tube: str, url: str) -> None:
    # One that is empty is not there for a beanstalk server; whoever watches it brings it about.
    if not is_tube_name(tube):
        raise UnknownQueue(f"no tube can be called {tube!r} at {BeanstalkUrl.parse(url)}")
