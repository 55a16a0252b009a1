"""Line: a protocol at one end of a connection, with the faults that its reads meet."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.server.amqp.session import AmqpSession
    from penstock.testing.faults import Faults, Point

__all__ = ["Line"]


class Line(asyncio.Protocol):
    """Hands everything on to the protocol that it stands for, unless a fault takes it."""

    transport: asyncio.Transport

    def __init__(self, protocol: asyncio.Protocol | AmqpSession, faults: Faults, point: Point) -> None:
        self.protocol = protocol
        self.is_lost = False
        self._faults = faults
        self._point = point

    def __repr__(self) -> str:
        return f"<Line to {self.protocol!r}>"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]
        self.protocol.connection_made(transport)

    def data_received(self, data: bytes) -> None:
        if self._faults.reach(self._point):
            self.transport.abort()
            return
        arrives = self._faults.maybe_cut(len(data))
        if arrives is None:
            self.protocol.data_received(data)
            return
        if arrives:
            self.protocol.data_received(data[:arrives])
        self.transport.abort()

    def eof_received(self) -> bool | None:
        return self.protocol.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost = True
        self.protocol.connection_lost(exc)

    def pause_writing(self) -> None:
        self.protocol.pause_writing()

    def resume_writing(self) -> None:
        self.protocol.resume_writing()
