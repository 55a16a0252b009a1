"""Waiting: all that is ready for delivery in one queue, in order.

Lanes in memory, groups behind their tokens, and the backlog behind the memory window. It knows
order and room, not time: what is delayed or buried stands elsewhere.
"""

from __future__ import annotations

from heapq import merge
from typing import TYPE_CHECKING

from penstock.wiring.groups import Groups
from penstock.wiring.lanes import Lanes
from penstock.wiring.reference import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.wiring.backlog import Backlog
    from penstock.wiring.consumer import Consumer
    from penstock.wiring.reference import Reference
    from penstock.wiring.timers import Timers

__all__ = ["Waiting"]


class Waiting:
    """The ready references of a queue."""

    __slots__ = ("_backlog", "_timers", "_window", "bytes", "groups", "lanes", "weighed")

    def __init__(self, window: int | None, backlog: Backlog, timers: Timers, *, weighed: bool) -> None:
        self.lanes = Lanes()
        #: None until a message with a group key arrives.
        self.groups: Groups | None = None
        self._window = window
        self._backlog = backlog
        self._timers = timers
        #: Whether `bytes` is kept: only queues with a limit on it pay for it.
        self.weighed = weighed
        self.bytes = 0
        # A backlog may hold something from before.
        self._refill()

    def __len__(self) -> int:
        return self._in_memory() + len(self._backlog)

    def __iter__(self) -> Iterator[Reference]:
        """All of them in order of delivery, undisturbed."""
        return merge(self.lanes, sorted(self.groups or ()), self._backlog)

    # In

    def add(self, reference: Reference) -> None:
        """A newcomer, later in sequence than all before it."""
        self._weigh(reference, 1)
        if self._belongs_behind(reference):
            self._put_behind([reference])
        elif reference.message.terms.group is None:
            self.lanes.append(reference)
        else:
            self._admit(reference)
        self._spill()

    def put_back(self, reference: Reference) -> None:
        """One that was here, to its place."""
        self._weigh(reference, 1)
        if self._belongs_behind(reference):
            self._put_behind([reference])
        else:
            self._stand(reference)
        self._spill()

    # Out

    def take(self, limit: int) -> list[Reference]:
        """The first `limit`; for queues without groups."""
        taken = self.lanes.take(limit)
        if self._window is not None:
            while len(taken) < limit and self._refill() and self.groups is None:
                taken += self.lanes.take(limit - len(taken))
            self._refill()
        if self.weighed:
            for reference in taken:
                self._weigh(reference, -1)
        return taken

    def next_for(
        self, candidate: Consumer, *, shared: bool = True
    ) -> tuple[Reference | None, Consumer] | None:
        """The next that can go, and to whom: the candidate, or (if shared) who has its group in hand.

        None if nothing can go; without a reference if the candidate has no room for the next.
        """
        while (turn := self._pop()) is not None:
            consumer = candidate
            if turn.message.terms.group is not None and self.groups is not None:
                chosen = self.groups.choose(turn, candidate, shared=shared)
                if chosen is None:
                    continue
                turn, consumer = chosen
            if shared and not consumer.fits(turn):
                self._weigh(turn, -1)
                self.put_back(turn)
                return None, consumer
            if turn.message.terms.group is not None and self.groups is not None:
                self._expose(self.groups.hand(turn, consumer))
            self._weigh(turn, -1)
            return turn, consumer
        return None

    def drop_first(self) -> Reference:
        """Take the first that waits, whoever has its group in hand: for queues over their limit."""
        first = self._pop() if self.groups is None else None
        if first is None:
            first = next(iter(self))
            self.withdraw(first)
        else:
            self._weigh(first, -1)
        return first

    def withdraw(self, reference: Reference) -> None:
        """Take one from the middle, for good."""
        self._weigh(reference, -1)
        if reference.state is State.BEHIND:
            self._backlog.pick(reference.sequence)
            return
        reference.state = State.GONE
        if reference.message.terms.group is not None and self.groups is not None:
            in_lanes, token = self.groups.withdraw(reference)
            self._expose(token)
        else:
            in_lanes = True
        if in_lanes:
            self.lanes.withdrawn()
        self._refill()

    def take_expired(self, now: float) -> list[Reference]:
        """Take those behind the memory window whose time is over."""
        expired = self._backlog.take_expired(now)
        for reference in expired:
            self._weigh(reference, -1)
        return expired

    def next_expiry(self) -> float:
        """When the next one behind the memory window expires; inf for never."""
        return self._backlog.next_expiry()

    def settle(self, reference: Reference) -> None:
        """One that was in hand is settled: its group may go on."""
        if reference.message.terms.group is not None and self.groups is not None:
            self._expose(self.groups.settle(reference))

    def clear(self) -> int:
        """Let go of all of them; how many there were."""
        cleared = self._clear_memory()
        for reference in cleared:
            reference.state = State.GONE
            reference.message.references -= 1
        self.bytes = 0
        return len(cleared) + self._backlog.purge()

    # The memory window

    def _in_memory(self) -> int:
        return len(self.lanes) + (len(self.groups) if self.groups else 0)

    def _clear_memory(self) -> list[Reference]:
        """Take all that stand in memory, in order of delivery."""
        grouped = [] if self.groups is None else self.groups.clear()
        return list(merge(self.lanes.clear(), sorted(grouped)))

    def _belongs_behind(self, reference: Reference) -> bool:
        first = None if self._window is None else self._backlog.first()
        return first is not None and first < reference

    def _pop(self) -> Reference | None:
        first = self.lanes.pop()
        if self._window is not None and self._refill() and first is None:
            first = self.lanes.pop()
        return first

    def _refill(self) -> int:
        """Fetch from the backlog when half of the window is free."""
        if self._window is None or not len(self._backlog) or self._in_memory() * 2 > self._window:
            return 0
        fetched = self._backlog.take(self._window - self._in_memory())
        for reference in fetched:
            self._timers.step_forward(reference)
            self._stand(reference)
        return len(fetched)

    def _spill(self) -> None:
        """Memory fills to twice the window; then the last go behind it, all at once."""
        if self._window is None or self._in_memory() <= self._window * 2:
            return
        ready = self._clear_memory()
        self._put_behind(ready[self._window :])
        for reference in ready[: self._window]:
            self._stand(reference)

    def _put_behind(self, references: list[Reference]) -> None:
        for reference in references:
            self._timers.step_behind(reference)
        self._backlog.put(references)

    # Groups and weight

    def _stand(self, reference: Reference) -> None:
        if reference.message.terms.group is None:
            self.lanes.put_back(reference)
        else:
            self._admit(reference)

    def _admit(self, reference: Reference) -> None:
        if self.groups is None:
            self.groups = Groups()
        reference.noted()
        if self.groups.arrive(reference):
            self.lanes.put_back(reference)

    def _expose(self, token: Reference | None) -> None:
        if token is not None:
            self.lanes.put_back(token)

    def _weigh(self, reference: Reference, sign: int) -> None:
        if self.weighed:
            self.bytes += sign * len(reference.message.body)
