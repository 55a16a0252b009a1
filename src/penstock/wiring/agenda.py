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
    from penstock.wiring.journal import Journal
    from penstock.wiring.proxy import Proxy
    from penstock.wiring.queue import Queue
    from penstock.wiring.reference import Reference
    from penstock.wiring.stock import Stock

__all__ = ["Agenda", "Dead"]


class Dead(NamedTuple):
    """A reference that has left its queue for the dead letters."""

    reference: Reference
    queue: Stock
    reason: Reason
    error: str | None


class Agenda:
    """Everything that waits for the wiring's next turn."""

    __slots__ = ("_is_heard", "cancelled", "deadlines", "destroyed", "graveyard", "journal", "touched")

    def __init__(self, journal: Journal | None = None, *, is_heard: bool = False) -> None:
        """An empty agenda.

        Args:
            is_heard: whether somebody takes the news of what is gone; else they are not gathered.
        """
        self._is_heard = is_heard
        #: Where persistent queues note what must survive, if anybody reads it.
        self.journal = journal
        #: Queues with something to deliver, each once.
        self.touched: list[Queue] = []
        self.deadlines: Schedule[Queue] = Schedule(lambda at, queue: queue.wake_at == at)
        self.graveyard: deque[Dead] = deque()
        #: News: consumers that lost their queue; queues and proxies gone by a verb or by themselves.
        self.cancelled: list[Consumer] = []
        self.destroyed: list[Queue | Proxy] = []

    def expect(self, queue: Queue, at: float) -> None:
        """A queue wants to be called then, if not before."""
        if at < queue.wake_at:
            self.forget(queue)
            queue.wake_at = at
            self.deadlines.add(at, queue)

    def tell_cancelled(self, consumer: Consumer) -> None:
        """A consumer lost its queue: somebody should tell it."""
        if self._is_heard:
            self.cancelled.append(consumer)

    def tell_destroyed(self, thing: Queue | Proxy) -> None:
        """A queue or proxy is gone."""
        if self._is_heard:
            self.destroyed.append(thing)

    def forget(self, queue: Queue) -> None:
        """A queue does not want to be called any more."""
        if queue.wake_at != inf:
            queue.wake_at = inf
            self.deadlines.drop()
