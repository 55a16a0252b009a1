"""Faults: where a broker's road can break, and when it does.

A trap springs when a point is reached for the n-th time; chance cuts reads by dice that a seed loads. Both
are set by the test and know nothing of what they break.
"""

from __future__ import annotations

from contextlib import contextmanager
from enum import StrEnum
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Faults", "Point", "Trap"]


class Point(StrEnum):
    """A step on a message's road, at which things may go wrong."""

    #: The broker is about to take bytes that a client has sent.
    RECEIVED = "received"
    #: A batch is about to be written.
    COMMIT = "commit"
    #: A batch is written, and nobody has been told.
    COMMITTED = "committed"
    #: A client is about to take bytes that the broker has sent: answers, confirms, deliveries.
    TOLD = "told"


class Trap:
    """Something that happens when a point is reached for the n-th time from now."""

    def __init__(self, point: Point, nth: int, act: Callable[[], None]) -> None:
        self.point = point
        #: How often the point has yet to be reached.
        self.left = nth
        self._act = act

    def __repr__(self) -> str:
        return f"<Trap at {self.point!r}, {'sprung' if self.has_sprung else f'{self.left} to go'}>"

    @property
    def has_sprung(self) -> bool:
        """Whether it has happened."""
        return self.left <= 0

    def step(self) -> bool:
        """The point is reached once more; whether it happened now."""
        self.left -= 1
        if self.left:
            return False
        self._act()
        return True


class Faults:
    """What is going to go wrong with one broker."""

    def __init__(self) -> None:
        self._traps: list[Trap] = []
        self._dice = Random(0)  # noqa: S311 (the same every time is the point)
        self._chance = 0.0

    def __repr__(self) -> str:
        return f"<Faults {self._traps}, {self._chance:.0%} of reads>"

    @contextmanager
    def trap(self, point: Point | str, nth: int, act: Callable[[], None]) -> Iterator[Trap]:
        """Set a trap for as long as the block lasts."""
        trap = Trap(Point(point), nth, act)
        self._traps.append(trap)
        try:
            yield trap
        finally:
            self._traps.remove(trap)

    @contextmanager
    def losing(self, chance: float, seed: int) -> Iterator[None]:
        """Cut connections at random reads for as long as the block lasts."""
        before = (self._chance, self._dice)
        self._chance, self._dice = chance, Random(seed)  # noqa: S311 (likewise)
        try:
            yield
        finally:
            self._chance, self._dice = before

    def watches(self, point: Point) -> bool:
        """Whether a trap waits there."""
        return any(trap.point is point and not trap.has_sprung for trap in self._traps)

    def reach(self, point: Point) -> bool:
        """A point is reached; whether that sprang a trap."""
        waiting = [trap for trap in self._traps if trap.point is point and not trap.has_sprung]
        return sum(trap.step() for trap in waiting) > 0

    def maybe_cut(self, size: int) -> int | None:
        """How many bytes of a read still arrive before the connection is cut; None if it is not."""
        if self._chance and self._dice.random() < self._chance:
            return self._dice.randrange(size)
        return None
