"""Waiting for a job: the queue that replies to one caller come to, and what is known of each job so far."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar
from uuid import uuid4
from weakref import WeakValueDictionary

import msgspec

from penstock.client import Queue
from penstock.errors import JobFailed, NoReply
from penstock.messaging import Topology
from penstock.workers.reply import FAILED, PROGRESS, Reply

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from penstock.clock import Clock
    from penstock.messaging import Broker, Received, Subscribed

__all__ = ["Asked", "Replies"]

Result = TypeVar("Result")

_log = logging.getLogger(__name__)

#: Milliseconds after which the queue of a caller that has gone goes, too. Long enough for a lost connection.
GONE_AFTER_MS: Final = 600_000
PREFETCH: Final = 200
#: Reports that are kept for a caller that does not look at them; then the oldest go.
MOST_REPORTS: Final = 1000
#: What msgspec raises for what is no JSON: no text at all, or lists in lists without end.
UNREADABLE: Final = (msgspec.DecodeError, UnicodeError, RecursionError)
_decode: Final = msgspec.json.Decoder(Reply).decode


class Asked(Generic[Result]):
    """A job that somebody waits for."""

    def __init__(self, job: str, result_type: type[Result] | Any, clock: Clock) -> None:
        self.job = job
        self._type = result_type
        self._clock = clock
        self._reports: deque[Any] = deque(maxlen=MOST_REPORTS)
        self._last: Reply | None = None
        self._news = asyncio.Event()

    def __repr__(self) -> str:
        return f"<Asked {self.job}, {'waiting' if self._last is None else self._last.state}>"

    @property
    def is_over(self) -> bool:
        """Whether the job is done, or will never be."""
        return self._last is not None

    async def result(self, timeout: float | None = None) -> Result:  # noqa: ASYNC109  by the broker's clock
        """What came of the job.

        Args:
            timeout: Seconds to wait at most.

        Raises:
            JobFailed: it is a dead letter.
            NoReply: the time is over; the job is where it was, and may be waited for again.
        """
        alarm = timeout is not None and self._clock.call_at(self._clock.now() + timeout, self._news.set)
        until = None if timeout is None else self._clock.now() + timeout
        try:
            while self._last is None:
                if until is not None and self._clock.now() >= until:
                    raise NoReply(f"the job {self.job} has no result after {timeout:g} s: does a worker run?")
                await self._news.wait()
                self._news.clear()
        finally:
            if alarm:
                alarm.cancel()
        return self._read(self._last)

    async def reports(self) -> AsyncIterator[Any]:
        """What the handler reports, until the job is over."""
        while self._reports or self._last is None:
            if self._reports:
                yield self._reports.popleft()
                continue
            await self._news.wait()
            self._news.clear()

    def tell(self, reply: Reply) -> None:
        """There is news. The first end is the end: a job that is done twice has one result."""
        if self._last is not None:
            return
        if reply.state == PROGRESS:
            self._reports.append(msgspec.json.decode(reply.value))
        else:
            self._last = reply
        self._news.set()

    def _read(self, reply: Reply) -> Result:
        if reply.state == FAILED:
            raise JobFailed(f"the job {self.job} failed: {reply.error}")
        try:
            found: Result = msgspec.json.decode(reply.value, type=self._type)
        except UNREADABLE as exc:
            raise JobFailed(
                f"the job {self.job} is done, and its result is not what was asked: {exc}"
            ) from exc
        return found


class Replies:
    """The replies to one caller. `open` it before the first job is put."""

    def __init__(self, broker: Broker) -> None:
        self.queue = f"penstock.replies.{uuid4().hex}"
        self._broker = broker
        #: Whoever has let go of one does not wait for it any more.
        self._asked: WeakValueDictionary[str, Asked[Any]] = WeakValueDictionary()
        self._subscribed: Subscribed | None = None
        self._opening = asyncio.Lock()

    async def open(self) -> None:
        """Have the queue, and listen to it. May be called several times."""
        async with self._opening:
            if self._subscribed is None:
                # Durable, since RabbitMQ 4.3 has no others that outlive a lost connection.
                queue = Queue(self.queue, arguments={"x-expires": GONE_AFTER_MS})
                await self._broker.initialize(Topology(queues=(queue,)))
                self._subscribed = await self._broker.subscribe(self.queue, self._take, prefetch=PREFETCH)

    async def close(self) -> None:
        """Listen no more; the queue goes by itself."""
        if self._subscribed is not None:
            await self._subscribed.cancel()
            self._subscribed = None

    def expect(self, job: str, result_type: Any) -> Asked[Any]:
        """Somebody will wait for this job."""
        asked = self._asked[job] = Asked(job, result_type, self._broker.clock)
        return asked

    def forget(self, job: str) -> None:
        """Nobody waits for it any more."""
        self._asked.pop(job, None)

    def _take(self, arrived: list[Received]) -> None:
        for received in arrived:
            try:
                self._tell(_decode(received.body))
            except UNREADABLE as exc:
                _log.warning("what came to %s is no reply: %s", self.queue, exc)
            received.ack()

    def _tell(self, reply: Reply) -> None:
        asked = self._asked.get(reply.job)
        if asked is None:
            return
        asked.tell(reply)
        if asked.is_over:
            self.forget(reply.job)
