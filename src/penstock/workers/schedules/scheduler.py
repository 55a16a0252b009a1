"""A scheduler: puts jobs with a key, and those of crons, when they are due. Several may run anywhere.

Whichever claims a row first puts its job. While the broker or the database is away the rows stay, and their
jobs are late and not lost. Of a cron that was due more often than once meanwhile, one job is put.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from contextlib import nullcontext
from typing import TYPE_CHECKING, Final
from uuid import NAMESPACE_OID, uuid4, uuid5

from penstock.clock import sleep
from penstock.errors import PenstockError, StoreError
from penstock.messaging import Message
from penstock.messaging.tracing import beginning
from penstock.workers.queues import amqp_priority
from penstock.workers.recurring import Recurring
from penstock.workers.schedules.firing import PUT
from penstock.workers.schedules.scheduled import Scheduled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.workers.jobs import Jobs
    from penstock.workers.schedules.scheduled import Claimed
    from penstock.workers.schedules.store import Schedules

__all__ = ["Scheduler"]

_log = logging.getLogger(__name__)

#: Seconds after which rows are looked at in any case: another process may have put one.
POLL_S: Final = 1.0
#: Seconds after which the claim of a scheduler that has died lapses.
CLAIM_S: Final = 30.0
#: Seconds that a scheduler which stops waits for what is on its way to the broker.
LEAVES_IN_S: Final = 5.0
#: Rows that are claimed at a time.
BATCH: Final = 100


class Scheduler:
    """`start` it and `stop` it."""

    def __init__(
        self, schedules: Schedules, jobs: Jobs, recurring: Mapping[str, Recurring], *, poll: float = POLL_S
    ) -> None:
        self._schedules = schedules
        self._jobs = jobs
        self._clock = jobs.broker.clock
        self._recurring = dict(recurring)
        self._poll = poll
        self._task: asyncio.Task[None] | None = None
        self._is_stopping = False
        self.is_busy = False
        #: How many jobs were put.
        self.put = 0

    def __repr__(self) -> str:
        return f"<Scheduler of {self._schedules!r}, {len(self._recurring)} crons, {self.put} jobs put>"

    async def start(self) -> None:
        """Make the table if it is not there, and begin.

        Raises:
            StoreError: the database cannot be used.
        """
        store, crons = self._schedules, {name: each.cron for name, each in self._recurring.items()}
        await store.run(store.create)
        await store.run(store.follow, crons, self._clock.now())
        # What happens to be worked on where a scheduler is started is not what its jobs come of.
        nowhere = contextvars.Context()
        self._task = asyncio.create_task(self._run(), name="scheduler", context=nowhere)

    async def stop(self) -> None:
        """Put no more. What is on its way is noted; what does not leave in time is put by another."""
        if self._task is not None:
            self._is_stopping = True
            if self.is_busy:
                await asyncio.wait([self._task], timeout=LEAVES_IN_S)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
            self._is_stopping = False

    async def _run(self) -> None:
        while not self._is_stopping:
            self.is_busy = True
            try:
                wait = await self._turn()
            except StoreError as exc:
                _log.warning("schedules are late: %s", exc)
                wait = self._poll
            except Exception:  # noqa: BLE001  a mistake in this package; a scheduler must outlive it
                _log.exception("schedules are late, in a way that nobody expected")
                wait = self._poll
            finally:
                self.is_busy = False
            if not self._is_stopping:
                await sleep(self._clock, wait)

    async def _turn(self) -> float:
        """Put what is due; seconds until there may be more."""
        store, now = self._schedules, self._clock.now()
        next_at = await store.run(store.next_at, self._recurring)
        if next_at is None or next_at > now:
            return self._poll if next_at is None else min(next_at - now, self._poll)
        claimed = await store.run(store.claim, now, now + CLAIM_S, self._recurring, BATCH)
        if not claimed:
            # Others are at it.
            return self._poll
        fired = await asyncio.gather(*(self._fire(each) for each in claimed))
        put = [(each, self._again(each)) for each, is_put in zip(claimed, fired, strict=True) if is_put]
        await store.run(store.settle, put)
        self.put += len(put)
        return 0.0

    async def _fire(self, claimed: Claimed) -> bool:
        """Put the job of a row; whether that went well."""
        row = claimed.scheduled or self._recurring[claimed.key]
        message = Message(
            body=row.body,
            id=row.job if isinstance(row, Scheduled) else _name(row, claimed.due_at),
            priority=amqp_priority(row.priority),
            headers=_headers(row),
        )
        try:
            # A job with a key goes on with the trace of whoever put it; a cron's comes of its time alone.
            with nullcontext() if isinstance(row, Scheduled) else beginning(f"cron {row.name}"):
                await self._jobs.send(row.queue, message)
        except PenstockError as exc:
            # The claim lapses, and it is tried again. Whatever is wrong with this one, the others are put:
            # who did not say so would put them once more each time.
            _log.warning("the job of schedule %r is late: %s", claimed.key, exc)
            return False
        return True

    def _again(self, claimed: Claimed) -> float | None:
        """When a row is due again, if ever."""
        if claimed.scheduled is not None:
            return None
        return self._recurring[claimed.key].cron.next_after(self._clock.now())


def _name(recurring: Recurring, due_at: float) -> str:
    """The job of a cron at one instant: the same whoever puts it."""
    return uuid5(NAMESPACE_OID, f"{recurring.name}@{due_at}").hex


def _headers(row: Scheduled | Recurring) -> Mapping[str, str]:
    if isinstance(row, Recurring):
        return {PUT: uuid4().hex}
    return {} if row.trace is None else row.trace.headers
