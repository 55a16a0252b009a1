"""How a connection is kept: dialled again after each loss. Who uses it asks for the one of the moment.

Each wait is longer than the last, and a new connection is prepared before anybody gets it. It is given up
when the login is refused for good, or after as many attempts as the settings allow. Knows no protocol.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from penstock.client.backoff import Backoff
from penstock.clock import sleep
from penstock.errors import ClientError, LoginRefused, NotConnected

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.client.counters import Counters
    from penstock.client.settings import ClientSettings
    from penstock.clock import Clock

__all__ = ["Keepable", "KeptConnection", "Opens"]

log = logging.getLogger(__name__)


class Keepable(Protocol):
    """A connection, as far as keeping it goes."""

    is_open: bool
    #: Done when it is over, with the reason.
    lost: asyncio.Future[ClientError]

    def abort(self, reason: str) -> None:
        """Drop it."""

    async def close(self, timeout: float) -> None:  # noqa: ASYNC109 (the farewell's, not the caller's)
        """Say farewell."""


Kept = TypeVar("Kept", bound=Keepable)
Opened_co = TypeVar("Opened_co", bound=Keepable, covariant=True)


class Opens(Protocol[Opened_co]):
    """The road to a broker."""

    async def open(self, name: str) -> Opened_co:
        """An open connection, or a ClientError."""
        ...


class KeptConnection(Generic[Kept]):
    """One connection at a time, kept for as long as the client lives."""

    def __init__(
        self, name: str, road: Opens[Kept], settings: ClientSettings, counters: Counters, clock: Clock
    ) -> None:
        self.name = name
        self._road = road
        self._settings = settings
        self._counters = counters
        self._clock = clock
        #: The connection of the moment, prepared; None while there is none.
        self.connection: Kept | None = None
        #: Why there will be none any more.
        self.failure: ClientError | None = None
        #: Done to a new connection before anybody gets it; a ClientError ends it.
        self.prepare: Callable[[Kept], Awaitable[None]] | None = None
        #: Called when one of the above has changed.
        self.on_change: Callable[[], None] = lambda: None
        self._backoff = Backoff(settings)
        self._refused_logins = 0
        self._was_up = False
        self._up = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}, {self.connection or self.failure or 'connecting'}>"

    @property
    def is_started(self) -> bool:
        """Whether it was asked for a connection at all."""
        return self._task is not None

    @property
    def is_up(self) -> bool:
        """Whether there is a connection now."""
        return self.connection is not None and self.connection.is_open

    def start(self, *, is_known: bool = False) -> None:
        """Begin to connect. A broker known to be there is waited for as after a loss."""
        if self._task is None:
            self._was_up = is_known
            self._task = asyncio.get_running_loop().create_task(self._keep(), name=f"penstock {self.name}")

    async def ready(self) -> Kept:
        """The connection of the moment, waited for as long as the link tries.

        Raises:
            NotConnected, LoginRefused, BrokerRefused: it has given up, or is closed.
        """
        while True:
            if self.failure is not None:
                raise self._told(self.failure)
            if self.connection is not None and self.connection.is_open:
                return self.connection
            self._up.clear()
            await self._up.wait()

    async def close(self, timeout: float) -> None:  # noqa: ASYNC109 (the farewell's, not the caller's)
        """Say farewell, and dial no more."""
        self.failure = self.failure or NotConnected("the client is closed")
        self._up.set()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
        if self.connection is not None:
            await self.connection.close(timeout)

    async def _keep(self) -> None:
        try:
            while True:
                connection = await self._connect()
                up_at = self._clock.now()
                self._changed(connection)
                await asyncio.wait([connection.lost])
                self._counters.disconnected += 1
                log.warning("%s: %s", self.name, connection.lost.result())
                self._changed(None)
                if self._clock.now() - up_at >= self._settings.backoff_max:
                    self._backoff.reset()  # else it comes and goes, and each time a little later
                await sleep(self._clock, self._backoff.next())
        except ClientError as error:
            log.error("%s: gave up: %s", self.name, error)  # noqa: TRY400 (what it means is in its text)
            self.failure = error
            self._changed(None)
        except Exception as error:
            # Not the broker's doing, but whoever waits for a connection must hear of it.
            log.exception("%s: internal error", self.name)
            self.failure = NotConnected(f"internal error: {error!r}")
            self._changed(None)

    def _changed(self, connection: Kept | None) -> None:
        self.connection = connection
        self._up.set()
        self.on_change()

    async def _connect(self) -> Kept:
        failures = 0
        while True:
            try:
                connection = await self._open()
            except ClientError as error:
                failures += 1
                self._counters.failed_attempts += 1
                if self._is_hopeless(error, failures):
                    raise
                wait = self._backoff.next()
                log.warning("%s: attempt %d failed, the next in %.1f s: %s", self.name, failures, wait, error)
                await sleep(self._clock, wait)
            else:
                self._was_up = True
                self._refused_logins = 0
                return connection

    async def _open(self) -> Kept:
        connection = await self._road.open(self.name)
        if self.prepare is not None:
            try:
                await self.prepare(connection)
            except BaseException:
                connection.abort("it could not be prepared")
                raise
        return connection

    def _is_hopeless(self, error: ClientError, failures: int) -> bool:
        if isinstance(error, LoginRefused):
            self._refused_logins += 1
            return not self._was_up or self._refused_logins > self._settings.login_retries
        settings = self._settings
        most = settings.reconnect_max_retries if self._was_up else settings.connect_max_retries
        return most is not None and failures > most

    def _told(self, failure: ClientError) -> ClientError:
        """The same for another who asks: an exception raised twice would collect both tracebacks."""
        if isinstance(failure, LoginRefused):
            return LoginRefused(str(failure))
        return NotConnected(str(failure))
