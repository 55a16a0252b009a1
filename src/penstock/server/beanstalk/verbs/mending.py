"""What operators ask for: kick, kick-job, pause-tube."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from penstock.server.beanstalk.handling import Handling
from penstock.server.permissions import Action
from penstock.wire.beanstalk import replies
from penstock.wiring import State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.server.beanstalk.session import BeanstalkSession
    from penstock.wiring import Queue, Reference

__all__ = ["kick", "kick_job", "pause_tube"]

KICKABLE: Final = (State.BURIED, State.DELAYED)
#: Seconds: a pause of none still ends, and wakes whoever waits (beanstalkd, prot.c).
SHORTEST: Final = 1e-9


def kick(session: BeanstalkSession, bound: int) -> None:
    """Make buried jobs ready, or delayed ones if none is buried, so many at most."""
    front = session.front
    queue = front.tubes.queue_of(session.used)
    if not session.may(Action.READ, queue.name):
        session.say(replies.NOT_PERMITTED)
        return
    source: Iterable[Reference] = queue.buried.values() or queue.timers.delayed
    kicked = list(islice(source, bound))
    for reference in kicked:
        _kick(session, queue, reference)
    session.say(replies.kicked(len(kicked)))


def kick_job(session: BeanstalkSession, number: int) -> None:
    """Make one ready."""
    found = session.front.jobs.find(number)
    if found is None or found[1].state not in KICKABLE:
        session.say(replies.NOT_FOUND)
    elif not session.may(Action.READ, found[0].name):
        session.say(replies.NOT_PERMITTED)
    else:
        _kick(session, *found)
        session.say(replies.KICKED)


def _kick(session: BeanstalkSession, queue: Queue, reference: Reference) -> None:
    handling = Handling.of(reference)
    handling._replace(kicks=handling.kicks + 1).note(reference)
    queue.kick_one(reference, session.front.broker.now)


def pause_tube(session: BeanstalkSession, asked: tuple[str, int]) -> None:
    """Let nobody have jobs of a tube for a while."""
    name, delay = asked
    tube = session.front.tubes.maybe_find(name)
    if tube is None:
        session.say(replies.NOT_FOUND)
    elif not session.may(Action.READ, name):
        session.say(replies.NOT_PERMITTED)
    else:
        tube.pauses += 1
        tube.pause_in = delay
        tube.queue.pause(session.front.broker.now + (delay or SHORTEST))
        session.say(replies.PAUSED)
