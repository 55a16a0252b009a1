"""What everybody may look at: peek, stats, lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from penstock.server.beanstalk.statistics import job_statistics, server_statistics, tube_statistics
from penstock.server.permissions import Action
from penstock.wire.beanstalk import Word, document, listing, replies

if TYPE_CHECKING:
    from penstock.server.amqp.message import AmqpMessage
    from penstock.server.beanstalk.session import BeanstalkSession
    from penstock.wiring import Queue, Reference

__all__ = [
    "list_tube_used",
    "list_tubes",
    "list_tubes_watched",
    "peek",
    "peek_buried",
    "peek_delayed",
    "peek_ready",
    "stats",
    "stats_job",
    "stats_tube",
]


def _settled(session: BeanstalkSession) -> None:
    """What is due is done, and what somebody waits for is in its hands, before anybody looks."""
    session.front.broker.settle(session.front.host)


def _used(session: BeanstalkSession) -> Queue:
    _settled(session)
    return session.front.tubes.queue_of(session.used)


def _show(session: BeanstalkSession, queue: Queue | None, reference: Reference | None) -> None:
    if queue is None or reference is None:
        session.say(replies.NOT_FOUND)
    elif not session.may(Action.READ, queue.name):
        session.say(replies.NOT_PERMITTED)
    else:
        number = session.front.jobs.id_of(reference, queue)
        message = cast("AmqpMessage", reference.message)
        if message.large is None:
            session.say(replies.found(number, bytes(message.body)))
        else:
            head = replies.head(Word.FOUND, number, message.large.length)
            session.say_large(head, message.large, lambda: None)


def peek(session: BeanstalkSession, number: int) -> None:
    """A job by its id, whoever has it."""
    _settled(session)
    _show(session, *(session.front.jobs.find(number) or (None, None)))


def peek_ready(session: BeanstalkSession, _nothing: tuple[()]) -> None:
    """The next that would be reserved."""
    queue = _used(session)
    _show(session, queue, queue.waiting.first())


def peek_delayed(session: BeanstalkSession, _nothing: tuple[()]) -> None:
    """The next that will be ready."""
    queue = _used(session)
    _show(session, queue, next(iter(queue.timers.delayed), None))


def peek_buried(session: BeanstalkSession, _nothing: tuple[()]) -> None:
    """The next that would be kicked."""
    queue = _used(session)
    _show(session, queue, next(iter(queue.buried.values()), None))


def stats(session: BeanstalkSession, _nothing: tuple[()]) -> None:
    """Everything that is counted of the server."""
    _settled(session)
    session.say(replies.chunk(document(server_statistics(session.front))))


def stats_job(session: BeanstalkSession, number: int) -> None:
    """Everything that is known of a job."""
    _settled(session)
    found = session.front.jobs.find(number)
    if found is None:
        session.say(replies.NOT_FOUND)
    elif not session.may(Action.READ, found[0].name):
        session.say(replies.NOT_PERMITTED)
    else:
        session.say(replies.chunk(document(job_statistics(session.front, number, *found))))


def stats_tube(session: BeanstalkSession, name: str) -> None:
    """Everything that is counted of a tube."""
    _settled(session)
    tube = session.front.tubes.maybe_find(name)
    if tube is None:
        session.say(replies.NOT_FOUND)
    elif not session.may(Action.READ, name):
        session.say(replies.NOT_PERMITTED)
    else:
        session.say(replies.chunk(document(tube_statistics(session.front, tube))))


def list_tubes(session: BeanstalkSession, _nothing: tuple[()]) -> None:
    """All tubes that the client may see."""
    session.say(
        replies.chunk(listing(name for name in session.front.tubes if session.may(Action.READ, name)))
    )


def list_tube_used(session: BeanstalkSession, _nothing: tuple[()]) -> None:
    """Where the client's jobs go."""
    session.say(replies.using(session.used.name))


def list_tubes_watched(session: BeanstalkSession, _nothing: tuple[()]) -> None:
    """Where the client's jobs come from."""
    session.say(replies.chunk(listing(session.reserving.watched)))
