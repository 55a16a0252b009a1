"""Dead letters of tubes: copies that tell of their deaths, in the tube that was named for them.

A copy is confirmed before the original is deleted. beanstalk's own place for such jobs is `bury`, which can
keep no reason and moves nothing: it is used where no home was named, and where the copy cannot be written.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from penstock.errors import PublishError, PublishRefused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.client.beanstalk import Job
    from penstock.messaging.message import Destination, Message

__all__ = ["EXPIRED", "REJECTED", "Dying"]

_log = logging.getLogger(__name__)

REJECTED: Final = "rejected"
EXPIRED: Final = "expired"
#: Seconds after which a job comes again whose copy could not be put.
AGAIN_IN: Final = 5


class Dying:
    """Sees to jobs that die.

    Args:
        put: Publishes a message to a tube.
        write: Makes the message of a death: of which, where, why, and what it was published to.
    """

    def __init__(
        self,
        put: Callable[[Message, str], Awaitable[None]],
        write: Callable[[Message, str, str, Destination], Message],
    ) -> None:
        self._put = put
        self._write = write
        #: By tube: where its dead letters go.
        self.homes: dict[str, str] = {}
        self._under_way: set[asyncio.Task[None]] = set()

    def __repr__(self) -> str:
        return f"<Dying, {len(self._under_way)} under way>"

    def die(self, job: Job, message: Message, reason: str, to: Destination) -> None:
        """The job has died. Neither waits nor raises."""
        home = self.homes.get(job.tube)
        if home is not None:
            copy = self._write(message, job.tube, reason, to)
            task = asyncio.get_running_loop().create_task(self._move(job, copy, home))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)
        elif reason == EXPIRED:
            job.delete()
        else:
            job.bury()

    async def drain(self) -> None:
        """Wait for those that are under way."""
        while self._under_way:
            await asyncio.wait(set(self._under_way))

    async def _move(self, job: Job, copy: Message, home: str) -> None:
        try:
            await self._put(copy, home)
        except PublishRefused as exc:
            _log.error("the dead letter of %r is buried where it is: %s", job, exc)
            job.bury()
        except PublishError as exc:
            _log.warning("%r comes again, its dead letter is not at home: %s", job, exc)
            job.release(AGAIN_IN)
        else:
            job.delete()
