"""Which function does a command.

What most clients do all day comes in runs, and is done a run at a time: such a function is given all commands
and where the run begins, and tells where it ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from penstock.server.beanstalk.verbs import looking, mending, producing, working
from penstock.wire.beanstalk import Verb

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.server.beanstalk.session import BeanstalkSession
    from penstock.wire.beanstalk import Command

    Alone: TypeAlias = Callable[[BeanstalkSession, Any], None]
    Run: TypeAlias = Callable[[BeanstalkSession, list[Command], int], int]

__all__ = ["RUNS", "VERBS"]

RUNS: Final[Mapping[Verb, Run]] = {
    Verb.PUT: producing.put,
    Verb.RESERVE: working.reserve,
    Verb.RESERVE_WITH_TIMEOUT: working.reserve,
    Verb.DELETE: working.delete,
}
VERBS: Final[Mapping[Verb, Alone]] = {
    Verb.USE: producing.use,
    Verb.AUTH: producing.auth,
    Verb.QUIT: producing.leave,
    Verb.REFUSED: producing.refuse,
    Verb.RESERVE_JOB: working.reserve_job,
    Verb.RELEASE: working.release,
    Verb.BURY: working.bury,
    Verb.TOUCH: working.touch,
    Verb.WATCH: working.watch,
    Verb.IGNORE: working.ignore,
    Verb.KICK: mending.kick,
    Verb.KICK_JOB: mending.kick_job,
    Verb.PAUSE_TUBE: mending.pause_tube,
    Verb.PEEK: looking.peek,
    Verb.PEEK_READY: looking.peek_ready,
    Verb.PEEK_DELAYED: looking.peek_delayed,
    Verb.PEEK_BURIED: looking.peek_buried,
    Verb.STATS: looking.stats,
    Verb.STATS_JOB: looking.stats_job,
    Verb.STATS_TUBE: looking.stats_tube,
    Verb.LIST_TUBES: looking.list_tubes,
    Verb.LIST_TUBE_USED: looking.list_tube_used,
    Verb.LIST_TUBES_WATCHED: looking.list_tubes_watched,
}
