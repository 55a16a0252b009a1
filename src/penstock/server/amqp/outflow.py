"""Outflow: what a session of either front has to say while a large body is part of it.

Bytes and bodies leave in order. A body is read a piece at a time, by a thread, and only while the
client takes what it is sent; what comes behind it waits here. It ends when nothing is left.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import TYPE_CHECKING, NamedTuple, Protocol

from penstock.errors import StoreError
from penstock.server.amqp.bodies import PIECE

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.server.amqp.bodies import LargeBody

__all__ = ["LargeSending", "Outflow", "Sender"]

log = logging.getLogger(__name__)


class LargeSending(NamedTuple):
    """A large body on its way out, with what stands around it."""

    head: bytes
    body: LargeBody
    #: Called if the body cannot be read: nothing of it was sent then.
    lost: Callable[[], None]
    tail: bytes = b""
    #: Bytes that are read in one go, and what makes of them what is sent.
    size: int = PIECE
    framed: Callable[[bytes], bytes] = bytes


class Sender(Protocol):
    """A session, as far as it concerns what it has to send."""

    transport: asyncio.Transport

    def write(self, *pieces: bytes) -> None:
        """Hand bytes to the socket."""
        ...

    def act(self, work: Callable[[], None]) -> None:
        """Do something for the client, with a turn after it."""
        ...

    def outflow_ended(self) -> None:
        """Everything has left."""
        ...


class Outflow:
    """The rest of a session's output, as long as a large body is in it."""

    def __init__(self, session: Sender) -> None:
        self._session = session
        self._waiting: deque[bytes | LargeSending] = deque()
        #: Bytes that wait here, bodies not counted.
        self.size = 0
        self._may_write = asyncio.Event()
        self._may_write.set()
        self._is_over = False
        self._task = asyncio.get_running_loop().create_task(self._run())

    def __repr__(self) -> str:
        return f"<Outflow {len(self._waiting)} waiting, {self.size} bytes>"

    def put(self, part: bytes | LargeSending) -> None:
        """Something to be sent after all that waits."""
        self._waiting.append(part)
        if isinstance(part, bytes):
            self.size += len(part)

    def pause(self) -> None:
        """The client does not read."""
        self._may_write.clear()

    def resume(self) -> None:
        """The client reads again."""
        self._may_write.set()

    def stop(self) -> None:
        """The connection ends: nothing more is sent."""
        self._is_over = True
        self._waiting.clear()
        self.size = 0
        self._may_write.set()

    async def _run(self) -> None:
        try:
            while self._waiting and not self._is_over:
                part = self._waiting.popleft()
                if isinstance(part, bytes):
                    self.size -= len(part)
                    self._session.write(part)
                else:
                    await self._send(part)
                await self._may_write.wait()
        finally:
            if not self._is_over:
                self._session.outflow_ended()

    async def _send(self, sending: LargeSending) -> None:
        try:
            content = await sending.body.on_thread(sending.body.open)
        except StoreError as error:
            log.error("a content cannot be sent: %s", error)  # noqa: TRY400 (says it all)
            self._session.act(sending.lost)
            return
        try:
            await self._send_pieces(sending, content.read)
        except Exception:
            # Half of it is out: whatever it was, there is no way back but the end of the connection.
            log.exception("a content breaks off, closing %r", self._session)
            self._session.transport.abort()
        finally:
            content.close()

    async def _send_pieces(self, sending: LargeSending, read: Callable[[int, int], bytes]) -> None:
        head, offset, length = sending.head, 0, sending.body.length
        while offset < length:
            piece = await sending.body.on_thread(read, offset, sending.size)
            if self._is_over:
                return
            if not piece:
                raise StoreError(f"{sending.body!r} ends after {offset} bytes")
            offset += len(piece)
            tail = sending.tail if offset >= length else b""
            self._session.write(head + sending.framed(piece) + tail)
            head = b""
            await self._may_write.wait()
