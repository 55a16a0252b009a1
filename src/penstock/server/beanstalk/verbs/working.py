"""What workers ask for: reserve, delete, release, bury, touch, watch, ignore."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.server.beanstalk.handling import Handling
from penstock.server.beanstalk.verbs.producing import maybe_open
from penstock.server.permissions import Action
from penstock.wire.beanstalk import Verb, replies
from penstock.wiring import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.server.beanstalk.session import BeanstalkSession
    from penstock.wire.beanstalk import Command
    from penstock.wiring import Reference

__all__ = ["bury", "delete", "ignore", "release", "reserve", "reserve_job", "touch", "watch"]

DELETE = Verb.DELETE


def reserve(session: BeanstalkSession, commands: list[Command], at: int) -> int:
    """Jobs, as many as are asked for in the same way; if they are many, as many as may be said unseen."""
    command = commands[at]
    end, most = at + 1, min(len(commands), at + session.front.reserves_at_once)
    while end < most and commands[end] is command:
        end += 1
    session.is_worker = True
    session.reserving.ask(end - at, command[1] if command[0] is Verb.RESERVE_WITH_TIMEOUT else None)
    return end


def reserve_job(session: BeanstalkSession, number: int) -> None:
    """One job by its id, wherever it stands."""
    found = session.front.jobs.find(number)
    if found is None or found[1].state is State.HELD or session.front.is_stopping:
        session.say(replies.NOT_FOUND)
        return
    queue, reference = found
    if not session.may(Action.READ, queue.name):
        session.say(replies.NOT_PERMITTED)
    elif reference.message.terms.group is not None:
        # Its group decides who has it, and when.
        session.say(replies.NOT_FOUND)
    else:
        session.is_worker = True
        session.reserving.take_this(queue, reference)


def delete(session: BeanstalkSession, commands: list[Command], at: int) -> int:
    """Jobs that are done, as many as come one after the other; or others that nobody has in hand."""
    front, ledger = session.front, session.reserving.ledger
    by_id, tag_of = front.jobs.by_id, session.reserving.tag_of
    done: list[Reference] = []
    end = at
    while end < len(commands) and commands[end][0] is DELETE:
        number = commands[end][1]
        end += 1
        reference = by_id.get(number)
        tag = tag_of(reference)
        if reference is None or tag is None:
            _delete_other(session, number)
            continue
        del ledger.unsettled[tag]
        done.append(reference)
        front.jobs.forget(number)
        front.tubes.deleted(reference.consumer.queue)
        session.say(replies.DELETED)
    ledger.settle(done)
    return end


def _delete_other(session: BeanstalkSession, number: int) -> None:
    front = session.front
    found = front.jobs.find(number)
    if found is None or found[1].state is State.HELD:
        session.say(replies.NOT_FOUND)
        return
    queue, reference = found
    if not session.may(Action.READ, queue.name):
        session.say(replies.NOT_PERMITTED)
        return
    queue.remove(reference)
    front.jobs.forget(number)
    front.tubes.deleted(queue)
    tube = front.tubes.maybe_find(queue.name)
    if tube is not None:
        front.tubes.settle(tube)
    session.say(replies.DELETED)


def release(session: BeanstalkSession, asked: Sequence[int]) -> None:
    """Back into its tube, at once or later."""
    number, priority, delay = asked
    jobs, reserving = session.front.jobs, session.reserving
    reference = jobs.by_id.get(number)
    tag = reserving.tag_of(reference)
    if reference is None or tag is None:
        session.say(replies.NOT_FOUND)
        return
    handling = Handling.of(reference)
    handling._replace(releases=handling.releases + 1, delay=delay).note(reference)
    reserving.ledger.nack(tag, session.front.broker.now, delay_in=float(delay), priority=priority)
    session.say(replies.RELEASED)


def bury(session: BeanstalkSession, asked: Sequence[int]) -> None:
    """Aside, until somebody kicks it."""
    number, priority = asked
    jobs, reserving = session.front.jobs, session.reserving
    reference = jobs.by_id.get(number)
    tag = reserving.tag_of(reference)
    if reference is None or tag is None:
        session.say(replies.NOT_FOUND)
        return
    handling = Handling.of(reference)
    handling._replace(buries=handling.buries + 1).note(reference)
    reserving.ledger.bury(tag, priority=priority)
    session.say(replies.BURIED)


def touch(session: BeanstalkSession, number: int) -> None:
    """The client is still at work on it: its time begins anew."""
    reserving = session.reserving
    tag = reserving.tag_of(session.front.jobs.by_id.get(number))
    if tag is None:
        session.say(replies.NOT_FOUND)
        return
    reserving.ledger.touch(tag, session.front.broker.now)
    session.say(replies.TOUCHED)


def watch(session: BeanstalkSession, name: str) -> None:
    """Take jobs from this tube, too."""
    tube = maybe_open(session, name, Action.READ)
    if tube is not None:
        session.reserving.watch(tube)
        session.say(replies.watching(len(session.reserving.watched)))


def ignore(session: BeanstalkSession, name: str) -> None:
    """Take no more jobs from this tube; from one it must."""
    watched = session.reserving.watched
    if name in watched and len(watched) == 1:
        session.say(replies.NOT_IGNORED)
        return
    if name in watched:
        session.reserving.ignore(name)
    session.say(replies.watching(len(watched)))
