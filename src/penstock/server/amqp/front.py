"""The AMQP front: its listener, its sessions, and what they share."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from penstock.server.amqp.counted import Counted
from penstock.server.amqp.doorway import Doorway
from penstock.server.http.foresight import Foresight
from penstock.server.listening import BACKLOG, listen
from penstock.wire.amqp import Interned, Limits, method_frame
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.methods import ConnectionCloseOk

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    from penstock.broker import Broker
    from penstock.server.access import Access
    from penstock.server.amqp.bodies import LargeBodies
    from penstock.server.amqp.session import AmqpSession
    from penstock.server.http.session import HttpSession
    from penstock.settings import Address, Settings

__all__ = ["AmqpFront"]

log = logging.getLogger(__name__)

#: Seconds a client has to answer our farewell before its socket is closed.
FAREWELL_IN: Final = 5.0
#: Bytes of one read. A turn costs as much as a dozen large messages, mostly in the kernel: bodies of 16 KiB
#: pass at 40,000 a second with the 256 KiB that uvloop reads by itself, and at 55,000 with this.
READ_MOST: Final = 512 * 1024


class AmqpFront:
    """All AMQP sessions of a broker."""

    def __init__(self, broker: Broker, settings: Settings, access: Access, bodies: LargeBodies) -> None:
        self.broker = broker
        self.settings = settings
        self.access = access
        self.bodies = bodies
        self.limits = Limits(
            frame_max=settings.frame_max,
            channel_max=settings.channel_max,
            body_max=settings.max_message_bytes,
            piece_from=settings.stream_over,
        )
        self.interned = Interned()
        self.sessions: set[AmqpSession] = set()
        self.counted = Counted()
        #: Those who came to the same port and speak HTTP.
        self.visits: set[HttpSession] = set()
        self.foresight = Foresight()
        #: Where the loop reads to, for one session after the other.
        self.reads = memoryview(bytearray(READ_MOST))
        #: Bytes that came since the last look at memory.
        self.heard = 0
        #: Looks at memory and disk, and blocks if need be.
        self.on_much: Callable[[], None] = lambda: None
        self._servers: list[asyncio.Server] = []
        #: Why publishers are not read from, if they are not.
        self.blocked: str | None = None
        #: Whether nothing is delivered any more.
        self.is_stopping = False

    def __repr__(self) -> str:
        return f"<AmqpFront {len(self.sessions)} sessions, blocked: {self.blocked}>"

    async def listen(self, setting: str, address: Address, tls: ssl.SSLContext | None = None) -> str:
        """Accept clients; the URL they can come by.

        Raises:
            CannotListen: naming the setting to change.
        """
        loop = asyncio.get_running_loop()
        # Before TLS is agreed on there is no session whose time could run out.
        agreed_in = None if tls is None else self.settings.handshake_timeout
        sockets = listen(setting, address)
        for sock in sockets:
            server = await loop.create_server(
                lambda: Doorway(self),
                sock=sock,
                ssl=tls,
                backlog=BACKLOG,
                ssl_handshake_timeout=agreed_in,
            )
            self._servers.append(server)
        host, port = sockets[0].getsockname()[:2]
        return f"{setting}://{f'[{host}]' if ':' in host else host}:{port}"

    # Sessions come and go

    def joined(self, session: AmqpSession) -> None:
        """A socket was accepted: it has some seconds to introduce itself."""
        self.sessions.add(session)
        self.counted.connections += 1
        if len(self.sessions) + len(self.visits) > self.settings.max_connections:
            log.warning(
                "refusing %s: %d connections are the limit", session.name, self.settings.max_connections
            )
            session.transport.abort()
            return
        self._expect(session, self.settings.handshake_timeout, self._still_greeting)

    def _expect(self, session: AmqpSession, within: float, otherwise: Callable[[AmqpSession], None]) -> None:
        """Do something about a session unless it does in time what it should."""
        self._relax(session)
        session.deadline = asyncio.get_running_loop().call_later(within, otherwise, session)

    def _relax(self, session: AmqpSession) -> None:
        if session.deadline is not None:
            session.deadline.cancel()
            session.deadline = None

    def _still_greeting(self, session: AmqpSession) -> None:
        log.warning("closing %s: no handshake in time", session.name)
        session.transport.abort()

    def admitted(self, session: AmqpSession) -> None:
        """A client is in; an alarm concerns it when it publishes."""
        self._relax(session)

    def left(self, session: AmqpSession) -> None:
        """A socket is closed."""
        self.sessions.discard(session)
        self._relax(session)

    def said_farewell(self, session: AmqpSession) -> None:
        """The client closes: answer, and hang up, even if it does not read the answer.

        What it had written before is still coming in, perhaps: a socket closed now would be reset, and the
        answer lost. So only our end is closed, if that is possible, as it is not with TLS.
        """
        session.decoder.discard(0)
        session.leave()
        session.out.append(method_frame(0, ConnectionCloseOk()))
        session.flush()
        if session.transport.can_write_eof():
            session.transport.write_eof()
        else:
            session.transport.close()
        self.expects_farewell(session)

    def expects_farewell(self, session: AmqpSession) -> None:
        """We have closed: the client has some seconds to answer."""
        self._expect(session, FAREWELL_IN, lambda late: late.transport.abort())

    # Alarms and the end

    def look(self) -> None:
        """Much has come in: see whether there is room for more."""
        self.heard = 0
        self.on_much()

    def block(self, reason: str | None) -> None:
        """Stop reading from publishers, or let them go on."""
        self.blocked = reason
        for session in list(self.sessions):
            session.act(lambda session=session: session.block(reason))  # type: ignore[misc]

    async def close(self) -> None:
        """Accept nobody, let what is in hand settle, say farewell to everybody, wait until they have gone."""
        for server in self._servers:
            server.close()
        await self._settle()
        for visit in list(self.visits):
            visit.end()
        for session in list(self.sessions):
            if session.is_open:
                session.end(
                    ReplyCode.CONNECTION_FORCED, "broker forced connection closure with reason 'shutdown'"
                )
            else:
                session.transport.abort()
        self.broker.turn()
        await _until(lambda: not self.sessions and not self.visits, FAREWELL_IN)
        transports = [each.transport for each in self.sessions] + [each.transport for each in self.visits]
        for transport in transports:
            transport.abort()
        await self.foresight.close()
        await asyncio.sleep(0)

    async def _settle(self) -> None:
        """Nothing more is delivered; what was is settled, what has come in is written and confirmed."""
        self.is_stopping = True
        for session in self.sessions:
            session.mind_flow()

        def is_settled() -> bool:
            return self._is_written() and not any(session.is_busy for session in self.sessions)

        if not await _until(is_settled, self.settings.stop_timeout):
            log.warning("stopping although not everything is settled: %s", self)

    def _is_written(self) -> bool:
        broker = self.broker
        return not broker.unwritten and broker.writer.written >= broker.records.batch.number - 1


async def _until(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until something is so, for a while; whether it is."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while not (answer := condition()) and loop.time() < deadline:  # noqa: ASYNC110 (a hundred looks a second)
        await asyncio.sleep(0.01)
    return answer
