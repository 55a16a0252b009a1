"""Jobs: where they are put, now or later, and waited for. The producer's side of this package."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from penstock.errors import MessagingError, NoSchedules, Unroutable
from penstock.messaging import Destination, Message, open_broker
from penstock.workers.asking import Replies
from penstock.workers.form import encode_form
from penstock.workers.queues import DEFAULT_PRIORITY, amqp_priority, home_topology, queue_topology
from penstock.workers.schedules.scheduled import Scheduled

if TYPE_CHECKING:
    from typing import Self

    from penstock.messaging import Broker
    from penstock.workers.asking import Asked
    from penstock.workers.form import UserId
    from penstock.workers.schedules.store import Schedules

    Delay = float | timedelta
    At = float | datetime

__all__ = ["Jobs"]


class Jobs:
    """Puts jobs on the queues of a broker.

    Args:
        broker: An open one, which stays open; `Jobs.open` opens one by URL.
        schedules: Where jobs with a key are kept until they are due.
    """

    def __init__(self, broker: Broker, schedules: Schedules | None = None) -> None:
        self.broker = broker
        self._schedules = schedules
        self._replies = Replies(broker)
        #: Queues that are known to be there.
        self._there: set[str] = set()
        self._is_own = False

    @classmethod
    async def open(cls, mq_url: str | None = None, *, schedules: Schedules | None = None) -> Self:
        """Jobs on the broker at that URL, or on one in this process.

        Raises:
            ClientError: nobody answers there.
        """
        opened = cls(await open_broker(mq_url), schedules)
        opened._is_own = True
        return opened

    def __repr__(self) -> str:
        return f"<Jobs on {self.broker!r}>"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Take no more replies, and leave a broker that was opened here."""
        await self._replies.close()
        if self._is_own:
            await self.broker.close()

    # Putting

    async def put(
        self,
        queue: str,
        route: str,
        content: Any = None,
        *,
        user_id: UserId | None = None,
        priority: int = DEFAULT_PRIORITY,
        delay: Delay = 0.0,
        at: At | None = None,
        key: str | None = None,
        job_id: str | None = None,
    ) -> str:
        """Put a job, and return its id when the broker, or the database of schedules, has it.

        Args:
            queue: Made if it is not there.
            route: Whose handler is to do it.
            content: What JSON can hold, or a msgspec Struct; nothing is `{}`.
            user_id: Whose job it is.
            priority: 0, the most urgent, to 9.
            delay: Not before so much time has passed.
            at: Not before then, in place of a delay; the past is now.
            key: What it can be cancelled or moved by until it is due; another job with that key takes its
                place.
            job_id: What the job is known by, if the caller has a name for it.

        Raises:
            InvalidMessage: the content cannot be written as JSON.
            NoSchedules: it has a key, and there is no database for it.
            PublishError: the broker does not take it, or nobody can tell.
        """
        name = job_id or uuid4().hex
        body, wait = encode_form(route, {} if content is None else content, user_id), self._wait(delay, at)
        if key is not None:
            due_at = self.broker.clock.now() + wait
            row = Scheduled(key=key, job=name, due_at=due_at, queue=queue, body=body, priority=priority)
            amqp_priority(priority)
            schedules = self._kept
            await schedules.run(schedules.put, row)
            return name
        message = Message(body=body, id=name, priority=amqp_priority(priority), delay=wait)
        await self.send(queue, message)
        return name

    async def send(self, queue: str, message: Message) -> None:
        """Publish a message to a queue of jobs, which is made if it is not there."""
        await self.declare(queue)
        try:
            await self.broker.publish(message, Destination.queue(queue))
        except Unroutable:
            # It was there: another's queue, such as a tube, goes when it is empty and that one leaves it.
            self._there.discard(queue)
            await self.declare(queue)
            await self.broker.publish(message, Destination.queue(queue))

    async def declare(self, queue: str, *, priorities: bool = True) -> None:
        """Have a queue, and the one for its dead letters. One that is there is taken as it is.

        Args:
            queue: Its name.
            priorities: Whether the jobs on it have any. Without, RabbitMQ carries half as many again.
        """
        if queue in self._there:
            return
        await self.broker.initialize(home_topology(queue))
        if await self.broker.depth(queue) is None:
            await self.broker.initialize(queue_topology(queue, priorities=priorities))
        self._there.add(queue)

    # By key

    async def cancel(self, key: str) -> bool:
        """Have a job with a key not be done; False if there is none, or it has left already."""
        schedules, now = self._kept, self.broker.clock.now()
        return await schedules.run(schedules.cancel, key, now)

    async def reschedule(self, key: str, *, delay: Delay = 0.0, at: At | None = None) -> bool:
        """Have a job with a key be done at another time; False if there is none, or it has left already."""
        schedules, now = self._kept, self.broker.clock.now()
        return await schedules.run(schedules.move, key, now + self._wait(delay, at), now)

    async def scheduled(self, key: str) -> Scheduled | None:
        """The job that waits under a key."""
        schedules = self._kept
        return await schedules.run(schedules.find, key)

    # Waiting

    async def ask(
        self,
        queue: str,
        route: str,
        content: Any = None,
        *,
        result: Any = Any,
        user_id: UserId | None = None,
        priority: int = DEFAULT_PRIORITY,
        delay: Delay = 0.0,
        at: At | None = None,
    ) -> Asked[Any]:
        """Put a job whose reports and result are waited for; `result` is the type it is to have."""
        await self._replies.open()
        asked = self._replies.expect(uuid4().hex, result)
        message = Message(
            body=encode_form(route, {} if content is None else content, user_id),
            id=asked.job,
            priority=amqp_priority(priority),
            delay=self._wait(delay, at),
            reply_to=self._replies.queue,
        )
        try:
            await self.send(queue, message)
        except BaseException:
            self._replies.forget(asked.job)
            raise
        return asked

    async def call(
        self,
        queue: str,
        route: str,
        content: Any = None,
        *,
        timeout: float = 30.0,  # noqa: ASYNC109  by the broker's clock
        **options: Any,
    ) -> Any:
        """Put a job, and return what came of it; `options` are those of `ask`.

        Raises:
            JobFailed: it is a dead letter.
            NoReply: there is no result in time. The job may still be done.
        """
        asked = await self.ask(queue, route, content, **options)
        try:
            return await asked.result(timeout)
        finally:
            self._replies.forget(asked.job)

    # How

    @property
    def _kept(self) -> Schedules:
        if self._schedules is None:
            raise NoSchedules(
                "a job with a key is kept in a database until it is due: name one, such as "
                "Schedules('sqlite:///schedules.db'), or put the job without a key"
            )
        return self._schedules

    def _wait(self, delay: Delay, at: At | None) -> float:
        seconds = delay.total_seconds() if isinstance(delay, timedelta) else float(delay)
        if at is None:
            return max(seconds, 0.0)
        if seconds:
            raise MessagingError("a job has a delay, or a time that it is due at, and not both")
        if isinstance(at, datetime):
            if at.tzinfo is None:
                raise MessagingError(f"{at} is a time without a zone: say which, such as datetime.now(UTC)")
            at = at.timestamp()
        return max(at - self.broker.clock.now(), 0.0)
