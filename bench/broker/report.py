"""The table: RabbitMQ and ours taking turns, the ratio of their medians, and whether it is within the limit.

Knows nothing of how a row is measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from peers import Peer


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A figure of a row."""

    name: str
    #: Makes the figure readable.
    shown: Callable[[float], str]
    #: What ours divided by RabbitMQ's must be at least, or at most.
    limit: float
    is_at_least: bool = True

    def keeps(self, ratio: float) -> bool:
        return ratio >= self.limit if self.is_at_least else ratio <= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A measurement of a peer that yields a figure for each line."""

    key: str
    lines: tuple[Line, ...]
    measure: Callable[[Peer, int], tuple[float, ...]]
    #: How many messages, requests or connections; the second for a quick run.
    count: int
    quick_count: int
    #: Whether the relay can take a broker's place in it and so show the generator's ceiling.
    has_ceiling: bool = True
    #: Whether it is measured once, on servers that have done nothing yet.
    is_fresh: bool = False


def rate(value: float) -> str:
    return f"{value:,.0f}/s"


def latency(value: float) -> str:
    return f"{1e6 * value:,.0f} µs"


def memory(value: float) -> str:
    return f"{value / 1024:,.1f} KiB"


def print_heading(base: str, ours: str) -> None:
    print(f"{'':48}{base:>12}{ours:>12}{'ratio':>7}{'limit':>8}{'':8}{'ceiling':>14}{'spread':>8}")


def measure_row(row: Row, peers: list[Peer], count: int, rounds: int) -> list[list[tuple[float, ...]]]:
    """The figures of each peer, round by round; the peers take turns, and the first round is dropped."""
    if row.is_fresh:
        return [[_measure(row, peer, count)] for peer in peers]
    figures: list[list[tuple[float, ...]]] = [[] for _ in peers]
    for _ in range(rounds + 1):
        for of_peer, peer in zip(figures, peers, strict=True):
            of_peer.append(_measure(row, peer, count))
    return [of_peer[1:] for of_peer in figures]


def _measure(row: Row, peer: Peer, count: int) -> tuple[float, ...]:
    try:
        return row.measure(peer, count)
    except Exception as error:
        error.add_note(f"in row {row.key!r}, with {peer.name}")
        raise


def print_row(row: Row, figures: list[list[tuple[float, ...]]]) -> bool:
    """Print a line for each figure; whether all are within their limits.

    Args:
        figures: RabbitMQ's rounds, ours, and the relay's if it took part.
    """
    verdicts = []
    for index, line in enumerate(row.lines):
        series = [[of_round[index] for of_round in of_peer] for of_peer in figures]
        base, ours, *ceiling = [median(values) for values in series]
        kept = line.keeps(ours / base)
        verdicts.append(kept)
        sign = "≥" if line.is_at_least else "≤"
        spread = max((max(values) - min(values)) / median(values) for values in series[:2])
        print(
            f"{line.name:48}{line.shown(base):>12}{line.shown(ours):>12}{ours / base:7.2f}"
            f"{sign:>4}{line.limit:4g}  {'ok' if kept else 'MISSED':6}"
            f"{line.shown(ceiling[0]) if ceiling else '':>14}{spread:8.0%}",
            flush=True,
        )
    return all(verdicts)
