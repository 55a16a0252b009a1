"""Patience with a broker that is away: a restart takes seconds, and a query need not fail for that."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.errors import NotConnected

__all__ = ["AWAY_IN", "Patience"]

log = logging.getLogger(__name__)

#: Seconds that a broker may be away.
AWAY_IN: Final = 60.0
#: Seconds between two attempts.
AGAIN_IN: Final = 0.2


class Patience:
    """Counts from the first loss on, until it is renewed."""

    __slots__ = ("_away", "_clock", "_until")

    def __init__(self, clock: Clock, away: float = AWAY_IN) -> None:
        self._clock = clock
        self._away = away
        self._until: float | None = None

    def __repr__(self) -> str:
        return f"<Patience of {self._away} s, {'waiting' if self._until is not None else 'not needed'}>"

    def lose(self, error: NotConnected) -> None:
        """Wait a little, or raise the error if that was done for too long."""
        now = self._clock.now()
        if self._until is None:
            log.warning("the broker is waited for: %s", error)
            self._until = now + self._away
        if now > self._until:
            raise error
        threading.Event().wait(AGAIN_IN)

    def renew(self) -> None:
        """It is there."""
        self._until = None
