"""Putting jobs: by a deadline each is confirmed by the server, refused, or nobody can tell.

The tube that jobs go to is a state of the connection. A server may refuse to change it, and jobs that were
sent behind such a change would land where they do not belong: so it is waited for, and the jobs of one tube
leave together.
"""

from __future__ import annotations

import asyncio
from itertools import groupby
from typing import TYPE_CHECKING, Final

from penstock.clock import sleep
from penstock.errors import ClientError, PublishError, PublishLost, PublishRefused, PublishTimeout, Unroutable
from penstock.wire.beanstalk import Verb, Word, is_tube_name, requests

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence
    from typing import Any

    from penstock.client.beanstalk.connection import BeanstalkConnection
    from penstock.client.beanstalk.outgoing import OutgoingJob
    from penstock.client.counters import Counters
    from penstock.client.keeping import KeptConnection
    from penstock.client.settings import ClientSettings
    from penstock.clock import Clock
    from penstock.wire.beanstalk import Answer

__all__ = ["Putting"]

#: What a server that does not take a job says, and what it means.
REFUSALS: Final = {
    Word.BURIED: "the server is out of memory, and has buried it at once",
    Word.JOB_TOO_BIG: "the server takes no jobs of that size",
    Word.DRAINING: "the server is being emptied, and takes no jobs",
    Word.OUT_OF_MEMORY: "the server is out of memory",
    Word.NOT_PERMITTED: "this user may not put jobs there",
    Word.NOT_AUTHENTICATED: "the server does not know who we are",
}
#: Jobs that are written before it is looked whether the server reads.
STRETCH: Final = 256


class Putting:
    """Puts jobs over one link."""

    def __init__(
        self,
        link: KeptConnection[BeanstalkConnection],
        settings: ClientSettings,
        counters: Counters,
        clock: Clock,
        is_there: Callable[[str], Awaitable[bool]],
    ) -> None:
        """`is_there` is asked about tubes that must be."""
        self._link = link
        self._is_there = is_there
        self._settings = settings
        self._counters = counters
        self._clock = clock
        #: Held from when a tube is asked for until its jobs are written.
        self._using = asyncio.Lock()

    def __repr__(self) -> str:
        return f"<Putting over {self._link!r}>"

    async def put_many(self, jobs: Sequence[OutgoingJob], until: float) -> list[PublishError | None]:
        """Put all of them in order with one wait; what happened to each, None is confirmed."""
        self._link.start(is_known=True)
        batch = _Batch(len(jobs), self._counters)
        await self._by(until, self._put_all(jobs, batch))
        return batch.outcome()

    async def _by(self, until: float, doing: Coroutine[Any, Any, None]) -> None:
        """Do it as far as it goes until then."""
        task = asyncio.ensure_future(doing)
        over = asyncio.ensure_future(sleep(self._clock, until - self._clock.now()))
        try:
            await asyncio.wait([task, over], return_when=asyncio.FIRST_COMPLETED)
        finally:
            over.cancel()
            task.cancel()
            await asyncio.wait([task])
        if not task.cancelled():
            task.result()

    async def _put_all(self, jobs: Sequence[OutgoingJob], batch: _Batch) -> None:
        for (tube, must_be), several in groupby(
            enumerate(jobs), lambda each: (each[1].tube, each[1].mandatory)
        ):
            await self._put_into(tube, list(several), batch, must_be=must_be)
        await batch.done

    async def _put_into(
        self, tube: str, jobs: list[tuple[int, OutgoingJob]], batch: _Batch, *, must_be: bool
    ) -> None:
        places = [place for place, _ in jobs]
        if not is_tube_name(tube):
            batch.fail(places, Unroutable(f"no tube can be called {tube!r}"))
            return
        async with self._using:
            try:
                connection = await self._link.ready()
                refusal = await self._use(connection, tube, must_be=must_be)
            except ClientError as exc:
                batch.fail(places, PublishLost(f"not sent: {exc}"))
                return
            if refusal is not None:
                batch.fail(places, refusal)
                return
            for at in range(0, len(jobs), STRETCH):
                for place, job in jobs[at : at + STRETCH]:
                    batch.send(connection, place, job)
                await connection.unclogged()

    async def _use(self, connection: BeanstalkConnection, tube: str, *, must_be: bool) -> PublishError | None:
        # To use a tube makes it, so one that must be there is asked about before.
        if must_be and not await self._is_there(tube):
            return Unroutable(f"there is no tube {tube!r}: nobody watches it, and no job is in it")
        if connection.used == tube:
            return None
        answer = await connection.ask(requests.request(Verb.USE, tube), self._settings.answer_timeout)
        if answer.word is Word.USING:
            connection.used = tube
            return None
        return _refused(answer.word)


class _Batch:
    """Jobs that are waited for together."""

    def __init__(self, count: int, counters: Counters) -> None:
        self._counters = counters
        self._outcome: list[PublishError | None] = [
            PublishTimeout("not sent in time: the server is away, or does not read") for _ in range(count)
        ]
        self._left = count
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if not count:
            self.done.set_result(None)

    def outcome(self) -> list[PublishError | None]:
        """What happened to each, as far as is known now."""
        return list(self._outcome)

    def send(self, connection: BeanstalkConnection, place: int, job: OutgoingJob) -> None:
        self._counters.published += 1
        self._outcome[place] = PublishTimeout("no confirm in time: the job may or may not have arrived")
        data = requests.put(job.body, priority=job.priority, delay=job.delay, ttr=job.ttr)
        connection.send(data, lambda answer: self._end(place, self._told(answer)))

    def fail(self, places: Sequence[int], error: PublishError) -> None:
        for place in places:
            self._end(place, error)

    def _told(self, answer: Answer | None) -> PublishError | None:
        if answer is None:
            self._counters.lost += 1
            return PublishLost("the connection went before the confirm: the job may or may not have arrived")
        if answer.word is Word.INSERTED:
            self._counters.confirmed += 1
            return None
        self._counters.refused += 1
        return _refused(answer.word)

    def _end(self, place: int, error: PublishError | None) -> None:
        self._outcome[place] = error
        self._left -= 1
        if not self._left and not self.done.done():
            self.done.set_result(None)


def _refused(word: Word) -> PublishError:
    return PublishRefused(REFUSALS.get(word, f"the server does not take it: {word.value}"))
