"""A relay tells of itself, so that a panel can show whether an outbox has one, and how it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.messaging.heralding import Herald
from penstock.messaging.presence import RELAY, Presence

if TYPE_CHECKING:
    from penstock.messaging import Broker

__all__ = ["RelayHerald"]


class RelayHerald(Herald):
    """Tells of one relay, which writes here what becomes of its batches."""

    def __init__(self, broker: Broker, outbox: str) -> None:
        super().__init__(broker)
        self._outbox = outbox
        self._relayed = 0
        self._failures = 0
        self._trouble: str | None = None

    def note(self, relayed: int, error: Exception | None) -> None:
        """Some batches are done."""
        self._relayed += relayed
        self._failures += error is not None
        self._trouble = None if error is None else str(error)

    def presence(self, *, is_leaving: bool = False) -> Presence:
        """What there is to tell now."""
        return Presence(
            kind=RELAY,
            name=self._name,
            host=self._host,
            pid=self._pid,
            started_at=self._started_at,
            queues=[self._outbox],
            done=self._relayed,
            failed=self._failures,
            trouble=self._trouble,
            jobs=[],
            is_leaving=is_leaving,
        )
