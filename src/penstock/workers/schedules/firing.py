"""A cron's job is done once for each time that it is due, although it may be put twice.

A scheduler that dies after it has put a job, and before it has said so, leaves it to be put by another. So
each put has a name of its own, and the database, which all workers share, says which of them counts: the one
that a worker takes first. That one may come as often as any job does; the others are passed over.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.clock import Clock
    from penstock.messaging import Context
    from penstock.workers.schedules.store import Schedules

__all__ = ["PUT", "OncePerFiring"]

_log = logging.getLogger(__name__)

#: The header that names the put, the same on every copy of the message.
PUT: Final = "x-penstock-put"


class OncePerFiring:
    """A consumer's handler before that of its jobs."""

    def __init__(
        self, do: Callable[[Any, Context], Awaitable[None]], schedules: Schedules, clock: Clock
    ) -> None:
        self._do = do
        self._schedules = schedules
        self._clock = clock

    def __repr__(self) -> str:
        return f"<OncePerFiring by {self._schedules!r}>"

    async def do(self, taken: Any, context: Context) -> None:
        """Have a job done, unless it is that of a cron and was put by another already.

        Raises:
            StoreError: nobody can tell; it is tried again.
        """
        put = context.message.headers.get(PUT)
        if put is None or await self._counts(context.message.id, str(put)):
            await self._do(taken, context)
        else:
            _log.info("the job %s was put twice, and is done once", context.message.id)

    async def _counts(self, job: str, put: str) -> bool:
        store = self._schedules
        return await store.run(store.first_put, job, put, self._clock.now()) == put
