"""Output: the half of a session that writes.

Replies gather and leave in one write when the broker's turn ends. Those that tell of something that is being
written down leave when that is done, and all that come behind them with them: replies keep their order. Large
bodies leave through an outflow. A client that does not read is neither worked for nor handed jobs.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final

from penstock.server.amqp.outflow import LargeSending, Outflow

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.server.amqp.bodies import LargeBody
    from penstock.server.beanstalk.front import BeanstalkFront

__all__ = ["REPLIES_MOST", "WRITE_HIGH", "Output"]

#: Bytes that may wait for a client that does not read before nothing more is done for it.
WRITE_HIGH: Final = 512 * 1024
#: Bytes of replies after which it is seen, in the midst of a read's commands, whether the client takes them;
#: and that may wait for the disk before nothing more is done.
REPLIES_MOST: Final = 1024 * 1024


class Output(asyncio.Protocol):
    """A session's way out; the rest of it is BeanstalkSession."""

    __slots__ = (
        "_held",
        "_held_size",
        "_is_clogged",
        "_out",
        "_outflow",
        "_parts",
        "_safe_at",
        "_said",
        "_will_flush",
        "front",
        "is_ending",
        "transport",
    )

    transport: asyncio.Transport

    def __init__(self, front: BeanstalkFront) -> None:
        self.front = front
        #: Whether it is over when all has been said.
        self.is_ending = False
        self._out: list[bytes] = []
        #: What was said up to the last large body, in as few pieces as there can be.
        self._parts: list[bytes | LargeSending] = []
        self._said = 0
        #: The way out while something large is on it.
        self._outflow: Outflow | None = None
        #: The writer's batch before which replies must not leave, and those that wait for one.
        self._safe_at = 0
        self._held: deque[tuple[int, bytes | LargeSending]] = deque()
        self._held_size = 0
        self._will_flush = self._is_clogged = False

    # What the session does about it

    def go_on(self) -> None:
        """There is room for replies again: do what had to wait for it."""
        raise NotImplementedError

    def act(self, work: Callable[[], None]) -> None:
        """Do something for the client, with a turn after it."""
        raise NotImplementedError

    def mind_flow(self) -> None:
        """There is room for jobs, or none: let them flow, or not."""
        raise NotImplementedError

    # Saying

    def say(self, reply: bytes) -> None:
        """A reply, or several."""
        self._out.append(reply)
        self._said += len(reply)
        if not self._will_flush:
            self.want_flush()

    def say_large(self, head: bytes, body: LargeBody, lost: Callable[[], None]) -> None:
        """A reply whose body is in a file; one that cannot be read ends the connection.

        Args:
            lost: called before it does.
        """

        def end() -> None:
            lost()
            self.transport.abort()

        self._gather()
        self._parts.append(LargeSending(head, body.hold(), end, tail=b"\r\n"))
        self._said += body.length
        if not self._will_flush:
            self.want_flush()

    def want_flush(self) -> None:
        """There is something to write, or to end, when the turn is over."""
        self._will_flush = True
        self.front.broker.will_flush(self)

    def mind_safety(self, noted: int) -> None:
        """Have replies wait, if something was noted since that must be on disk before they leave."""
        if self.front.broker.unwritten > noted:
            self._safe_at = self.front.broker.after_write(self)

    def flush(self) -> None:
        """Write what has gathered, in one go, or keep it until it is true after a crash, too."""
        self._will_flush = False
        self._gather()
        if self._parts:
            for part in self._parts:
                if self._held or self._safe_at > self.front.broker.writer.written:
                    self._held.append((self._safe_at, part))
                    self._held_size += _weight(part)
                else:
                    self._let_out(part)
            self._parts.clear()
            self._said = 0
        self._maybe_close()
        self.mind_flow()

    def _gather(self) -> None:
        if self._out:
            self._parts.append(b"".join(self._out))
            self._out.clear()

    def _let_out(self, part: bytes | LargeSending) -> None:
        if self._outflow is None and isinstance(part, LargeSending):
            self._outflow = Outflow(self)
            if self._is_clogged:
                self._outflow.pause()
        if self._outflow is not None:
            self._outflow.put(part)
        elif isinstance(part, bytes):
            self.transport.write(part)

    def write(self, *pieces: bytes) -> None:
        """Hand bytes to the socket."""
        self.transport.writelines(pieces)

    def written(self, batch: int) -> None:
        """Everything up to this batch is on disk."""
        while self._held and self._held[0][0] <= batch:
            part = self._held.popleft()[1]
            self._held_size -= _weight(part)
            self._let_out(part)
        self._there_is_room()

    def outflow_ended(self) -> None:
        """Everything large has left."""
        self._outflow = None
        self._there_is_room()

    def stop_outflow(self) -> None:
        """Nothing large leaves any more."""
        if self._outflow is not None:
            self._outflow.stop()
            self._outflow = None

    def _there_is_room(self) -> None:
        self._maybe_close()
        self.mind_flow()
        self.go_on()

    def _maybe_close(self) -> None:
        if self.is_ending and not (self._held or self._out or self._parts or self._outflow):
            self.transport.close()

    # Whether there is room for more

    @property
    def has_said_much(self) -> bool:
        """Whether it is time to see if the client takes what it is told."""
        return self._said > REPLIES_MOST

    @property
    def is_full(self) -> bool:
        """Whether the client does not read, something large is on its way, or too much waits for the disk."""
        return self._is_clogged or self._outflow is not None or self._held_size > REPLIES_MOST

    @property
    def is_sending(self) -> bool:
        """Whether replies wait for the disk, or something large is on its way."""
        return bool(self._held) or self._outflow is not None

    def pause_writing(self) -> None:
        self._is_clogged = True
        if self._outflow is not None:
            self._outflow.pause()
        self.mind_flow()

    def resume_writing(self) -> None:
        self._is_clogged = False
        if self._outflow is not None:
            self._outflow.resume()
        self.mind_flow()
        self.go_on()


def _weight(part: bytes | LargeSending) -> int:
    """Bytes of memory it takes."""
    return len(part) if isinstance(part, bytes) else len(part.head)
