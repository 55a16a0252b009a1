"""What stats, stats-tube and stats-job tell: beanstalkd's keys, in its order, with the broker's figures."""

from __future__ import annotations

import os
import resource
from typing import TYPE_CHECKING, Final

from penstock import __version__
from penstock.server.beanstalk.handling import Handling
from penstock.server.beanstalk.message import JobMessage
from penstock.server.beanstalk.watching import DEFAULT_TTR
from penstock.wire.beanstalk import Verb
from penstock.wiring import State

if TYPE_CHECKING:
    from penstock.server.beanstalk.front import BeanstalkFront
    from penstock.server.beanstalk.tubes import Tube
    from penstock.wiring import Queue, Reference

__all__ = ["job_statistics", "server_statistics", "tube_statistics"]

#: Priorities before this are urgent (beanstalk protocol: stats).
URGENT_BELOW: Final = 1024
#: The commands that are counted, in the order in which they are told.
COUNTED: Final = (
    Verb.PUT,
    Verb.PEEK,
    Verb.PEEK_READY,
    Verb.PEEK_DELAYED,
    Verb.PEEK_BURIED,
    Verb.RESERVE,
    Verb.RESERVE_WITH_TIMEOUT,
    Verb.DELETE,
    Verb.RELEASE,
    Verb.USE,
    Verb.WATCH,
    Verb.IGNORE,
    Verb.BURY,
    Verb.KICK,
    Verb.TOUCH,
    Verb.STATS,
    Verb.STATS_JOB,
    Verb.STATS_TUBE,
    Verb.LIST_TUBES,
    Verb.LIST_TUBE_USED,
    Verb.LIST_TUBES_WATCHED,
    Verb.PAUSE_TUBE,
)
#: Words, not texts: they stand without quotes.
STATES: Final = {
    State.READY: b"ready",
    State.BEHIND: b"ready",
    State.DELAYED: b"delayed",
    State.HELD: b"reserved",
    State.BURIED: b"buried",
}


def server_statistics(front: BeanstalkFront) -> dict[str, object]:
    """The server as a whole."""
    queues = list(front.host.wiring.queues.values())
    usage = resource.getrusage(resource.RUSAGE_SELF)
    machine = os.uname()
    sessions = front.sessions
    return {
        **_depths(queues),
        **{f"cmd-{verb.value.strip()}": front.commands[verb] for verb in COUNTED},
        "job-timeouts": front.tubes.timeouts,
        "total-jobs": front.host.retired.published + sum(map(_came, queues)),
        "max-job-size": front.settings.max_job_bytes,
        "current-tubes": len(front.tubes),
        "current-connections": len(sessions),
        "current-producers": sum(session.is_producer for session in sessions),
        "current-workers": sum(session.is_worker for session in sessions),
        "current-waiting": sum(bool(session.reserving.pending) for session in sessions),
        "total-connections": front.connected,
        "pid": os.getpid(),
        "version": f"penstock {__version__}",
        "rusage-utime": f"{usage.ru_utime:.6f}".encode(),
        "rusage-stime": f"{usage.ru_stime:.6f}".encode(),
        "uptime": int(front.broker.now - front.started_at),
        # The store is no binlog: there are no files to number.
        "binlog-oldest-index": 0,
        "binlog-current-index": 0,
        "binlog-records-migrated": 0,
        "binlog-records-written": 0,
        "binlog-max-size": 0,
        "draining": b"true" if front.is_draining else b"false",
        "id": front.id.encode(),
        "hostname": machine.nodename,
        "os": machine.version,
        "platform": machine.machine,
    }


def tube_statistics(front: BeanstalkFront, tube: Tube) -> dict[str, object]:
    """One tube."""
    queue, now = tube.queue, front.broker.now
    is_paused = queue.paused_until > now
    waiting = (s for s in front.sessions if s.reserving.pending and tube.name in s.reserving.watched)
    return {
        "name": tube.name,
        **_depths([queue]),
        "total-jobs": _came(queue),
        "current-using": tube.users,
        "current-watching": tube.watchers,
        "current-waiting": sum(1 for _ in waiting),
        "cmd-delete": tube.deletes,
        "cmd-pause-tube": tube.pauses,
        "pause": tube.pause_in if is_paused else 0,
        "pause-time-left": int(queue.paused_until - now) if is_paused else 0,
    }


def job_statistics(
    front: BeanstalkFront, number: int, queue: Queue, reference: Reference
) -> dict[str, object]:
    """One job."""
    message, now, handling = reference.message, front.broker.now, Handling.of(reference)
    if isinstance(message, JobMessage):
        created_at = message.created_at
    else:
        created_at = queue.tally.came_at(reference.sequence, now)
    lease_in = message.terms.lease_in or queue.template.lease_in or DEFAULT_TTR
    return {
        "id": number,
        "tube": queue.name,
        "state": STATES[reference.state],
        "pri": reference.priority,
        "age": int(now - created_at),
        "delay": handling.delay,
        "ttr": int(lease_in),
        "time-left": _time_left(reference, now),
        "file": 0,
        "reserves": reference.acquired,
        "timeouts": reference.failed,
        "releases": handling.releases,
        "buries": handling.buries,
        "kicks": handling.kicks,
    }


def _time_left(reference: Reference, now: float) -> int:
    notes = reference.notes
    if notes is None or reference.state not in (State.HELD, State.DELAYED):
        return 0
    until = notes.lease_at if reference.state is State.HELD else notes.due_at
    # One that an AMQP consumer holds may have no limit.
    return max(int(min(until - now, 2**31)), 0)


def _depths(queues: list[Queue]) -> dict[str, object]:
    return {
        "current-jobs-urgent": sum(queue.waiting.urgent(URGENT_BELOW) for queue in queues),
        "current-jobs-ready": sum(queue.ready for queue in queues),
        "current-jobs-reserved": sum(queue.held for queue in queues),
        "current-jobs-delayed": sum(len(queue.timers.delayed) for queue in queues),
        "current-jobs-buried": sum(len(queue.buried) for queue in queues),
    }


def _came(queue: Queue) -> int:
    return queue.sequence - queue.tally.began
