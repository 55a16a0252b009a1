"""The tubes that should be there, and how full they are.

A tube is there while somebody watches or uses it, or jobs are in it: those that were declared here are
watched by a connection that never asks for a job.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.client.beanstalk.hand import watch
from penstock.client.beanstalk.server import ServerFacts, ask_server
from penstock.errors import NotConnected
from penstock.wire.beanstalk import Verb, Word, read_document
from penstock.wire.beanstalk.requests import request

if TYPE_CHECKING:
    from penstock.client.beanstalk.connection import BeanstalkConnection
    from penstock.client.keeping import KeptConnection
    from penstock.client.settings import ClientSettings
    from penstock.wire.beanstalk import Answer

__all__ = ["TubeState", "Tubes"]

#: How often a question is asked before its asker hears that the connection went.
ATTEMPTS: Final = 3
#: What a job may be, as stats-tube counts them.
KINDS: Final = ("ready", "reserved", "delayed", "buried")


class TubeState(NamedTuple):
    """Jobs of a tube, and the clients that watch it."""

    ready: int = 0
    reserved: int = 0
    delayed: int = 0
    buried: int = 0
    watching: int = 0


class Tubes:
    """Asks over one link."""

    def __init__(self, link: KeptConnection[BeanstalkConnection], settings: ClientSettings) -> None:
        self._link = link
        self._within = settings.answer_timeout
        self._declared: dict[str, None] = {}
        #: What answered last.
        self.server = ServerFacts()
        link.prepare = self._prepare

    def __repr__(self) -> str:
        return f"<Tubes {', '.join(self._declared)} over {self._link!r}>"

    async def declare(self, *tubes: str) -> None:
        """Have these, now and after every loss of the connection.

        Raises:
            LoginRefused, NotConnected: the user may not, or the server cannot.
        """
        for tube in tubes:
            if tube not in self._declared:
                await watch(await self._link.ready(), tube, self._within)
                self._declared[tube] = None

    async def withdraw(self, *tubes: str) -> None:
        """Need them no more; what is in them stays."""
        for tube in tubes:
            if self._declared.pop(tube, "") is None and (connection := self._link.connection) is not None:
                await connection.ask(request(Verb.IGNORE, tube), self._within)

    async def is_there(self, tube: str) -> bool:
        """Whether somebody watches it, or jobs are in it; that one puts jobs into it is not enough."""
        return tube in self._declared or any(await self.state(tube) or ())

    async def state(self, tube: str) -> TubeState | None:
        """How full a tube is; None if it is not there."""
        answer = await self._asked(request(Verb.STATS_TUBE, tube))
        if answer.word is not Word.OK:
            return TubeState() if tube in self._declared else None
        told = read_document(answer.body)
        jobs = {kind: int(told.get(f"current-jobs-{kind}", 0)) for kind in KINDS}
        # The one that keeps it here takes nothing.
        return TubeState(**jobs, watching=int(told.get("current-watching", 0)) - (tube in self._declared))

    async def _asked(self, data: bytes) -> Answer:
        """The answer to what may be asked twice, over a loss of the connection if need be."""
        for _ in range(ATTEMPTS - 1):
            connection = await self._link.ready()
            with suppress(NotConnected):
                return await connection.ask(data, self._within)
        return await (await self._link.ready()).ask(data, self._within)

    async def _prepare(self, connection: BeanstalkConnection) -> None:
        self.server = await ask_server(connection, self._within)
        for tube in self._declared:
            await watch(connection, tube, self._within)
