"""Doorway: where a connection to the AMQP port waits until its first bytes tell what it speaks.

AMQP goes on with its session, HTTP with one of its own; afterwards the doorway is out of the way, so neither
pays for it. Nothing is answered here: the session behind the door has the handshake's time limit already.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from penstock.server.amqp.session import AmqpSession
from penstock.server.http.session import HttpSession

if TYPE_CHECKING:
    from penstock.server.amqp.front import AmqpFront

__all__ = ["Doorway", "speaks_http"]

#: How a request begins (RFC 9110 §9.3). AMQP begins with "AMQP", TLS with a byte that is no letter.
_VERBS: Final = tuple(
    f"{verb} ".encode() for verb in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE")
)


def speaks_http(first: bytes) -> bool | None:
    """Whether the first bytes of a connection are HTTP; None if more are needed to tell."""
    if first.startswith(_VERBS):
        return True
    return None if any(verb.startswith(first) for verb in _VERBS) else False


class Doorway(asyncio.BufferedProtocol):
    """The first moment of a connection."""

    __slots__ = ("_first", "_front", "_session")

    def __init__(self, front: AmqpFront) -> None:
        self._front = front
        self._session = AmqpSession(front)
        self._first = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._session.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._session.connection_lost(exc)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where the loop reads to; it calls `buffer_updated` before it reads for anybody else."""
        return self._front.reads

    def buffer_updated(self, nbytes: int) -> None:
        first = self._first = self._first + bytes(self._front.reads[:nbytes])
        is_http = speaks_http(first)
        if is_http is None:
            return
        session = self._session
        if not is_http:
            session.transport.set_protocol(session)
            session.data_received(first)
            return
        self._front.left(session)
        visit = HttpSession(self._front, session.peer, session.name)
        session.transport.set_protocol(visit)
        visit.connection_made(session.transport)
        visit.receive(first)
