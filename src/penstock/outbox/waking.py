"""Wake-ups: a relay in the application's own process learns at once that there is something to publish.

SQLAlchemy tells when a connection goes back to its pool, which is right after the commit (or rollback) of
whoever used it. So `add` only marks its connection, and the mark rings the bell there. A spurious ring
costs one look into the table; a connection that is kept after its commit is found by polling.

Not LISTEN/NOTIFY: Commonwealth removed it in favour of polling (2025-08). It needs a connection that is held
for ever and past connection poolers, its notifications are lost while that connection is away, so that
polling must be there anyway, and every commit that notifies takes a lock that all of the server's
databases share.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from weakref import WeakSet

from sqlalchemy import event

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

    from penstock.clock import Clock

__all__ = ["Bell", "Wakes"]


class Bell:
    """What somebody on an event loop waits for, and any thread may ring."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._rung = asyncio.Event()
        #: Whether it was rung, and nobody has silenced it yet.
        self.is_ringing = False

    def ring(self) -> None:
        """Wake whoever waits, or is about to."""
        if not self.is_ringing:
            self.is_ringing = True
            self._loop.call_soon_threadsafe(self._rung.set)

    def silence(self) -> None:
        """Forget that it was rung: what follows will be looked at anyway."""
        self.is_ringing = False
        self._rung.clear()

    async def wait(self, clock: Clock, seconds: float) -> None:
        """Return when it is rung, or when so much time has passed."""
        alarm = clock.call_at(clock.now() + seconds, self._rung.set)
        try:
            await self._rung.wait()
        finally:
            alarm.cancel()


class Wakes:
    """The bells that an outbox rings."""

    def __init__(self) -> None:
        self._bells: list[Bell] = []
        self._heard: WeakSet[Engine] = WeakSet()

    def hang(self, bell: Bell) -> None:
        """Ring this one from now on."""
        self._bells.append(bell)

    def take_down(self, bell: Bell) -> None:
        """Ring it no more."""
        self._bells.remove(bell)

    def note(self, connection: Connection) -> None:
        """Something was added over this connection. On the path of every `add`."""
        if not self._bells:
            return
        engine = connection.engine
        if engine not in self._heard:
            self._heard.add(engine)
            event.listen(engine, "checkin", self._returned)  # codespell:ignore checkin
        connection.info[self] = True

    def _returned(self, _: DBAPIConnection | None, entry: ConnectionPoolEntry) -> None:
        if entry.info.pop(self, False):
            for bell in self._bells:
                bell.ring()
