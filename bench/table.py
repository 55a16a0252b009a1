"""A table of costs: what an operation costs one way, and how many times that the other way.

Both ways of a row take turns in the same run, so that a busy machine disturbs them alike, and the
median of the rounds counts. Knows nothing of what is measured.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["ROUNDS", "Row", "print_table"]

#: Odd, so that the median is one of them.
ROUNDS: Final = 21


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Two ways to do the same operations."""

    name: str
    #: Does all operations once.
    base: Callable[[], object]
    other: Callable[[], object]
    #: How many operations that is.
    operations: int
    #: How many times the base's cost the other may have; None only shows.
    limit: float | None = None


def print_table(title: str, rows: Iterable[Row]) -> bool:
    """Measure and print each row; whether all stayed within their limits."""
    print(f"\n{title}\n{'':58}{'base':>10}{'other':>10}{'ratio':>8}{'limit':>7}")
    verdicts = [_print_row(row) for row in rows]
    return all(verdicts)


def _print_row(row: Row) -> bool:
    base, other = (1e6 * seconds / row.operations for seconds in _medians(row))
    ratio = other / base
    line = f"{row.name:58}{base:7.2f} µs{other:7.2f} µs{ratio:8.2f}"
    if row.limit is None:
        print(line)
        return True
    kept = ratio <= row.limit
    print(f"{line}{row.limit:7g}  {'ok' if kept else 'MISSED'}")
    return kept


def _medians(row: Row) -> tuple[float, float]:
    base, other = [], []
    row.base()
    row.other()
    # A collection walks the whole heap, and would be charged to whichever way it falls into.
    gc.collect()
    gc.disable()
    try:
        for _ in range(ROUNDS):
            base.append(_seconds(row.base))
            other.append(_seconds(row.other))
    finally:
        gc.enable()
    return median(base), median(other)


def _seconds(way: Callable[[], object]) -> float:
    begun = perf_counter()
    way()
    return perf_counter() - begun
