"""A sender that remembers, and fails as often as it is told to."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.messaging.port import Alert

if TYPE_CHECKING:
    from penstock.clock import VirtualClock

PLAIN = Alert(kind="exhausted", subject="commons.Notifications", text="3 messages are dead")


class Recording:
    def __init__(self, *, failures: int = 0, gate: asyncio.Event | None = None) -> None:
        self.sent: list[Alert] = []
        self.tries = 0
        self._failures = failures
        self._gate = gate

    async def send(self, alert: Alert) -> None:
        self.tries += 1
        if self._gate:
            await self._gate.wait()
        if self.tries <= self._failures:
            raise OSError("no route to amqp://guest:sesame@host")
        self.sent.append(alert)


async def breathe() -> None:
    """Let every task that can run do so."""
    for _ in range(20):
        await asyncio.sleep(0)


async def pass_by(clock: VirtualClock, seconds: float) -> None:
    """Let so much time pass, with time for those who wake."""
    await breathe()
    clock.advance(seconds)
    await breathe()
