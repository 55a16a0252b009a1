"""The broker that tests talk to: the real one, with its time and its faults in the test's hands.

Real frames over a real socket pair, the real store behind it; only the clock is virtual. Nothing here
knows pytest.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, Self, TypeVar

from penstock.client import connect
from penstock.clock import VirtualClock
from penstock.messaging.amqp import AmqpBroker
from penstock.server.amqp.session import AmqpSession
from penstock.server.embedded import Embedded, join
from penstock.settings import Address, Settings
from penstock.store import MemoryStore, SqliteStore
from penstock.testing.disk import Disk
from penstock.testing.faults import Faults, Point
from penstock.testing.line import Line
from penstock.testing.queues import look_at
from penstock.testing.settling import Settling, on_its_way
from penstock.testing.spans import seconds_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from penstock.client import Client, ClientSettings
    from penstock.store import Store
    from penstock.testing.faults import Trap
    from penstock.testing.queues import SeenQueue
    from penstock.testing.spans import Span

__all__ = ["NEW_YEAR", "ControlledBroker"]

P = TypeVar("P", bound=asyncio.Protocol)

#: When a test begins, unless its clock says otherwise: 1 January 2030, in UTC.
NEW_YEAR: Final = 1_893_456_000.0
#: Real seconds after which something must be wrong.
SETTLES_IN: Final = 10.0


class Busy(Protocol):
    """Something that knows whether it is at work."""

    @property
    def is_busy(self) -> bool:
        """Whether it is."""
        ...


class ControlledBroker:
    """A broker, and everything a test may do to it. It runs while it is a block's context."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        clock: VirtualClock | None = None,
        data: Path | None = None,
        patience: float = 0.5,
    ) -> None:
        """A broker that is not running yet.

        Args:
            data: a folder to keep things in; without one they are in memory, and survive `crash` there.
            patience: real seconds for which `advance` waits for probes that stay busy.
        """
        self.clock = clock or VirtualClock(NEW_YEAR)
        #: Each tells whether something is being done that cannot be seen from here. Add your own.
        self.probes: list[Callable[[], bool]] = []
        #: The real broker; after a restart it is another one.
        self.embedded: Embedded
        self._settings = settings or Settings(amqp=(Address("127.0.0.1", 0),), stop_timeout=1)
        folder, memory = data or self._settings.data, MemoryStore()
        self._open_store: Callable[[], Store] = lambda: SqliteStore(folder) if folder else memory
        self._patience = patience
        self._faults = Faults()
        self._disk: Disk
        self._lines: list[Line] = []
        self._settling = Settling(self.clock, self._on_its_way, self.probes)
        self._clients: list[Client] = []
        self._restart: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        live = sum(not line.is_lost for line in self._lines)
        return f"<ControlledBroker, {live} connections, {self.clock!r}>"

    # From start to end

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def start(self) -> None:
        """Begin, or go on from the store after `stop`."""
        self._disk = Disk(self._open_store(), self._faults, asyncio.get_running_loop())
        self.embedded = await Embedded.start(self._settings, clock=self.clock, store=self._disk)

    async def stop(self) -> None:
        """End in good order: clients are told, and find nobody until `start`."""
        await self.embedded.close()

    async def close(self) -> None:
        """End for good, clients made here first."""
        for client in self._clients:
            # Whatever they have in hand, the test is over.
            await client.close(0)
        if self._restart is not None:
            # Who waited for it knows whether it failed.
            await asyncio.wait([self._restart])
        self.cut()
        await self.embedded.close()

    # Clients

    @property
    def url(self) -> str:
        """What clients of `dial` are told: user, password and virtual host."""
        return self.embedded.url

    async def dial(self, protocol: Callable[[], P]) -> tuple[asyncio.Transport, P]:
        """Connect a protocol, as a Dial does; while the broker restarts it waits.

        Raises:
            ConnectionRefusedError: the broker is stopped.
        """
        await self._is_back()
        if not self.embedded.is_open:
            raise ConnectionRefusedError("the broker is stopped")
        front, faults = self.embedded.front, self._faults
        transport, line = await join(
            lambda: Line(AmqpSession(front), faults, Point.RECEIVED),
            lambda: Line(protocol(), faults, Point.TOLD),
        )
        self._lines[:] = [other for other in self._lines if not other.is_lost] + [line]
        return transport, line.protocol  # type: ignore[return-value]

    async def connect(self, settings: ClientSettings | None = None) -> Client:
        """A client that goes by the same clock; it is closed with the broker."""
        client = await connect(self.url, dial=self.dial, settings=settings, clock=self.clock)
        self._clients.append(client)
        return client

    async def port(self, settings: ClientSettings | None = None) -> AmqpBroker:
        """The same behind the Broker port, for an Application."""
        return AmqpBroker(await self.connect(settings), clock=self.clock)

    # Time

    def watch(self, thing: Busy) -> None:
        """Wait for a thing, too, that can be busy where it is not seen from here: an Application, a relay."""
        self.probes.append(partial(getattr, thing, "is_busy"))

    async def settled(self, within: float = SETTLES_IN) -> None:
        """Wait until nothing is on its way, nothing can be delivered and no probe is busy.

        Raises:
            TimeoutError: after so many real seconds; it says what is still going on.
        """
        await self._settling.settle(within)

    async def advance(self, span: Span, *, step: Span = 0.0) -> None:
        """Let time pass: "3 days", "1 h 30 min", seconds. Each alarm rings at its time, and settles.

        Args:
            step: alarms within such a span ring together, before things settle. What polls every
                second has a quarter of a million alarms in three days.
        """
        clock, step = self.clock, seconds_in(step)
        until = clock.now() + seconds_in(span)
        await self._settling.settle(SETTLES_IN, self._patience)
        while clock.next_at <= until:
            to = min(max(clock.next_at, clock.now() + step), until)
            clock.advance(max(to - clock.now(), 0.0))
            await self._settling.settle(SETTLES_IN, self._patience)
        clock.advance(max(until - clock.now(), 0.0))

    def _on_its_way(self) -> Iterator[str]:
        if self._restart is not None:
            if self._restart.done():
                # It failed; a restart that did not is forgotten.
                self._restart.result()
            yield "a restart"
        yield from on_its_way(self.embedded, self._lines)

    # Looking

    def queue(self, name: str, vhost: str | None = None) -> SeenQueue:
        """What is in a queue now, of the default virtual host unless another is named.

        Raises:
            UnknownQueue: there is none of that name.
        """
        host = self.embedded.broker.hosts[vhost or self._settings.default_vhost]
        return look_at(host.wiring.queue(name))

    # Faults

    def cut(self) -> None:
        """Cut all connections, as when a network fails; the broker lives on."""
        for session in list(self.embedded.front.sessions):
            session.transport.abort()

    async def crash(self) -> None:
        """Kill the broker and start it again: what it had not written is gone, and so are all connections."""
        await self._is_back()
        self._crash()
        await self._is_back()
        # What fell due while it was dead is done before anything new.
        await self._settling.settle(SETTLES_IN, 0)

    def _crash(self) -> None:
        if self._restart is None:
            # Without a pause between them: nobody is told of what is not written.
            self.cut()
            self._disk.is_dead = True
            self._restart = asyncio.get_running_loop().create_task(self._come_back())

    async def _come_back(self) -> None:
        await self.embedded.close()
        await self.start()
        self._restart = None

    async def _is_back(self) -> None:
        """Wait for a restart that is under way."""
        if self._restart is not None:
            await asyncio.shield(self._restart)

    def crash_at(self, point: Point | str, *, nth: int = 1) -> AbstractContextManager[Trap]:
        """Crash, as `crash` does, when a point is reached for the n-th time within a block.

        Args:
            point: "received", "commit", "committed" or "told": see Point.
        """
        return self._faults.trap(point, nth, self._crash)

    def cut_at(self, point: Point | str, *, nth: int = 1) -> AbstractContextManager[Trap]:
        """Cut all connections when a point is reached for the n-th time within a block."""
        return self._faults.trap(point, nth, self.cut)

    def lose(self, chance: float, *, seed: int) -> AbstractContextManager[None]:
        """Cut connections within a block: this share of all reads, at either end, breaks off somewhere.

        Args:
            seed: the same seed throws the same dice.
        """
        return self._faults.losing(chance, seed)
