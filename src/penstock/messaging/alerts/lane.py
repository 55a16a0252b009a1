"""One sender's lane: a short queue of alerts and a task that works through it."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import TYPE_CHECKING, Final

from penstock.clock import sleep
from penstock.server.logs import redacted

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.messaging.alerts.sender import Sender
    from penstock.messaging.port import Alert

__all__ = ["Lane"]

#: How often a sender is asked to send one alert, and the seconds between.
TRIES: Final = 3
PAUSE_S: Final = 5.0

_log = logging.getLogger(__name__)


class Lane:
    """Alerts on their way to one sender; beyond `capacity` the oldest that waits is dropped and counted."""

    def __init__(self, sender: Sender, *, clock: Clock, capacity: int) -> None:
        self._sender = sender
        self._clock = clock
        self._waiting: deque[Alert] = deque(maxlen=capacity)
        self._work: asyncio.Task[None] | None = None
        self.sent = 0
        self.failed = 0
        self.dropped = 0

    def __repr__(self) -> str:
        name = type(self._sender).__name__
        return f"<Lane {name}: {len(self._waiting)} waiting, {self.sent} sent, {self.failed} failed>"

    def put(self, alert: Alert) -> None:
        """Have it sent; needs a running event loop."""
        self.dropped += len(self._waiting) == self._waiting.maxlen
        self._waiting.append(alert)
        if self._work is None or self._work.done():
            self._work = asyncio.get_running_loop().create_task(self._send_all())

    async def drain(self, within: float) -> None:
        """Wait until all are sent, or as long as that; what is left is dropped and counted."""
        if self._work is not None and not self._work.done():
            _, late = await asyncio.wait([self._work], timeout=within)
            for work in late:
                work.cancel()
                await asyncio.wait([work])
        self.dropped += len(self._waiting)
        self._waiting.clear()

    async def _send_all(self) -> None:
        while self._waiting:
            await self._send(self._waiting.popleft())

    async def _send(self, alert: Alert) -> None:
        for tried in range(1, TRIES + 1):
            try:
                await self._sender.send(alert)
            except Exception as error:  # noqa: BLE001  a sender may be anybody's, and a broken one is only told
                told = redacted(f"{type(error).__name__}: {error}")
                facts = {"sender": type(self._sender).__name__, "kind": alert.kind, "error": told}
                _log.warning("an alert could not be sent", extra=facts)
            else:
                self.sent += 1
                return
            if tried < TRIES:
                await sleep(self._clock, PAUSE_S)
        self.failed += 1
