"""A hand: the jobs of one tube that one connection has reserved.

Only the connection that reserved a job can settle it, and when it goes, the server gives the job to somebody
else; so a hand knows which of its jobs are still its own. While a job is in hand the server hears of it in
time (touch): its TTR is there for machines that die, not for work that takes long.
"""

from __future__ import annotations

import logging
from math import inf
from typing import TYPE_CHECKING, Final

from penstock.client.beanstalk.job import Job, JobFacts
from penstock.client.beanstalk.server import ask_server
from penstock.client.deadlines import Deadlines
from penstock.errors import LoginRefused, NotConnected
from penstock.wire.beanstalk import Verb, Word
from penstock.wire.beanstalk.requests import request

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client.beanstalk.connection import BeanstalkConnection
    from penstock.client.counters import Counters
    from penstock.client.keeping import KeptConnection
    from penstock.client.settings import ClientSettings
    from penstock.clock import Clock
    from penstock.wire.beanstalk import Answer

__all__ = ["Hand", "watch"]

log = logging.getLogger(__name__)

#: The part of its TTR after which a job is touched; and by which others may be touched early, to save rings.
TOUCH_AFTER: Final = 0.5
TOUCH_EARLY: Final = 0.25


class Hand:
    """What is in hand of one tube, over all the connections of a link."""

    def __init__(
        self,
        tube: str,
        link: KeptConnection[BeanstalkConnection],
        settings: ClientSettings,
        counters: Counters,
        clock: Clock,
    ) -> None:
        self.tube = tube
        self.link = link
        self.jobs: dict[int, Job] = {}
        self.is_closed = False
        #: Called when a connection has come or gone, and when a job was settled.
        self.on_change: Callable[[], None] = lambda: None
        self._server = ""
        self._settings = settings
        self._counters = counters
        self._clock = clock
        self._deadlines = Deadlines(clock, self._touch)
        link.prepare = self._watch
        link.on_change = self._changed

    def __repr__(self) -> str:
        return f"<Hand with {len(self.jobs)} jobs of {self.tube!r}, {self.link!r}>"

    # Taking

    def reserve(self, wait: int, take: Callable[[Job | None], None]) -> None:
        """Ask for a job for so many seconds; `take` gets it with its facts, or None if there is none.

        While the server waits it reads nothing else from this connection: with jobs in hand, wait 0 seconds.
        """
        connection = self.link.connection
        if connection is None:
            take(None)
            return

        connection.is_waited_at = wait > 0

        def reserved(answer: Answer | None) -> None:
            connection.is_waited_at = False
            if answer is None or answer.word is not Word.RESERVED:
                take(None)
                return
            job = self.jobs[answer.number] = Job(self, self._server, answer.number, answer.body)
            self._counters.delivered += 1
            connection.send(request(Verb.STATS_JOB, job.id), lambda told: self._tell(job, told, take))

        connection.send(request(Verb.RESERVE_WITH_TIMEOUT, wait), reserved)

    def _tell(self, job: Job, told: Answer | None, take: Callable[[Job | None], None]) -> None:
        if told is None or told.word is not Word.OK:
            self._lose(job)
            take(None)
            return
        job.facts = JobFacts.read(told.body)
        self._expect(job)
        take(job)

    # Settling

    def settle(self, job: Job, data: bytes, take: Callable[[Answer | None], None]) -> bool:
        """Say what becomes of a job; whether there is anybody to be told."""
        job.is_settled = True
        connection = self.link.connection
        if job.is_lost or connection is None or self.jobs.pop(job.id, None) is None:
            self._counters.stale_acks += 1
            return False
        connection.send(data, take)
        self.on_change()
        return True

    def settled(self, answer: Answer | None) -> None:
        """The server has heard; or it has not, and the job comes again."""
        if answer is None or answer.word is Word.NOT_FOUND:
            self._counters.stale_acks += 1
        else:
            self._counters.acked += 1

    def _lose(self, job: Job) -> None:
        job.is_lost = True
        self.jobs.pop(job.id, None)

    # Touching

    def _expect(self, job: Job) -> None:
        job.touch_at = self._clock.now() + job.facts.ttr * TOUCH_AFTER
        self._deadlines.watch(job.touch_at)

    def _touch(self, now: float) -> float:
        """Touch what is due, and what will be soon; when the next is."""
        connection, earliest = self.link.connection, inf
        for job in self.jobs.values() if connection is not None else ():
            if job.touch_at and job.touch_at <= now + job.facts.ttr * TOUCH_EARLY:
                self._send_touch(connection, job)
                job.touch_at = now + job.facts.ttr * TOUCH_AFTER
            earliest = min(earliest, job.touch_at or inf)
        return earliest

    def _send_touch(self, connection: BeanstalkConnection | None, job: Job) -> None:
        def touched(answer: Answer | None) -> None:
            if answer is not None and answer.word is Word.NOT_FOUND and not job.is_settled:
                log.warning("%r was not touched in time: somebody else has it now", job)
                self._lose(job)
                self.on_change()

        if connection is not None:
            connection.send(request(Verb.TOUCH, job.id), touched)

    # Coming and going

    async def _watch(self, connection: BeanstalkConnection) -> None:
        """Have a new connection see this tube, and no other."""
        # Of this very connection: another one may still be that of a server that has been restarted since.
        self._server = (await ask_server(connection, self._settings.answer_timeout)).id
        await watch(connection, self.tube, self._settings.answer_timeout)
        if self.tube != "default":
            await connection.ask(request(Verb.IGNORE, "default"), self._settings.answer_timeout)

    def _changed(self) -> None:
        if self.link.connection is None:
            self._lose_all()
        self.on_change()

    def _lose_all(self) -> None:
        jobs, self.jobs = self.jobs, {}
        for job in jobs.values():
            job.is_lost = True

    async def close(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 (the farewell's)
        """Have what was settled heard, and hang up; what is in hand goes back."""
        self.is_closed = True
        self._deadlines.stop()
        # Whoever hangs up at once may take with him what the server has not read.
        await self.link.close(self._settings.close_timeout if timeout is None else timeout)
        self._lose_all()


async def watch(connection: BeanstalkConnection, tube: str, within: float) -> None:
    """Have a connection watch a tube, which brings it about.

    Raises:
        LoginRefused: the user may not.
        NotConnected: the server cannot, or does not answer.
    """
    answer = await connection.ask(request(Verb.WATCH, tube), within)
    if answer.word in (Word.NOT_PERMITTED, Word.NOT_AUTHENTICATED):
        raise LoginRefused(f"this user may not take jobs from the tube {tube!r} ({answer.word.value})")
    if answer.word is not Word.WATCHING:
        raise NotConnected(f"the tube {tube!r} cannot be watched: the server said {answer.word.value}")
