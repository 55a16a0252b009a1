"""Agenda: what the wiring has to do next.

Queues write here what concerns more than themselves: that they should be served, when they want to
be called, who died, who was cancelled. The wiring works it off.
"""

from __future__ import annotations

from collections import deque
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from penstock.wiring.schedule import Schedule

if TYPE_CHECKING:
    from penstock.wiring.consumer import Consumer
    from penstock.wiring.death import Reason
    from penstock.wiring.queue import Queue
    from penstock.wiring.reference import Reference

__all__ = ["Agenda", "Dead"]


class Dead(NamedTuple):
    """A reference that has left its queue for the dead letters."""

    reference: Reference
    queue: Queue
    reason: Reason
    error: str | None


class Agenda:
    """Everything that waits for the wiring's next turn."""

    __slots__ = ("cancelled", "deadlines", "graveyard", "touched")

    def __init__(self) -> None:
        #: Queues with something to deliver, each once.
        self.touched: list[Queue] = []
        self.deadlines: Schedule[Queue] = Schedule(lambda at, queue: queue.wake_at == at)
        self.graveyard: deque[Dead] = deque()
        #: Consumers that lost their queue, to be told.
        self.cancelled: list[Consumer] = []

    def expect(self, queue: Queue, at: float) -> None:
        """A queue wants to be called then, if not before."""
        if at < queue.wake_at:
            self.forget(queue)
            queue.wake_at = at
            self.deadlines.add(at, queue)

    def forget(self, queue: Queue) -> None:
        """A queue does not want to be called any more."""
        if queue.wake_at != inf:
            queue.wake_at = inf
            self.deadlines.drop()
