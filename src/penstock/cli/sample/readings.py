"""What the waterworks does at each of its moments. Pure: the same moments, the same doings.

Every moment each gauge is read in its turn; the rest comes every so many moments, never all at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.cli.sample.events import GAUGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["BROKEN", "Doing", "doings", "gauge_at", "level_at"]

#: A gauge that says what cannot be: its message becomes a dead letter.
BROKEN: Final = "leaking"


@dataclass(frozen=True, slots=True)
class Doing:
    """One thing to do, and what with."""

    kind: str
    valve: str


#: Every how many moments, and at which of them, something else is done.
EVERY: Final[Mapping[str, tuple[int, int]]] = {
    "tell": (5, 1),
    "inspect": (25, 3),
    "repair": (60, 12),
    "test": (40, 21),
    "break": (300, 42),
}


def doings(moment: int) -> Iterator[Doing]:
    """What is done at a moment besides reading a gauge."""
    valve = f"valve {moment % 7 + 1}"
    for kind, (every, offset) in EVERY.items():
        if moment % every == offset:
            yield Doing(kind, valve)


def gauge_at(moment: int) -> str:
    """Whose turn it is."""
    return GAUGES[moment % len(GAUGES)]


def level_at(moment: int) -> float:
    """How high the water stands then: tides of different lengths, each gauge with its own."""
    place = moment % len(GAUGES)
    return round(3.0 + place / 2 + math.sin(moment / (60 + 10 * place)), 3)
