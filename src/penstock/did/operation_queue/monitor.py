"""The monitor task: posts anew what instances left behind that are dead, or could not post it themselves.

One instance of a domain runs it at a time, by the task manager; two at once do no harm. Operations that
waited at a dead instance go back to the broker, and so to any instance. Cuts do not: they are adopted here
as they are, since their batch may be half written or anchored already.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete

from penstock.did.operation_queue.cuts import adopt_cuts
from penstock.did.operation_queue.detached import detach_waiting
from penstock.did.operation_queue.hearing import Hearing
from penstock.did.operation_queue.heartbeat import beat, last_words, still_silent
from penstock.did.operation_queue.reposting import Reposted, new_claim
from penstock.did.operation_queue.tables import tasks

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from penstock.clock import Clock
    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue.reposting import Reposter

__all__ = ["MONITOR", "Monitor", "recover"]

#: The task's name at the task manager.
MONITOR: Final = "op-queue-monitor"

_log = logging.getLogger(__name__)


class Monitor:
    """Looks after the operations of other instances."""

    def __init__(
        self,
        database: DomainDatabase,
        reposter: Reposter,
        *,
        me: str,
        clock: Clock,
        expiration: float,
        max_ops_to_repost: int | None = None,
    ) -> None:
        """A monitor.

        Args:
            me: The instance's own task, which is alive.
            expiration: op-queue-task-expiration, in seconds.
            max_ops_to_repost: Of one dead instance in one run; None is all.
        """
        self._database = database
        self._reposter = reposter
        self._me = me
        self._clock = clock
        self._hearing = Hearing(expiration)
        self._limit = max_ops_to_repost

    async def run(self) -> Reposted:
        """Post anew whatever there is.

        Raises:
            StoreError: the database is away; the next run goes on.
        """
        done = await self._reposter.repost_due()
        words = await self._database.run(last_words, self._me)
        for task, word in self._hearing.silent(words, self._clock.now()).items():
            done += await self._recover(task, word)
        return done

    async def _recover(self, task: str, word: float) -> Reposted:
        claim = new_claim()
        adopted = await self._database.run(
            recover, task, self._me, word=word, claim=claim, now=self._clock.now(), limit=self._limit
        )  # fmt: skip
        done = await self._reposter.repost(claim)
        _log.warning("instance %s is gone: %s, %d cuts adopted", task, done, adopted)
        return done


def recover(
    connection: Connection,
    task: str,
    me: str,
    *,
    word: float,
    claim: str,
    now: float,
    limit: int | None,
) -> int:
    """Detach a dead instance's operations under the claim and adopt its cuts; returns how many cuts.

    Its entry goes with the last operation. If `word` is not its last any more, nothing happens.
    """
    if not still_silent(connection, task, word):
        return 0
    # Its own entry may be gone, if others take it for dead: cuts without one would be found by nobody.
    beat(connection, me, now)
    adopted = adopt_cuts(connection, task, me)
    error = "the instance that had it is gone"
    if detach_waiting(connection, task, claim=claim, now=now, error=error, limit=limit):
        connection.execute(delete(tasks).where(tasks.c.task == task))
    return adopted
