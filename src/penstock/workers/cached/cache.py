"""A cache on a broker: whoever asks for a value listens, claims it, and waits for news."""

from __future__ import annotations

import logging
from contextlib import AsyncExitStack, suppress
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import msgspec

from penstock.errors import (
    ClientError,
    InvalidMessage,
    JobFailed,
    MessagingError,
    NoReply,
    RequestRefused,
    StoreError,
)
from penstock.workers.cached.filling import fill
from penstock.workers.cached.keeping import Keeping
from penstock.workers.cached.notice import Notice, read_notice
from penstock.workers.cached.shelf import Claim, Entry
from penstock.workers.cached.waiting import Waiters
from penstock.workers.fan.channels import new_pipe, pipe_topology
from penstock.workers.jobs import Jobs

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from penstock.client import Queue
    from penstock.messaging import Received
    from penstock.messaging.amqp import AmqpBroker
    from penstock.workers.cached.cached import Cached
    from penstock.workers.gateway import Request, Session
    from penstock.workers.job import Job

__all__ = ["Cache"]

_log = logging.getLogger(__name__)

Content = TypeVar("Content")

#: Seconds that somebody waits for a value unless it is said.
PATIENCE_S: Final = 30.0
#: Seconds that a claim holds before its job is put. If whoever claimed dies before, the others go on then.
CLAIM_S: Final = 10.0
#: And until a worker begins: the job is safe in its queue, and one more would be of no use. Finite, since
#: queues are purged, and jobs buried, without a word.
QUEUED_S: Final = 300.0
#: News that waits for a process that does not listen; then the oldest go.
MOST_NEWS: Final = 1000
PREFETCH: Final = 100

#: What a gateway's client is told of a failure; the first that fits.
STATUSES: Final[tuple[tuple[type[Exception], int], ...]] = (
    (InvalidMessage, 400),
    (NoReply, 504),
    (JobFailed, 500),
    (ClientError, 503),
    (StoreError, 503),
)


class Cache(Generic[Content]):
    """Made by `Cached.on`. Ask within `async with`; all else needs no beginning."""

    def __init__(self, cached: Cached[Content], broker: AmqpBroker) -> None:
        self._cached = cached
        self._broker = broker
        self._clock = broker.clock
        self._keeping = Keeping(cached, broker)
        self._jobs = Jobs(broker)
        self._waiters = Waiters()
        self._opened: AsyncExitStack | None = None

    def __repr__(self) -> str:
        return f"<Cache {self._cached.name}, {self._waiters!r}>"

    # Listening

    async def __aenter__(self) -> Self:
        if self._opened is not None:
            raise MessagingError(f"the cache {self._cached.name} is open on this broker already")
        broker, pipe = self._broker, pipe_topology(new_pipe(self._cached.channel), length=MOST_NEWS)
        [queue] = pipe.queues
        async with AsyncExitStack() as opened:
            await broker.initialize(pipe)
            opened.push_async_callback(self._withdraw, queue)
            subscribed = await broker.subscribe(queue.name, self._receive, prefetch=PREFETCH)
            opened.push_async_callback(subscribed.cancel)
            self._opened = opened.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            await opened.aclose()

    async def _withdraw(self, pipe: Queue) -> None:
        with suppress(ClientError):
            # If the broker is away, the pipe's lease will do.
            await self._broker.client.withdraw(pipe)

    def _receive(self, several: list[Received]) -> None:
        for received in several:
            try:
                self._hear(read_notice(received.body))
            except InvalidMessage as exc:
                _log.warning("%s: %s", received.queue, exc)
            received.ack()

    def _hear(self, notice: Notice) -> None:
        if not self._cached.shelf.is_shared:
            # In this process's memory, so nobody is held up.
            self._follow(notice)
        self._waiters.tell(notice)

    def _follow(self, notice: Notice) -> None:
        """Have a shelf of this process's own be as the news says."""
        shelf, entry, made = self._cached.shelf, Entry(self._cached.name, notice.key), notice.made
        for token in notice.of:
            if made is not None:
                self._keeping.keep(entry, token, made)
            else:
                shelf.release(entry, token)
        if not notice.of and notice.by != self._cached.by:
            shelf.forget(entry)

    # Asking

    async def get(self, content: Content, *, timeout: float = PATIENCE_S) -> Any:  # noqa: ASYNC109  by the broker's clock
        """The value: at once if it is there, else when a worker has made it.

        Raises:
            InvalidMessage: there can be no such value.
            JobFailed: whoever was to make it says that it cannot be.
            RequestRefused: likewise, with a status.
            NoReply: it is not there in time; it may still come.
            PublishError: the broker does not take the job.
            StoreError: the shelf cannot be reached.
        """
        return msgspec.json.decode(await self.get_raw(content, timeout=timeout))

    async def get_raw(self, content: Content, *, timeout: float = PATIENCE_S) -> bytes:  # noqa: ASYNC109  as above
        """The same as JSON."""
        if self._opened is None:
            raise MessagingError(f"the cache {self._cached.name} is not listening: `async with` it first")
        entry, deadline = self._cached.entry(content), self._clock.now() + timeout
        with self._waiters.waiting(entry.key) as waiter:
            while True:
                found = await self._keeping.claim(entry, CLAIM_S)
                if not isinstance(found, Claim):
                    return found
                until = await self._put(entry, found.token, content) if found.is_own else found.until
                notice = await waiter.maybe_of(found.token, min(until, deadline), self._clock)
                if notice is not None and notice.is_end:
                    return _value(entry, notice)
                if self._clock.now() >= deadline:
                    raise NoReply(f"{entry.key} of {entry.cache} is not there after {timeout:g} s: {ASK}")

    async def answer(self, _session: Session, request: Request) -> msgspec.Raw:
        """What a gateway answers: `ClientRoute(answer=cache.answer, waits=True)`.

        Raises:
            RequestRefused: with a status that says why.
        """
        try:
            content = msgspec.json.decode(request.content, type=self._cached.content)
        except (msgspec.DecodeError, UnicodeError) as exc:
            raise RequestRefused(f"{request.route} takes something else: {exc}", status=400) from exc
        try:
            return msgspec.Raw(await self.get_raw(content))
        except tuple(kind for kind, _ in STATUSES) as exc:
            status = next(status for kind, status in STATUSES if isinstance(exc, kind))
            raise RequestRefused(str(exc), status=status) from exc

    async def forget(self, *contents: Content) -> None:
        """Have these values be made anew for whoever asks from now on. Commit first what they are made of.

        Raises:
            PublishError: the broker does not take the news, which memory shelves of other processes need.
            StoreError: the shelf cannot be reached.
        """
        shelf = self._cached.shelf
        for content in contents:
            entry = self._cached.entry(content)
            await shelf.run(shelf.forget, entry)
            if not shelf.is_shared:
                await self._keeping.tell(Notice(key=entry.key, by=self._cached.by))

    async def fill(self, job: Job[Content], handler: Callable[[Job[Content]], Any]) -> Any:
        """Do the job of a miss; see filling.py."""
        return await fill(self._keeping, job, handler)

    async def _put(self, entry: Entry, token: str, content: Content) -> float:
        """Have somebody make it; until when the claim holds."""
        cached = self._cached
        try:
            await self._jobs.put(cached.queue, cached.route, content, priority=cached.priority, job_id=token)
        except ClientError:
            await self._keeping.release(entry, token)
            raise
        await self._keeping.renew(entry, token, QUEUED_S)
        return self._clock.now() + QUEUED_S


#: What an operator asks first.
ASK: Final = "does a worker run?"


def _value(entry: Entry, notice: Notice) -> bytes:
    if notice.status:
        raise RequestRefused(notice.error, status=notice.status)
    made = notice.made
    if made is None:
        raise JobFailed(f"{entry.key} of {entry.cache} cannot be made: {notice.error}")
    return made
