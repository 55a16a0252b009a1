"""Rotation: which of a queue's consumers is served next.

Quasi round robin among those with room, the highest consumer priority first. A consumer without
room is not in it, so five thousand busy ones cost nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from penstock.wiring.consumer import Consumer

__all__ = ["Level", "Rotation"]

#: Consumers who take turns; an OrderedDict, so that any of them leaves or moves to the end at no cost.
Level: TypeAlias = "OrderedDict[Consumer, None]"


class Rotation:
    """The consumers of a queue that have room."""

    __slots__ = ("_levels",)

    def __init__(self) -> None:
        #: Consumer priority → those who take turns, the highest first.
        self._levels: dict[int, Level] = {}

    def __bool__(self) -> bool:
        return bool(self._levels)

    def __contains__(self, consumer: Consumer) -> bool:
        return consumer in self._levels.get(consumer.priority, ())

    def join(self, consumer: Consumer) -> None:
        """A consumer has room; its turn comes after those who wait already."""
        level = self._levels.get(consumer.priority)
        if level is not None:
            level[consumer] = None
            return
        self._levels[consumer.priority] = OrderedDict({consumer: None})
        self._levels = dict(sorted(self._levels.items(), reverse=True))

    def leave(self, consumer: Consumer) -> None:
        """A consumer has no room, or has gone."""
        level = self._levels.get(consumer.priority)
        if level is None or consumer not in level:
            return
        del level[consumer]
        if not level:
            del self._levels[consumer.priority]

    def turn(self) -> Level:
        """Those whose turn it is, of the highest priority with room; empty if nobody has."""
        for level in self._levels.values():
            return level
        return OrderedDict()
