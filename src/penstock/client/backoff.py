"""How long to wait before another attempt: longer each time, up to a limit, and never quite the same."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.client.settings import ClientSettings

__all__ = ["Backoff"]


class Backoff:
    """The waits of one who tries again and again; `reset` when it worked."""

    __slots__ = ("_random", "_settings", "attempts")

    def __init__(self, settings: ClientSettings, chance: random.Random | None = None) -> None:
        self._settings = settings
        self._random = chance or random.Random()  # noqa: S311 (it spreads clients, it keeps no secret)
        #: Waits since it last worked.
        self.attempts = 0

    def __repr__(self) -> str:
        return f"<Backoff after {self.attempts} attempts>"

    def reset(self) -> None:
        """It worked."""
        self.attempts = 0

    def next(self) -> float:
        """Seconds to wait now."""
        settings = self._settings
        # An exponent that grows for days would overflow; no sensible limit is beyond it.
        grown = settings.backoff_initial * settings.backoff_multiplier ** min(self.attempts, 64)
        self.attempts += 1
        return min(grown, settings.backoff_max) * (1 - settings.backoff_jitter * self._random.random())
