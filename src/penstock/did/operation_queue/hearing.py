"""Hearing: which of the other instances are dead, by what one has heard of them. Pure.

Each instance says by its own clock when it spoke last, and clocks may be wrong, by hours where a machine had
another idea of the time before it was started anew. So what counts is when this instance has heard something
new. Only of one that it hears of for the first time it has nothing else to go by than what that one says.
"""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["GONE", "Hearing", "is_dead"]

#: The last word of an instance that has left.
GONE: Final = 0.0


def is_dead(spoke_at: float, now: float, expiration: float) -> bool:
    """Whether the last word is too old, in whole seconds as Orb counts."""
    return floor(now - spoke_at) > expiration


class Hearing:
    """What one instance has heard."""

    def __init__(self, expiration: float) -> None:
        """Nothing is heard yet; `expiration` is op-queue-task-expiration, in seconds."""
        self._expiration = expiration
        #: The last word of each, and when that was, by the clock here.
        self._heard: dict[str, tuple[float, float]] = {}

    def __repr__(self) -> str:
        return f"<Hearing of {len(self._heard)} instances>"

    def silent(self, words: Mapping[str, float], now: float) -> dict[str, float]:
        """Those that are dead, of all that there are.

        Args:
            words: When each spoke last, by its own clock.
            now: By the clock here.
        """
        self._heard = {task: (word, self._spoke_at(task, word, now)) for task, word in words.items()}
        return {task: word for task, (word, at) in self._heard.items() if is_dead(at, now, self._expiration)}

    def _spoke_at(self, task: str, word: float, now: float) -> float:
        before, at = self._heard.get(task, (None, 0.0))
        if before is None or word == GONE:
            return min(word, now)
        return at if word == before else now
