"""Track: what one thing has told, when; the older it is, the coarser. Pure.

Points are written down only when something has changed. Between two of them the truth is taken to have gone
straight from one to the other: counts grow evenly, whenever somebody happened to look.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["DAY", "HOUR", "Track"]

#: Seconds: of what is older than the first, one point is kept in each of the second. These are RabbitMQ's
#: (rabbitmq.com/docs/management#configuration, sample_retention_policies), which its tools ask by.
COARSER: Final = ((29_400.0, 1800.0), (3_660.0, 600.0), (605.0, 60.0))
#: Seconds that points are kept for: RabbitMQ's for a queue, and for the whole broker.
HOUR: Final = 3_660.0
DAY: Final = 88_200.0
#: Points beyond which a track is thinned out; what is left is at most two thirds of it.
ROOM: Final = {HOUR: 256, DAY: 384}


class Track:
    """The points of one thing, each with as many numbers as it tells."""

    __slots__ = ("_keeps", "_times", "_values", "_width")

    def __init__(self, at: float, values: Sequence[int], keeps: float = HOUR) -> None:
        """A track that begins.

        Args:
            keeps: seconds; what is older is forgotten.
        """
        self._keeps = keeps
        self._width = len(values)
        self._times = array("d", [at])
        # A row behind the other: a hundred and twenty tuples of numbers would take ten times the room.
        self._values = array("q", values)

    def __repr__(self) -> str:
        return f"<Track of {len(self._times)} points, {self._times[-1] - self._times[0]:.0f} s>"

    @property
    def ends_at(self) -> float:
        """When the last point was written down."""
        return self._times[-1]

    def is_over(self, now: float) -> bool:
        """Whether nothing has changed for as long as is kept."""
        return now - self._times[-1] > self._keeps

    def add(self, at: float, values: Sequence[int]) -> None:
        """Write a point down, later than all before it."""
        self._times.append(at)
        self._values.extend(values)
        if len(self._times) > ROOM[self._keeps]:
            self._thin_out(at)

    def points(self, moments: Sequence[float], *newer: tuple[float, Sequence[int]]) -> Iterator[list[int]]:
        """The values at some moments.

        Args:
            newer: points after the last that was written down, in order.
        """
        times = [*self._times, *(at for at, _ in newer)]
        rows = [*(self._row(index) for index in range(len(self._times))), *(row for _, row in newer)]
        for moment in moments:
            index = bisect_right(times, moment)
            if index in (0, len(times)):
                yield list(rows[min(index, len(times) - 1)])
                continue
            begun, ended = times[index - 1], times[index]
            part = (moment - begun) / (ended - begun)
            pairs = zip(rows[index - 1], rows[index], strict=True)
            yield [before + round((after - before) * part) for before, after in pairs]

    def _row(self, index: int) -> Sequence[int]:
        return self._values[index * self._width : (index + 1) * self._width]

    def _thin_out(self, now: float) -> None:
        kept = [len(self._times) - 1]
        for index in range(len(self._times) - 2, -1, -1):
            at = self._times[index]
            if now - at > self._keeps:
                break
            apart = next((apart for age, apart in COARSER if now - at > age), None)
            # The last of each whole multiple: what was kept once is kept until it is coarser still.
            if apart is None or self._times[kept[-1]] // apart != at // apart:
                kept.append(index)
        kept.reverse()
        self._values = array("q", [value for index in kept for value in self._row(index)])
        self._times = array("d", [self._times[index] for index in kept])
