"""A range of positions, cut into the pieces that executors read."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pyspark.sql.datasource import InputPartition

__all__ = ["Range", "split"]

#: Rows below which a further piece costs more than it gains: starting a task takes some ten milliseconds.
WORTH_A_TASK: Final = 2_000


@dataclass(slots=True)
class Range(InputPartition):
    """Positions start < p <= end."""

    start: int
    end: int


def split(start: int, end: int, pieces: int) -> list[Range]:
    """The range in at most so many pieces of one size, the same each time: so is a repeated batch."""
    rows = end - start
    if rows <= 0:
        return []
    count = max(min(pieces, rows // WORTH_A_TASK), 1)
    bounds = [start + rows * number // count for number in range(count + 1)]
    return [Range(low, high) for low, high in pairwise(bounds)]
