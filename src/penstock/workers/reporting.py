"""What a worker tells whoever waits for a job: how far it is, what came of it, that it failed.

Replies go to the queue that the job names, in order. They are news, not work: nobody retries them for ever,
and a caller that has gone is no reason to fail a job.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.errors import ClientError, MessagingError, PersistentError
from penstock.messaging import Destination, Message
from penstock.workers.reply import DONE, FAILED, PROGRESS, Reply

if TYPE_CHECKING:
    from collections.abc import Container

    from penstock.errors import RequestRefused
    from penstock.messaging import Broker

__all__ = ["Report", "Reporter"]

_log = logging.getLogger(__name__)

#: Seconds that a reply waits in a queue for a caller that does not fetch it.
KEPT_S: Final = 3600.0
#: Jobs whose progress is kept for a panel; more than a worker is at. Where no herald tells of them, as on
#: beanstalk URLs, nobody else forgets them.
MOST_PROGRESS: Final = 10_000


class Reporter:
    """Sends replies for one worker. `drain` it before the broker is closed."""

    def __init__(self, broker: Broker) -> None:
        self.broker = broker
        self.loop = asyncio.get_running_loop()
        self._sending: set[asyncio.Task[None]] = set()
        #: What jobs reported last, by their ids, whether anybody waits for them or not.
        self.progress: dict[str, Any] = {}

    def note(self, job: str, progress: Any) -> None:
        """A job has reported. Of those that nobody asks about, the oldest go."""
        self.progress.pop(job, None)
        self.progress[job] = progress
        if len(self.progress) > MOST_PROGRESS:
            del self.progress[next(iter(self.progress))]

    def keep_progress(self, jobs: Container[str]) -> None:
        """Forget what was reported by others than these."""
        for job in [each for each in self.progress if each not in jobs]:
            del self.progress[job]

    @property
    def is_busy(self) -> bool:
        """Whether a reply is on its way."""
        return bool(self._sending)

    def send(self, reply: Reply, to: str, after: asyncio.Task[None] | None = None) -> asyncio.Task[None]:
        """Send a reply, after another if there is one. Neither waits nor fails."""
        task = self.loop.create_task(self._send(reply, to, after))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        return task

    async def drain(self) -> None:
        """Wait for what is on its way."""
        while self._sending:
            await asyncio.wait(set(self._sending))

    async def _send(self, reply: Reply, to: str, after: asyncio.Task[None] | None) -> None:
        if after is not None:
            await asyncio.wait({after})
        message = Message(
            body=msgspec.json.encode(reply),
            correlation_id=reply.job,
            # What came of a job outlives the broker, since the job itself is gone by then.
            durable=reply.state != PROGRESS,
            expires_in=KEPT_S,
        )
        try:
            await self.broker.publish(message, Destination.queue(to))
        except ClientError as exc:
            _log.info("nobody is told that %s is %s: %s", reply.job, reply.state, exc)


class Report:
    """What is told of one job; nothing at all if nobody waits for it."""

    __slots__ = ("_job", "_last", "_reporter", "_to")

    def __init__(self, reporter: Reporter, job: str, to: str | None) -> None:
        self._reporter = reporter
        self._job = job
        self._to = to
        self._last: asyncio.Task[None] | None = None

    def progress(self, value: Any) -> None:
        """How far it is. From any thread.

        Raises:
            MessagingError: that cannot be written as JSON.
        """
        if self._to is None:
            self._reporter.loop.call_soon_threadsafe(self._note, value)
            return
        reply = Reply(job=self._job, state=PROGRESS, value=_written(value, MessagingError))
        self._reporter.loop.call_soon_threadsafe(self._note, value)
        self._reporter.loop.call_soon_threadsafe(self._send, reply)

    async def done(self, result: Any) -> None:
        """What came of it; returns when that is sent, so that a worker that dies before has not done the job.

        Raises:
            PersistentError: the result cannot be written as JSON.
        """
        if self._to is None:
            return
        reply = Reply(job=self._job, state=DONE, value=_written(result, PersistentError))
        # What a thread has reported is in the loop's hands before this.
        await asyncio.sleep(0)
        self._send(reply)
        if self._last is not None:
            await asyncio.shield(self._last)

    def failed(self, error: str) -> None:
        """It will not be done."""
        self._send(Reply(job=self._job, state=FAILED, error=error))

    async def refused(self, refused: RequestRefused) -> None:
        """It cannot be; returns when that is sent, as for what is done."""
        self._send(Reply(job=self._job, state=FAILED, error=str(refused), status=refused.status))
        if self._last is not None:
            await asyncio.shield(self._last)

    def _note(self, value: Any) -> None:
        self._reporter.note(self._job, value)

    def _send(self, reply: Reply) -> None:
        if self._to is not None:
            self._last = self._reporter.send(reply, self._to, self._last)


def _written(value: Any, error: type[MessagingError]) -> msgspec.Raw:
    try:
        return msgspec.Raw(msgspec.json.encode(value))
    except (TypeError, ValueError, msgspec.MsgspecError) as exc:
        raise error(f"what a job told cannot be written as JSON: {exc}") from exc
