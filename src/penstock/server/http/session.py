"""HTTP session: the socket of a connection to the AMQP port whose first bytes are HTTP.

h11 knows the protocol; here bytes come and go. What is said is in `conversation.py`. Nothing is read ahead
of what is being looked at, and nothing made ahead of what the peer takes.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import h11

from penstock.server.amqp.session import LOOK_AFTER
from penstock.server.http.chunk import Chunk
from penstock.server.http.conversation import HEAD_MOST, Conversation

if TYPE_CHECKING:
    from penstock.server.amqp.front import AmqpFront
    from penstock.server.authentication import Peer

__all__ = ["HttpSession"]

#: Bytes that may wait for the peer before the next ones are made: a few batches, so that on a busy machine
#: each side has something to do while the other waits for its turn.
WRITE_HIGH: Final = 4 * 1024 * 1024
#: Pieces as large as this are cheaper to hand over one by one than to copy into one.
APART_FROM: Final = 4096
#: Seconds in which a peer that is sent something has to take some of it. A table is read as slowly as
#: whatever is done with it.
STALLED_IN: Final = 300.0
#: Seconds for which what a refused peer still sends is read and thrown away, so that it hears why.
LINGER_IN: Final = 2.0


class HttpSession(asyncio.BufferedProtocol):
    """One connection, from its first request to its last."""

    transport: asyncio.Transport

    def __init__(self, front: AmqpFront, peer: Peer, name: str) -> None:
        self.front = front
        self.peer = peer
        self.name = name
        self.http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_MOST)
        self._heard = asyncio.Event()
        self._may_write = asyncio.Event()
        self._may_write.set()
        self._conversation = Conversation(self)
        self._task: asyncio.Task[None] | None = None
        #: Whether what comes is thrown away.
        self._is_deaf = False

    def __repr__(self) -> str:
        return f"<HttpSession {self.name}, {self._conversation!r}>"

    # The socket

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]
        self.transport.set_write_buffer_limits(WRITE_HIGH)
        self.front.visits.add(self)
        self._task = asyncio.get_running_loop().create_task(self._conversation.run())

    def connection_lost(self, exc: Exception | None) -> None:
        self.front.visits.discard(self)
        if self._task is not None:
            self._task.cancel()

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where the loop reads to; it calls `buffer_updated` before it reads for anybody else."""
        return self.front.reads

    def buffer_updated(self, nbytes: int) -> None:
        self.receive(bytes(self.front.reads[:nbytes]))

    def receive(self, data: bytes) -> None:
        """Bytes have come; more are read when these have been looked at."""
        if self._is_deaf:
            return
        self.http.receive_data(data)
        self.transport.pause_reading()
        self._heard.set()
        front = self.front
        front.heard += len(data)
        if front.heard > LOOK_AFTER:
            front.look()

    def eof_received(self) -> bool:
        if self._is_deaf:
            return False
        self.http.receive_data(b"")
        self._heard.set()
        # A peer may close its half and wait for the answer all the same; without TLS, that is.
        return self.transport.can_write_eof()

    def pause_writing(self) -> None:
        self._may_write.clear()

    def resume_writing(self) -> None:
        self._may_write.set()

    # What the conversation does with it

    async def event(self) -> Any:
        """The next thing that the peer says.

        Raises:
            h11.RemoteProtocolError: it is no HTTP.
        """
        while (event := self.http.next_event()) is h11.NEED_DATA:
            self._heard.clear()
            self.transport.resume_reading()
            await self._heard.wait()
        return event

    async def send(self, *events: Any) -> None:
        """Write, in one go, and wait until there is room for more.

        Raises:
            TimeoutError: the peer takes nothing.
        """
        parts: list[Any] = []
        for event in events:
            parts += self.http.send_with_data_passthrough(event) or ()
        pieces: list[Any] = []
        for part in parts:
            pieces += part.pieces if isinstance(part, Chunk) else [part]
        self.transport.writelines(_joined(pieces))
        # Others on the loop have their turn, whether this peer has room or not.
        await asyncio.sleep(0)
        if not self._may_write.is_set():
            async with asyncio.timeout(STALLED_IN):
                await self._may_write.wait()

    def end(self) -> None:
        """The broker stops: an answer that has begun may be finished, nothing new begins."""
        self._conversation.end()

    def hang_up(self) -> None:
        """Close, once what was written has left."""
        self.transport.close()

    def linger(self) -> None:
        """Close our half, and the rest when the peer, in the middle of a word, has had time to hear."""
        if not self.transport.can_write_eof() or self.transport.is_closing():
            self.transport.close()
            return
        self._is_deaf = True
        self.transport.write_eof()
        self.transport.resume_reading()
        asyncio.get_running_loop().call_later(LINGER_IN, self.transport.close)


def _joined(pieces: list[Any]) -> list[Any]:
    """The same bytes, small neighbours in one."""
    joined: list[Any] = []
    small: list[Any] = []
    for piece in pieces:
        if len(piece) < APART_FROM:
            small.append(piece)
            continue
        if small:
            joined.append(b"".join(small))
            small = []
        joined.append(piece)
    if small:
        joined.append(b"".join(small))
    return joined
