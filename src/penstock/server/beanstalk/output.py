"""Output: the half of a session that writes.

Replies gather and leave in one write when the broker's turn ends. Those that tell of something that is being
written down leave when that is done, and all that come behind them with them: replies keep their order.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
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
        self._said = 0
        #: The writer's batch before which replies must not leave, and those that wait for one.
        self._safe_at = 0
        self._held: deque[tuple[int, bytes]] = deque()
        self._held_size = 0
        self._will_flush = self._is_clogged = False

    def go_on(self) -> None:
        """There is room for replies again: do what had to wait for it."""
        raise NotImplementedError

    # Saying

    def say(self, reply: bytes) -> None:
        """A reply, or several."""
        self._out.append(reply)
        self._said += len(reply)
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
        if self._out:
            data = b"".join(self._out)
            self._out.clear()
            self._said = 0
            if self._held or self._safe_at > self.front.broker.writer.written:
                self._held.append((self._safe_at, data))
                self._held_size += len(data)
            else:
                self.transport.write(data)
        self._maybe_close()

    def written(self, batch: int) -> None:
        """Everything up to this batch is on disk."""
        while self._held and self._held[0][0] <= batch:
            data = self._held.popleft()[1]
            self._held_size -= len(data)
            self.transport.write(data)
        self._maybe_close()
        self.go_on()

    def _maybe_close(self) -> None:
        if self.is_ending and not self._held and not self._out:
            self.transport.close()

    # Whether there is room for more

    @property
    def has_said_much(self) -> bool:
        """Whether it is time to see if the client takes what it is told."""
        return self._said > REPLIES_MOST

    @property
    def is_full(self) -> bool:
        """Whether the client does not read, or too much waits for the disk."""
        return self._is_clogged or self._held_size > REPLIES_MOST

    @property
    def waits_for_disk(self) -> bool:
        """Whether replies do."""
        return bool(self._held)

    def pause_writing(self) -> None:
        self._is_clogged = True

    def resume_writing(self) -> None:
        self._is_clogged = False
        self.go_on()
