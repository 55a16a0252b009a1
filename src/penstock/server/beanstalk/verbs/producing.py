"""What producers ask for: put, use. And what everybody does: say who one is, err, leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.server.beanstalk.handling import Handling
from penstock.server.beanstalk.message import JobMessage, job_terms
from penstock.server.permissions import Action
from penstock.wire.beanstalk import Verb, replies
from penstock.wiring import State

if TYPE_CHECKING:
    from penstock.server.beanstalk.session import BeanstalkSession
    from penstock.server.beanstalk.tubes import Tube
    from penstock.wire.beanstalk import Command

__all__ = ["auth", "leave", "maybe_open", "put", "refuse", "use"]

PUT, BEHIND = Verb.PUT, State.BEHIND


def put(session: BeanstalkSession, commands: list[Command], at: int) -> int:
    """Jobs, as many as come one after the other."""
    end = at
    while end < len(commands) and commands[end][0] is PUT:
        end += 1
    session.is_producer = True
    front, queue = session.front, session.front.tubes.queue_of(session.used)
    refusal = replies.OUT_OF_MEMORY if queue.destroyed else _refusal(session)
    if refusal is not None:
        for _, (terms, reply) in commands[at:end]:
            session.say(reply if terms is None else refusal)
        return end
    number, now, by_id = front.jobs.last, front.broker.now, front.jobs.by_id
    tube, place, persistent = session.used.name, front.host.wiring.place, queue.template.persistent
    said: list[bytes] = []
    size = 0
    for _, (asked, body) in commands[at:end]:
        if body is not replies.JOB_TOO_BIG:
            # One that does not end as it should had an id as well (beanstalkd, prot.c).
            number += 1
        if asked is None:
            said.append(body)
            continue
        terms = job_terms(asked[0], asked[1], asked[2], persistent=persistent)
        reference = place(queue, JobMessage(body, tube, terms, number, now), now)
        if reference is None:
            said.append(replies.OUT_OF_MEMORY)
            continue
        size += len(body)
        if asked[1]:
            Handling(delay=asked[1]).note(reference)
        if reference.state is not BEHIND:
            by_id[number] = reference
        said.append(b"INSERTED %d\r\n" % number)
    front.jobs.advance(number, size)
    session.say(b"".join(said))
    return end


def _refusal(session: BeanstalkSession) -> bytes | None:
    """Why no job is taken, if none is."""
    front = session.front
    if front.is_draining:
        return replies.DRAINING
    if front.blocked is not None:
        return replies.OUT_OF_MEMORY
    return None if session.may(Action.WRITE, session.used.name) else replies.NOT_PERMITTED


def use(session: BeanstalkSession, name: str) -> None:
    """Put jobs into another tube from now on."""
    tube = maybe_open(session, name, Action.WRITE)
    if tube is not None:
        before, session.used = session.used, tube
        tube.users += 1
        before.users -= 1
        session.front.tubes.settle(before)
        session.say(replies.using(name))


def maybe_open(session: BeanstalkSession, name: str, action: str) -> Tube | None:
    """A tube that the client may act on, made now if need be; None if it was told why not."""
    tubes = session.front.tubes
    is_new = tubes.maybe_find(name) is None
    may = session.may(action, name) and (not is_new or session.may(Action.CONFIGURE, name))
    if not may or not tubes.is_free(name):
        session.say(replies.NOT_PERMITTED)
        return None
    tube = tubes.maybe_open(name)
    if tube is None:
        session.say(replies.OUT_OF_MEMORY)
    return tube


def auth(session: BeanstalkSession, words: tuple[str, str]) -> None:
    """Be somebody; what the client was until now it is no more."""
    session.guard = None
    session.reserving.part_from_all()
    entering = session.front.entering.as_user(*words, session.peer)
    session.enter(entering, replies.AUTHENTICATED)


def refuse(session: BeanstalkSession, reply: bytes) -> None:
    """Nothing that there is: the decoder knows what to say."""
    session.say(reply)


def leave(session: BeanstalkSession, _nothing: tuple[()]) -> None:
    """Hang up."""
    session.end()
