"""The desk where alerts are handed in: sorts out repetitions and gives the rest to every sender."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from penstock.clock import SystemClock
from penstock.messaging.alerts.dedupe import Dedupe
from penstock.messaging.alerts.lane import Lane
from penstock.messaging.alerts.log import LogSender

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.clock import Clock
    from penstock.messaging.alerts.sender import Sender
    from penstock.messaging.port import Alert

__all__ = ["AlertDesk"]

#: Seconds in which the same kind about the same subject is told once.
WINDOW_S: Final = 300.0
#: Subjects remembered, and alerts that wait for one sender: enough for any storm a person can read.
REMEMBERED: Final = 10_000
WAITING: Final = 100

_log = logging.getLogger(__name__)


class AlertDesk:
    """Where alerts go: the port's `Alerts`, on an event loop."""

    def __init__(
        self,
        senders: Sequence[Sender] | None = None,
        *,
        clock: Clock | None = None,
        window: float = WINDOW_S,
        remembered: int = REMEMBERED,
        waiting: int = WAITING,
    ) -> None:
        self._clock = clock or SystemClock()
        self._dedupe = Dedupe(window=window, capacity=remembered)
        given = (LogSender(),) if senders is None else senders
        #: One for each sender, in their order.
        self.lanes: Final = [Lane(sender, clock=self._clock, capacity=waiting) for sender in given]
        self.raised = 0
        self.held_back = 0

    def __repr__(self) -> str:
        return f"<AlertDesk {self.raised} raised, {self.held_back} held back, {len(self.lanes)} senders>"

    def raise_alert(self, alert: Alert) -> None:
        """Let somebody know, unless they were told just now; never waits and never fails."""
        self.raised += 1
        held_back = self._dedupe.maybe_admit((alert.kind, alert.subject), self._clock.now())
        if held_back is None:
            self.held_back += 1
            return
        if held_back:
            alert = replace(alert, details={**alert.details, "held_back": held_back})
        try:
            for lane in self.lanes:
                lane.put(alert)
        except RuntimeError:
            # Without an event loop nobody can be sent for: a script, or the very end of a program.
            _log.error("alert: %s", alert.text, extra={"kind": alert.kind, "subject": alert.subject})

    async def close(self, within: float = 5.0) -> None:
        """Wait until everybody was told, at most as long as that for each sender."""
        for lane in self.lanes:
            await lane.drain(within)
