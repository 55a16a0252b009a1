"""A connection to a beanstalk server: what is asked leaves in order, and answers come in the same order.

Any number of questions may be under way; whoever asks says what is to be called with the answer, or with None
when the connection went before it came. Knows the wire and nothing of jobs.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from typing import TYPE_CHECKING, Final, cast

from penstock.errors import ClientError, NotConnected
from penstock.wire.beanstalk import Answer, AnswerDecoder, Verb, Word
from penstock.wire.beanstalk.requests import request

if TYPE_CHECKING:
    from collections.abc import Callable

    Take = Callable[[Answer | None], None]

__all__ = ["BeanstalkConnection"]

#: The protocol has no heartbeats, so the system asks: after so many silent seconds, so often, that far apart.
_KEEP_ALIVE: Final = (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))


class BeanstalkConnection(asyncio.Protocol):
    """One socket."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_open = False
        self._loop = asyncio.get_running_loop()
        self.lost: asyncio.Future[ClientError] = self._loop.create_future()
        #: The tube that jobs are put into.
        self.used = "default"
        #: Whether the server waits here for a job, and reads nothing until there is one.
        self.is_waited_at = False
        #: Called when all answers of one read are given.
        self.on_read: Callable[[], None] = lambda: None
        self._decoder = AnswerDecoder()
        self._waiting: deque[Take] = deque()
        self._out: list[bytes] = []
        self._transport: asyncio.Transport | None = None
        self._reason: ClientError | None = None
        self._unclogged = asyncio.Event()
        self._unclogged.set()

    def __repr__(self) -> str:
        state = "open" if self.is_open else "closed"
        return f"<BeanstalkConnection {self.name}, {state}, {len(self._waiting)} unanswered>"

    @property
    def is_answered(self) -> bool:
        """Whether nothing is under way."""
        return not self._waiting

    # Asking

    def send(self, data: bytes, take: Take) -> None:
        """Ask something; what is asked in one turn of the loop leaves in one write."""
        if self._reason is not None:
            self._loop.call_soon(take, None)
            return
        self._waiting.append(take)
        if not self._out:
            self._loop.call_soon(self._flush)
        self._out.append(data)

    async def ask(self, data: bytes, within: float) -> Answer:
        """Ask something, and wait for the answer.

        Raises:
            NotConnected: there is none in so many seconds, or ever.
        """
        answered: asyncio.Future[Answer | None] = self._loop.create_future()
        self.send(data, lambda answer: None if answered.done() else answered.set_result(answer))
        try:
            async with asyncio.timeout(within):
                answer = await answered
        except TimeoutError:
            self.abort(f"no answer within {within:g} s")
            answer = None
        if answer is None:
            raise NotConnected(str(self._reason))
        return answer

    async def unclogged(self) -> None:
        """Wait until the server reads again."""
        await self._unclogged.wait()

    def _flush(self) -> None:
        out, self._out = self._out, []
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join(out))

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self.is_open = True
        found = transport.get_extra_info("socket")
        if found is not None and found.family in (socket.AF_INET, socket.AF_INET6):
            found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for option, value in _KEEP_ALIVE:
                if hasattr(socket, option):
                    found.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)

    def data_received(self, data: bytes) -> None:
        waiting = self._waiting
        for answer in self._decoder.receive(data):
            if answer.word is Word.NONSENSE or not waiting:
                said = answer.body.decode(errors="replace") or answer.word.value
                self.abort(f"what is there does not speak beanstalk: it said {said!r}")
                return
            waiting.popleft()(answer)
        self.on_read()

    def connection_lost(self, exc: Exception | None) -> None:
        self._over(f"the connection was lost: {exc or 'the server hung up'}")
        self._unclogged.set()
        waiting, self._waiting = self._waiting, deque()
        for take in waiting:
            take(None)
        if not self.lost.done() and self._reason is not None:
            self.lost.set_result(self._reason)

    def pause_writing(self) -> None:
        self._unclogged.clear()

    def resume_writing(self) -> None:
        self._unclogged.set()

    # Ending

    def abort(self, reason: str) -> None:
        """Drop it; what was in hand goes back, and what was not answered is not known."""
        self._over(reason)
        if self._transport is not None:
            self._transport.abort()
        elif not self.lost.done() and self._reason is not None:
            self.lost.set_result(self._reason)

    async def close(self, timeout: float) -> None:  # noqa: ASYNC109 (the farewell's, not the caller's)
        """Ask nothing more; it is over when all is answered, or after so many seconds.

        A server that waits for a job sees the end of what we write, and hangs up as well.
        """
        if self._transport is None or self.lost.done():
            return
        if self.is_open:
            self._take_leave(self._transport)
        await asyncio.wait([self.lost], timeout=timeout)
        if not self.lost.done():
            self._transport.abort()
            await asyncio.wait([self.lost])

    def _take_leave(self, transport: asyncio.Transport) -> None:
        self._flush()
        self._over("it was closed here")
        if transport.can_write_eof():
            transport.write_eof()
        elif not self.is_waited_at or len(self._waiting) > 1:
            # Over TLS there is no such end: one that waits for a job and for nothing else is left like that.
            transport.write(request(Verb.QUIT))
        else:
            transport.abort()

    def _over(self, reason: str) -> None:
        self.is_open = False
        if self._reason is None:
            self._reason = NotConnected(f"{self.name}: {reason}")
