"""Job message: what a beanstalk client has put, as the wiring carries it.

It has what AMQP asks of a message too, made when somebody asks: most jobs never meet AMQP, and pay nothing
for it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Final

from penstock.server.amqp.message import AmqpMessage
from penstock.server.amqp.terms import HIGHEST, LEASE_HEADER
from penstock.wire.amqp import BasicProperties, PublishArgs, content_frames
from penstock.wire.amqp.properties import PERSISTENT_MODE
from penstock.wiring import Message, Terms
from penstock.wiring.properties import NONE

if TYPE_CHECKING:
    from penstock.wiring import Death

__all__ = ["JOB_HEADER", "JobMessage", "job_terms"]

#: Tells an AMQP consumer which job it has.
JOB_HEADER: Final = "x-job-id"


@lru_cache(maxsize=4096)
def job_terms(priority: int, delay: int, ttr: int, *, persistent: bool) -> Terms:
    """The terms of a job, the same object for the same terms: a queue that sees it again knows the way."""
    # A worker has a second at least (beanstalk protocol: put).
    return Terms(persistent=persistent, priority=priority, delay_in=float(delay), lease_in=float(max(ttr, 1)))


@lru_cache(maxsize=1024)
def _route(tube: str) -> PublishArgs:
    return PublishArgs("", tube)


class JobMessage(Message):
    """One job."""

    __slots__ = ("created_at", "id")

    #: AMQP's large bodies are in files; a job's is not.
    large: ClassVar[None] = None

    def __init__(self, body: bytes, tube: str, terms: Terms, number: int, created_at: float) -> None:
        # Not through the base: a job is made for every put.
        self.body = body
        self.destination = tube
        self.properties = NONE
        self.terms = terms
        self.proxy = ""
        self.deaths = ()
        self.references = 0
        self.stored = 0
        self.id = number
        self.created_at = created_at

    def __repr__(self) -> str:
        return f"<JobMessage {self.id} in {self.destination!r}, {self.size} bytes>"

    # For AMQP

    @property
    def route(self) -> PublishArgs:
        """As if it had been published to the tube by name."""
        return _route(self.destination)

    @property
    def content(self) -> BasicProperties:
        """The properties that say the same to an AMQP consumer, as far as AMQP has words for it."""
        terms = self.terms
        return BasicProperties.of(
            delivery_mode=PERSISTENT_MODE if terms.persistent else 1,
            priority=max(HIGHEST - terms.priority, 0),
            headers={JOB_HEADER: self.id, LEASE_HEADER: int(terms.lease_in or 0)},
        )

    @property
    def frames(self) -> bytes:
        """Its content header and body frames, of any size: they are cut as was agreed when they leave."""
        return content_frames(0, self.content, self.body, 0)

    def shown_with(self, content: BasicProperties) -> AmqpMessage:
        """The same body behind other properties."""
        return AmqpMessage(
            self.route, content, content_frames(0, content, self.body, 0), self.terms, self.deaths
        )

    def reborn(self, proxy: str, destination: str | None, deaths: tuple[Death, ...]) -> AmqpMessage:
        """As a dead letter it is AMQP's, which has headers to tell of its deaths."""
        return self.shown_with(self.content).reborn(proxy, destination, deaths)
