"""A message that came as a beanstalk job, behind the port's Received."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.messaging.beanstalk.dying import REJECTED
from penstock.messaging.beanstalk.envelope import message_in, opened
from penstock.messaging.beanstalk.terms import around
from penstock.messaging.envelope import deaths_of, maybe_origin
from penstock.messaging.message import Destination, Heading, Wishes
from penstock.messaging.tracing import Trace

if TYPE_CHECKING:
    from penstock.client.beanstalk import Job
    from penstock.messaging.beanstalk.dying import Dying
    from penstock.messaging.message import Death, Message

__all__ = ["BeanstalkReceived"]

_NO_WISHES: Final = Wishes()


class BeanstalkReceived:
    """A job in hand."""

    __slots__ = ("_came_at", "_dying", "_is_dying", "_job", "_message", "_opened")

    def __init__(self, job: Job, dying: Dying, came_at: float) -> None:
        self._job = job
        self._dying = dying
        self._came_at = came_at
        self._opened = opened(job.body)
        self._message: Message | None = None
        self._is_dying = False

    def __repr__(self) -> str:
        return f"<BeanstalkReceived {self.message.type} {self.message.id} from {self.queue!r}>"

    # What it is

    @property
    def message(self) -> Message:
        if self._message is None:
            self._message = message_in(self._opened, around(self._job, self._came_at))
        return self._message

    @property
    def heading(self) -> Heading:
        message = self.message
        return Heading(message.type, message.version, message.content_type)

    @property
    def type(self) -> str:
        return self.message.type

    @property
    def wishes(self) -> Wishes:
        # Its time to run is no limit: the server hears that it is being worked on.
        reply_to = self._opened.fields.get("reply_to")
        return Wishes(reply_to) if isinstance(reply_to, str) else _NO_WISHES

    @property
    def trace(self) -> Trace | None:
        headers = self._opened.fields.get("headers")
        return Trace.maybe_in(headers) if isinstance(headers, dict) else None

    @property
    def body(self) -> bytes:
        return self._opened.body

    @property
    def queue(self) -> str:
        return self._job.tube

    @property
    def destination(self) -> Destination:
        return maybe_origin(self.message.headers) or Destination.queue(self._job.tube)

    @property
    def redelivered(self) -> bool:
        return self._job.facts.reserves > 1

    @property
    def is_lost(self) -> bool:
        return self._job.is_lost

    @property
    def delivery_count(self) -> int:
        return self._job.facts.failures

    @property
    def deaths(self) -> tuple[Death, ...]:
        return deaths_of(self.message.headers)

    # Settling

    def ack(self) -> None:
        if not self._is_dying:
            self._job.delete()

    async def ack_for_certain(self) -> bool:
        return not self._is_dying and await self._job.delete_for_certain()

    def reject(self) -> None:
        self.die(REJECTED)

    def requeue(self) -> None:
        if not self._is_dying:
            self._job.release()

    # Ours

    def is_expired(self, now: float) -> bool:
        """Whether nobody took it in time."""
        if "expires_in" not in self._opened.fields:
            return False  # without a look at the rest, as of most
        message = self.message
        return message.expires_in is not None and message.timestamp + message.expires_in <= now

    def die(self, reason: str) -> None:
        """It is a dead letter."""
        if not self._is_dying and not self._job.is_settled:
            self._is_dying = True
            self._dying.die(self._job, self.message, reason, self.destination)
