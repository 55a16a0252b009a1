"""Tally: what a queue counts about itself, at next to no cost a message.

Counts grow a batch at a time. When a message came is not written down with it: the queue marks now
and then which sequence it has reached, and a message's sequence tells between which marks it came. How long
messages are in consumers' hands is told by a few of them, four a second at most: others have no note of it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final

from penstock.wiring.reference import State

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock.wiring.death import Reason
    from penstock.wiring.reference import Reference

__all__ = ["HANDLINGS", "WAITS", "Tally"]

HELD = State.HELD

#: Seconds; how long a message waited is counted under the first of these it did not exceed.
WAITS: Final = (0.01, 0.1, 1.0, 10.0, 60.0, 600.0, 3600.0, 86_400.0)
#: Seconds; the same for how long one was in a consumer's hands.
HANDLINGS: Final = (0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0, 600.0, 3600.0)
#: Seconds from one message that is looked at so closely to the next.
SAMPLE_APART: Final = 0.25
#: Seconds from one mark to the next, and so what an arrival may be off by.
APART: Final = 0.01
#: Marks kept; when there are more, those go that are closer together than this part of their age.
MOST: Final = 1024
CLOSE: Final = 1 / 32


class Tally:
    """Counts since the queue was made or came back, and when its sequences came."""

    __slots__ = (
        "_sequences",
        "_times",
        "acked",
        "began",
        "deaths",
        "delivered",
        "ended",
        "handled_in",
        "handlings",
        "lapsed",
        "mark_at",
        "returned",
        "sample_at",
        "waited_in",
        "waits",
    )

    def __init__(self) -> None:
        #: The sequence before the first that is counted.
        self.began = 0
        self.delivered = 0
        self.acked = 0
        #: Times one came back from a consumer's hands.
        self.returned = 0
        #: Times one came back because its lease ran out.
        self.lapsed = 0
        self.deaths: dict[Reason, int] = {}
        #: How many waited how long: for each of WAITS, then for longer than all of them.
        self.waits = [0] * (len(WAITS) + 1)
        #: Seconds that all of them waited together, about.
        self.waited_in = 0.0
        #: How many of those that were looked at were in hand how long: as for waits; and all together.
        self.handlings = [0] * (len(HANDLINGS) + 1)
        self.handled_in = 0.0
        #: When those were handed out that have left their consumers' hands, and are not counted yet.
        self.ended: list[float] = []
        #: When the next is to be looked at.
        self.sample_at = 0.0
        #: When the next mark is worth while.
        self.mark_at = 0.0
        self._sequences: list[int] = []
        self._times: list[float] = []

    def __repr__(self) -> str:
        return f"<Tally: {self.delivered} delivered, {self.acked} acked, {self.returned} returned>"

    def mark(self, sequence: int, now: float) -> None:
        """Everything up to this sequence has come by now."""
        self.mark_at = now + APART
        if self._sequences and self._sequences[-1] >= sequence:
            return
        self._sequences.append(sequence)
        self._times.append(now)
        if len(self._times) > MOST:
            self._thin_out(now)

    def came_at(self, sequence: int, now: float) -> float:
        """When that sequence came; what came after the last mark came now."""
        at = bisect_left(self._sequences, sequence)
        return self._times[at] if at < len(self._times) else now

    def eras(self, first: int, last: int, now: float, apart: float) -> Iterator[tuple[int, int, float]]:
        """These sequences piece by piece: those that came within a time so short, and when it began."""
        sequences, times = self._sequences, self._times
        while first <= last:
            at = self.came_at(first, now)
            end = bisect_right(times, at + apart)
            # What came after the last mark came now.
            until = last if end == len(times) and now <= at + apart else sequences[end - 1]
            yield first, min(until, last), at
            first = until + 1

    def hand_out(self, references: Sequence[Reference], now: float) -> None:
        """These go to a consumer, in about the order they came."""
        self.delivered += len(references)
        if now >= self.sample_at:
            self._sample(references, now)
        if not self._sequences or references[0].sequence > self._sequences[-1]:
            self.waits[0] += len(references)
            return
        longest = now - self.came_at(references[0].sequence, now)
        first = bisect_left(WAITS, longest)
        if len(references) == 1:
            self.waits[first] += 1
            self.waited_in += longest
            return
        shortest = now - self.came_at(references[-1].sequence, now)
        self.waited_in += (longest + shortest) / 2 * len(references)
        if first == bisect_left(WAITS, shortest):
            self.waits[first] += len(references)
            return
        for reference in references:
            self.waits[self._wait(reference, now)] += 1

    def hand_out_run(self, first: int, last: int, now: float) -> None:
        """The same for all of these sequences."""
        self.delivered += last - first + 1
        for start, end, came_at in self.eras(first, last, now, 0.0):
            self.waits[bisect_left(WAITS, now - came_at)] += end - start + 1
            self.waited_in += (now - came_at) * (end - start + 1)

    def count_handlings(self, now: float) -> None:
        """Those that were looked at have left their consumers' hands by now."""
        for handed_at in self.ended:
            self.handlings[bisect_left(HANDLINGS, now - handed_at)] += 1
            self.handled_in += now - handed_at
        self.ended.clear()

    def die(self, reason: Reason) -> None:
        """One died."""
        self.deaths[reason] = self.deaths.get(reason, 0) + 1

    def _thin_out(self, now: float) -> None:
        times, kept = self._times, [0]
        for at in range(1, len(times) - 1):
            # What came between the one kept last and this would be taken to have come with the next.
            if times[at + 1] - times[kept[-1]] > (now - times[at + 1]) * CLOSE:
                kept.append(at)
        kept.append(len(times) - 1)
        self._sequences = [self._sequences[at] for at in kept]
        self._times = [times[at] for at in kept]

    def _sample(self, references: Sequence[Reference], now: float) -> None:
        """Note of one of them when it was handed out; which one is chance enough."""
        self.sample_at = now + SAMPLE_APART
        reference = references[references[0].sequence % len(references)]
        if reference.state is HELD:
            reference.noted().handed_at = now

    def _wait(self, reference: Reference, now: float) -> int:
        return bisect_left(WAITS, now - self.came_at(reference.sequence, now))
