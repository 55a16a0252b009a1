"""Output: the half of a connection that writes.

What channels have to say gathers in `out` and leaves in one write when the loop's turn ends. A broker that
does not read makes publishes wait; settlements and questions go into the socket's buffer all the same.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from penstock.client.heartbeat import Heartbeat
from penstock.wire.amqp import method_frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.client.channel import Channel
    from penstock.wire.amqp.methods import Method

__all__ = ["WRITE_HIGH", "Output"]

#: Bytes that may wait for a broker that does not read before publishes wait, too.
WRITE_HIGH: Final = 1024 * 1024
#: Bytes that gather in a turn before they leave ahead of its end: the broker has work sooner.
FLUSH_AT: Final = 16 * 1024


class Output(asyncio.Protocol):
    """A connection's way out; the rest of it is Connection."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.heartbeat = Heartbeat(self.loop, self.abort)
        self.out: list[bytes] = []
        self.is_lost = False
        #: Whether publishes have to wait, as said by the broker (with its reason) or by the socket.
        self.is_held = False
        self.blocked_reason: str | None = None
        self.is_clogged = False
        #: Called when publishes need not wait any more.
        self.on_flow: Callable[[], None] = nothing
        self._out_size = 0
        self._will_flush = False
        self._settled: dict[Channel, None] = {}

    def abort(self, reason: str) -> None:
        """Hang up at once."""
        raise NotImplementedError

    def pause_writing(self) -> None:
        """The broker does not read."""
        self.is_clogged = True
        self._mind_flow()

    def resume_writing(self) -> None:
        """It reads again."""
        self.is_clogged = False
        self._mind_flow()

    def block(self, reason: str | None) -> None:
        """The broker takes no publishes, or, without a reason, takes them again."""
        self.blocked_reason = reason
        self._mind_flow()

    def _mind_flow(self) -> None:
        # Kept, not asked for: a look at it is part of every publish.
        self.is_held = self.is_clogged or self.blocked_reason is not None
        if not self.is_held:
            self.on_flow()

    def send(self, channel: int, method: Method) -> None:
        """Write a method with what else leaves this turn."""
        self.out.append(method_frame(channel, method))
        self.will_flush()

    def will_flush(self, size: int = 0) -> None:
        """There is something to write when the turn ends, or now if it is much."""
        self._out_size += size
        if self._out_size > FLUSH_AT:
            self._write()
        elif not self._will_flush:
            self._will_flush = True
            self.loop.call_soon(self.flush)

    def will_settle(self, channel: Channel) -> None:
        """Messages of a channel were settled, which is to be said when the turn ends."""
        self._settled[channel] = None
        self.will_flush()

    def flush(self) -> None:
        """The turn is over: say what was settled, and write what has gathered, in one go."""
        self._will_flush = False
        if self._settled:
            settled, self._settled = self._settled, {}
            for channel in settled:
                channel.say_settled()
        self._write()

    def _write(self) -> None:
        self._out_size = 0
        if self.out:
            data = b"".join(self.out)
            self.out.clear()
            if not self.is_lost:
                self.transport.write(data)
                self.heartbeat.spoke = True


def nothing() -> None:
    """For hooks that nobody uses."""
