"""Embedded: a whole broker inside the process that uses it.

The parts are put together here and nowhere else: `serve` runs the same thing behind listeners. A client
in the process comes in by a socket pair, whose other end is a session like any other, so nothing is
different but that nobody listens.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from penstock.broker import Alarms, Broker, Gauges, recover, total_memory
from penstock.broker.turns import in_background
from penstock.clock import SystemClock
from penstock.server.access import Access
from penstock.server.amqp.bodies import LargeBodies
from penstock.server.amqp.form import AmqpForm, LargeAmqpForm
from penstock.server.amqp.front import AmqpFront
from penstock.server.amqp.lives import Teller
from penstock.server.amqp.session import AmqpSession
from penstock.server.beanstalk.form import JobForm
from penstock.server.beanstalk.front import BeanstalkFront
from penstock.server.beanstalk.session import BeanstalkSession
from penstock.server.tls import server_context
from penstock.settings import Settings
from penstock.store import ContentFiles, MemoryStore, SqliteStore
from penstock.wiring import Defaults

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.broker import Form
    from penstock.clock import Clock
    from penstock.store import Store

__all__ = ["Embedded", "join"]

log = logging.getLogger(__name__)

P = TypeVar("P", bound=asyncio.BaseProtocol)


class Embedded:
    """A store, a broker on it, and its fronts. Make one with `start`, end it with `close`."""

    def __init__(
        self,
        front: AmqpFront,
        beanstalk: BeanstalkFront,
        alarms: Alarms,
        opened: ExitStack,
        teller: Teller | None = None,
    ) -> None:
        self.broker = front.broker
        self.front = front
        self.beanstalk = beanstalk
        self.is_open = True
        #: Where clients of other processes can come by.
        self.urls: list[str] = []
        #: Who tells messages' lives, if somebody does.
        self.teller = teller
        self._alarms = alarms
        self._opened = opened

    def __repr__(self) -> str:
        return f"<Embedded {'open' if self.is_open else 'closed'}, {self.front!r}>"

    @classmethod
    async def start(
        cls,
        settings: Settings | None = None,
        *,
        clock: Clock | None = None,
        data: Path | None = None,
        store: Store | None = None,
    ) -> Embedded:
        """A broker as its store left it.

        Args:
            settings: the broker's; its listeners are not opened before `listen`.
            clock: what delays, expiries and leases go by; the machine's time if there is none.
            data: the folder to keep things in, instead of the settings' own.
            store: a store that is open, instead of any folder; it is closed with the broker.

        Raises:
            StoreError, BadSetting, SecurityError: nothing was started.
        """
        settings = settings or Settings()
        if data is not None:
            settings = replace(settings, data=data)
        with ExitStack() as opened:
            store = store or _open_store(settings, opened)
            opened.callback(store.close)
            teller = Teller() if settings.message_lives == "on" else None
            front = _put_together(settings, clock or SystemClock(), store, teller)
            beanstalk = BeanstalkFront(front.broker, settings, front.access)
            alarms = _alarms(settings, front, beanstalk)
            alarms.start()
            front.broker.turn()
            return cls(front, beanstalk, alarms, opened.pop_all(), teller)

    @property
    def url(self) -> str:
        """What a client of `dial` is told: who it is and which virtual host it wants."""
        settings = self.front.settings
        user, password, host = (
            quote(part, safe="")
            for part in (settings.default_user, settings.default_password, settings.default_vhost)
        )
        return f"amqp://{user}:{password}@embedded/{host}"

    async def dial(self, protocol: Callable[[], P]) -> tuple[asyncio.Transport, P]:
        """Connect a protocol of this process: the other end of its socket is a session.

        Raises:
            ConnectionRefusedError: the broker is closed.
        """
        if not self.is_open:
            raise ConnectionRefusedError("the embedded broker is closed")
        return await join(lambda: AmqpSession(self.front), protocol)

    async def dial_beanstalk(self, protocol: Callable[[], P]) -> tuple[asyncio.Transport, P]:
        """The same for one that speaks the beanstalk protocol.

        Raises:
            ConnectionRefusedError: the broker is closed.
        """
        if not self.is_open:
            raise ConnectionRefusedError("the embedded broker is closed")
        return await join(lambda: BeanstalkSession(self.beanstalk), protocol)

    async def listen(self) -> list[str]:
        """Let clients of other processes in, where the settings say; the URLs they can come by.

        Raises:
            CannotListen: naming the setting to change.
        """
        front, beanstalk, settings = self.front, self.beanstalk, self.front.settings
        urls = [await front.listen("amqp", address) for address in settings.amqp]
        urls += [await beanstalk.listen("beanstalk", address) for address in settings.beanstalk]
        if settings.amqps or settings.beanstalks:
            tls = server_context(settings)
            urls += [await front.listen("amqps", address, tls) for address in settings.amqps]
            urls += [await beanstalk.listen("beanstalks", address, tls) for address in settings.beanstalks]
        self.urls += urls
        return urls

    def drain(self) -> None:
        """Take no more jobs from beanstalk clients; whoever has some in hand goes on."""
        self.beanstalk.drain()

    async def close(self) -> None:
        """Let what is in flight settle, say farewell to everybody, and write what is left."""
        if not self.is_open:
            return
        self.is_open = False
        self._alarms.stop()
        await asyncio.gather(self.beanstalk.close(), self.front.close())
        self.front.bodies.close()
        await self.broker.close()
        self._opened.close()


async def join(
    ours: Callable[[], asyncio.BaseProtocol], theirs: Callable[[], P]
) -> tuple[asyncio.Transport, P]:
    """Two protocols, each at one end of a socket pair; their end."""
    loop = asyncio.get_running_loop()
    near, far = socket.socketpair()
    try:
        await loop.connect_accepted_socket(ours, near)
        return await loop.create_unix_connection(theirs, sock=far)
    except BaseException:
        # Our end hears of it by the end of the stream.
        far.close()
        raise


def _open_store(settings: Settings, opened: ExitStack) -> Store:
    """The store in the data folder; without one, memory, and a folder for large bodies while we run."""
    if settings.data is not None:
        return SqliteStore(settings.data)
    folder = opened.enter_context(TemporaryDirectory(prefix="penstock-", ignore_cleanup_errors=True))
    return MemoryStore(ContentFiles(Path(folder)))


def _put_together(settings: Settings, clock: Clock, store: Store, teller: Teller | None) -> AmqpFront:
    """The front of a broker that has come back from its store."""
    for damage in store.damaged:
        log.error("%s", damage)
    bodies = LargeBodies(store.contents)
    defaults = Defaults.from_tables(settings.wiring)
    forms: list[Form] = [AmqpForm(), LargeAmqpForm(bodies), JobForm()]
    broker = Broker(clock, store, defaults=defaults, window=settings.window, forms=forms, teller=teller)
    recover(broker, store)
    return AmqpFront(broker, settings, Access.open(settings, broker, store), bodies)


def _alarms(settings: Settings, front: AmqpFront, beanstalk: BeanstalkFront) -> Alarms:
    """What keeps publishers from filling memory and disk."""
    alarms = Alarms(
        Gauges(settings.data),
        memory_limit=settings.memory_bytes(total_memory()),
        disk_free_limit=settings.disk_free_limit,
    )

    def block(reason: str | None) -> None:
        beanstalk.block(reason)
        front.block(reason)

    statistics, clock = front.broker.statistics, front.broker.clock
    statistics.sources.append(lambda: ((each, (each.received, each.sent)) for each in front.sessions))

    def look() -> None:
        now = clock.now()
        if statistics.is_due(now):
            in_background(statistics.looking(now))

    alarms.on_change = block
    alarms.on_look = look
    front.on_much = beanstalk.on_much = alarms.check
    front.broker.writer.on_trouble = alarms.trouble
    return alarms
