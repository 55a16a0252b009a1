"""Gathers messages for a batch handler: until there are enough, or the first has waited long enough.

Messages that have failed before are gathered apart, as Orb does with operations: what is known to be bad
fails together and does not take the good ones along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.clock import Alarm, Clock
    from penstock.messaging.port import Received
    from penstock.messaging.subscriptions.consumer import Batching

    Batch = tuple[float, list[Received]]

__all__ = ["Gathering"]


class Gathering:
    """Two heaps, of the fresh and of the tried. A batch is when its first message came, and its messages."""

    def __init__(self, batching: Batching, clock: Clock, full: Callable[[list[Batch]], None]) -> None:
        """`full` is given what is ready."""
        self._size = batching.size
        self._wait = batching.wait
        self._clock = clock
        self._full = full
        #: By whether they were tried before.
        self._heaps: dict[bool, list[Received]] = {False: [], True: []}
        self._began: dict[bool, float] = {}
        self._alarms: dict[bool, Alarm] = {}

    def __repr__(self) -> str:
        return f"<Gathering {len(self._heaps[False])} fresh, {len(self._heaps[True])} tried>"

    def add(self, received: Iterable[Received]) -> None:
        """These have come."""
        ready: list[Batch] = []
        for each in received:
            kind = each.message.attempts > 0
            heap = self._heaps[kind]
            if not heap:
                self._began[kind] = now = self._clock.now()
                self._alarms[kind] = self._clock.call_at(now + self._wait, self._hand_over, kind)
            heap.append(each)
            if len(heap) >= self._size:
                ready.append(self._take(kind))
        if ready:
            self._full(ready)

    def take_back(self) -> list[Received]:
        """What is in no batch yet; it will be in none."""
        kinds = [kind for kind, heap in self._heaps.items() if heap]
        return [each for kind in kinds for each in self._take(kind)[1]]

    def _hand_over(self, kind: bool) -> None:  # noqa: FBT001  the heap's name
        if self._heaps[kind]:
            self._full([self._take(kind)])

    def _take(self, kind: bool) -> Batch:  # noqa: FBT001  the heap's name
        self._alarms[kind].cancel()
        heap, self._heaps[kind] = self._heaps[kind], []
        return self._began[kind], heap
