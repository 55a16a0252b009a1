"""Heartbeats, both ways (AMQP 0-9-1 §4.2.7): a broker that is silent for too long is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.wire.amqp import HEARTBEAT_BYTES

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

__all__ = ["Heartbeat"]

#: Looks, two an interval, without a sign of life until the broker counts as gone.
MOST_SILENT: Final = 4


class Heartbeat:
    """Looks twice an interval; a read or a write only leaves a mark. Goes by the loop's own time."""

    __slots__ = (
        "_handle",
        "_loop",
        "_silent",
        "_transport",
        "_when_dead",
        "heard",
        "interval",
        "is_deaf",
        "spoke",
    )

    def __init__(self, loop: asyncio.AbstractEventLoop, when_dead: Callable[[str], None]) -> None:
        self._loop = loop
        self._when_dead = when_dead
        self._handle: asyncio.TimerHandle | None = None
        self._transport: asyncio.WriteTransport | None = None
        self._silent = 0
        #: Seconds, as agreed with the broker; 0 is none.
        self.interval = 0
        #: Bytes came, bytes went: set by whoever saw it.
        self.heard = True
        self.spoke = False
        #: Whether nothing is read at the moment: then silence is no sign of death.
        self.is_deaf = False

    def start(self, interval: int, transport: asyncio.WriteTransport) -> None:
        """Expect and give a sign of life each interval."""
        self.interval = interval
        self._transport = transport
        if interval:
            self._arm()

    def stop(self) -> None:
        """The connection is over."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _arm(self) -> None:
        self._handle = self._loop.call_later(self.interval / 2, self._look)

    def _look(self) -> None:
        self._silent = 0 if self.heard or self.is_deaf else self._silent + 1
        self.heard = False
        if self._silent >= MOST_SILENT:
            self._handle = None
            self._when_dead(f"no sign of life for {2 * self.interval} s")
            return
        if not self.spoke and self._transport is not None:
            self._transport.write(HEARTBEAT_BYTES)
        self.spoke = False
        self._arm()
