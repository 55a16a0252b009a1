"""The beanstalk front: its listeners, its sessions, and what they share."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Final

from penstock.server.beanstalk.entering import Entering
from penstock.server.beanstalk.jobs import Jobs
from penstock.server.beanstalk.output import REPLIES_MOST
from penstock.server.beanstalk.session import BeanstalkSession
from penstock.server.beanstalk.tubes import Tubes
from penstock.server.listening import BACKLOG, listen

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    from penstock.broker import Broker
    from penstock.server.access import Access
    from penstock.settings import Address, Settings
    from penstock.wire.beanstalk import Verb

__all__ = ["BeanstalkFront"]

log = logging.getLogger(__name__)

#: Bytes from all clients after which memory is looked at, however soon that is.
LOOK_AFTER: Final = 16 * 1024 * 1024
#: Seconds between looks whether what is in hand has been settled.
LOOK_IN: Final = 0.01


class BeanstalkFront:
    """All beanstalk sessions of a broker. They share one virtual host, the default one."""

    def __init__(self, broker: Broker, settings: Settings, access: Access) -> None:
        self.broker = broker
        self.settings = settings
        self.host = broker.create_host(settings.default_vhost)
        self.entering = Entering(access, self.host.name)
        self.jobs = Jobs(self.host)
        self.tubes = Tubes(broker, self.host, settings)
        self.sessions: dict[BeanstalkSession, None] = {}
        #: Commands since the start, and connections.
        self.commands: Counter[Verb] = Counter()
        self.connected = 0
        self.started_at = broker.now
        #: A name for this run.
        self.id = secrets.token_hex(8)
        #: Whether new jobs are refused, for good.
        self.is_draining = False
        #: Why new jobs are refused for now, if they are: memory or disk.
        self.blocked: str | None = None
        #: Whether nothing is handed out any more.
        self.is_stopping = False
        self.heard = 0
        #: Looks at memory and disk, and blocks if need be.
        self.on_much: Callable[[], None] = lambda: None
        #: Reserves that are answered before it is seen whether the client takes the jobs.
        self.reserves_at_once = max(REPLIES_MOST // max(settings.max_job_bytes, settings.stream_over), 1)
        self._servers: list[asyncio.Server] = []
        self._recover()

    def __repr__(self) -> str:
        return f"<BeanstalkFront {len(self.sessions)} sessions, {self.jobs!r}>"

    def _recover(self) -> None:
        """Find the jobs that the store remembers; tubes that nobody needs are not opened again."""
        for queue in self.tubes.made_here():
            queue.waiting.draw_in()
        for queue in self.host.wiring.queues.values():
            if queue.template.window is None:
                self.jobs.found(queue.waiting)
            self.jobs.found(chain(queue.timers.delayed, queue.buried.values()))
        self.tubes.settle_all()

    async def listen(self, setting: str, address: Address, tls: ssl.SSLContext | None = None) -> str:
        """Accept clients; the URL they can come by.

        Raises:
            CannotListen: naming the setting to change.
        """
        loop = asyncio.get_running_loop()
        sockets = listen(setting, address)
        for sock in sockets:
            server = await loop.create_server(
                lambda: BeanstalkSession(self),
                sock=sock,
                ssl=tls,
                backlog=BACKLOG,
                ssl_handshake_timeout=None if tls is None else self.settings.handshake_timeout,
            )
            self._servers.append(server)
        host, port = sockets[0].getsockname()[:2]
        return f"{setting}://{f'[{host}]' if ':' in host else host}:{port}"

    # Sessions come and go

    def joined(self, session: BeanstalkSession) -> bool:
        """A socket was accepted; whether there is room for it."""
        if len(self.sessions) >= self.settings.max_connections:
            log.warning(
                "refusing %s: %d connections are the limit", session.name, self.settings.max_connections
            )
            return False
        self.connected += 1
        self.sessions[session] = None
        return True

    def left(self, session: BeanstalkSession) -> None:
        """A socket is closed."""
        self.sessions.pop(session, None)

    # Limits

    def hear(self, size: int) -> None:
        """So many bytes have come in: see now and then whether there is room for more."""
        self.heard += size
        if self.heard > LOOK_AFTER:
            self.heard = 0
            self.on_much()

    def block(self, reason: str | None) -> None:
        """Refuse new jobs, or take them again."""
        self.blocked = reason

    def drain(self) -> None:
        """Take no more jobs, until the broker is started again."""
        if not self.is_draining:
            log.info("draining: beanstalk clients can put no more jobs")
        self.is_draining = True

    # The end

    async def close(self) -> None:
        """Accept nobody, let what is in hand settle, and take leave."""
        for server in self._servers:
            server.close()
        self.is_stopping = True
        for session in self.sessions:
            session.reserving.stop()
        deadline = asyncio.get_running_loop().time() + self.settings.stop_timeout
        while any(session.is_busy for session in self.sessions):
            if asyncio.get_running_loop().time() > deadline:
                log.warning("stopping although not everything is settled: %s", self)
                break
            await asyncio.sleep(LOOK_IN)
        for session in list(self.sessions):
            session.transport.close()
        # A socket that is closed says so in the loop's next rounds.
        await asyncio.sleep(0)
        for session in list(self.sessions):
            session.transport.abort()
        await asyncio.sleep(0)
        self.jobs.close()
