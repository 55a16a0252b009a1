"""Connections, bounded: what anybody may send, keep open or leave unread before this domain has had enough.

uvicorn's reader trusts whoever stands before it. Measured against it as it comes: a header of 200 MB is kept,
and copied again with each piece that comes, 48 s of the loop; 400,000 requests that are sent without waiting
for an answer wait in 500 MB; a connection that never asks for anything stays for ever, and so does an answer
that nobody reads.
"""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING, Any, Final

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    import asyncio
    from collections import deque

    from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

__all__ = ["Connection"]

#: Bytes that may come before they make a request, or more of one.
LARGEST_HEAD: Final = 64 * 1024
#: Seconds in which a request must have begun, and its head must be here.
HEAD_IN: Final = 30.0
#: Seconds in which so many bytes of an answer must be taken.
TAKEN_IN: Final = 30.0
LEAST_TAKEN: Final = 64 * 1024
#: Connections at a time, in each process; with fewer files than twice that, half of them are for others.
MOST: Final = 4096

_REFUSED: Final = b"HTTP/1.1 %b\r\ncontent-length: 0\r\nconnection: close\r\n%b\r\n"
TOO_LARGE: Final = _REFUSED % (b"431 Request Header Fields Too Large", b"")
TOO_MANY: Final = _REFUSED % (b"503 Service Unavailable", b"retry-after: 5\r\n")


class Connection(HttpToolsProtocol):
    """uvicorn's, with bounds. Those of bodies are read_body's."""

    _is_heard = False
    _unheard = 0
    _deadline: asyncio.TimerHandle | None = None
    _stall: asyncio.TimerHandle | None = None
    #: What is being answered; uvicorn knows only the last that came.
    _answered: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        """Somebody is there."""
        super().connection_made(transport)
        self.flow = _OneAtATime(transport, self.pipeline)
        if len(self.connections) > most_connections():
            self._refuse(TOO_MANY)
        else:
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """They are gone."""
        self._expect_nothing()
        self.resume_writing()
        super().connection_lost(exc)
        self.pipeline.clear()
        if self._answered is not None:
            self._answered.disconnected = True
            self._answered.message_event.set()

    # Reading

    def data_received(self, data: bytes) -> None:
        """More bytes, of whatever they are."""
        self._is_heard = False
        super().data_received(data)
        if self._is_heard:
            self._unheard = 0
        elif (unheard := self._unheard + len(data)) > LARGEST_HEAD:
            # A head that does not end; or the extension of a chunk, or what may follow the last.
            self._refuse(TOO_LARGE)
        else:
            self._unheard = unheard
        # Even if it was asked for nothing: an empty line ends uvicorn's own patience for the next request.
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or cycle.response_complete:
            self._expect_head()

    def on_headers_complete(self) -> None:
        """A head is here."""
        self._is_heard = True
        self._expect_nothing()
        super().on_headers_complete()
        if not self.pipeline:
            self._answered = self.cycle

    def on_body(self, body: bytes) -> None:
        """Some of a body is."""
        self._is_heard = True
        super().on_body(body)

    def _refuse(self, answer: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(answer)
            self.transport.close()

    def _expect_head(self) -> None:
        if self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(HEAD_IN, self.transport.close)

    def _expect_nothing(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    # Writing

    def on_response_complete(self) -> None:
        """The next one."""
        if self.pipeline:
            self._answered = self.pipeline[-1][0]
        super().on_response_complete()

    def pause_writing(self) -> None:
        """They take an answer slower than it comes."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """They have taken nearly all of it."""
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """They were answered, and ask for nothing more: goodbye, once the last of the answer is taken."""
        super().timeout_keep_alive_handler()
        if self._stall is None:
            self._watch()

    def _watch(self) -> None:
        left: Any = self.transport.get_write_buffer_size()
        self._stall = self.loop.call_later(TAKEN_IN, self._end_if_stalled, left)

    def _end_if_stalled(self, before: int) -> None:
        if before - self.transport.get_write_buffer_size() < LEAST_TAKEN:
            self.transport.abort()
        else:
            self._watch()


class _OneAtATime(FlowControl):
    """Reads on when all that was read is being answered: uvicorn reads on with each answer."""

    def __init__(self, transport: asyncio.Transport, waiting: deque[Any]) -> None:
        super().__init__(transport)
        self._waiting = waiting

    def resume_reading(self) -> None:
        if not self._waiting:
            super().resume_reading()


def most_connections() -> int:
    """How many may be open: the domain needs files for itself, too."""
    return min(MOST, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)
