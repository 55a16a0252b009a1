"""Drawing: taking many messages off a queue's head at once, for somebody who will not hand them back soon.

The hot path of readers: where nothing special waits, a message costs a look at its size and a step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.wiring.reference import State

if TYPE_CHECKING:
    from penstock.wiring.consumer import Consumer
    from penstock.wiring.queue import Queue
    from penstock.wiring.reference import Reference

__all__ = ["draw"]

TAKEN = State.TAKEN


def draw(queue: Queue, candidate: Consumer, rows: int, size: int, now: float) -> list[Reference]:
    """The first of what is ready: so many at most, and bytes of bodies, but one in any case.

    Args:
        candidate: who is to have the message groups that nobody has; it does not keep them.
    """
    if queue.paused_until > now:
        return []
    drawn = _draw_plain(queue, rows, size)
    if queue.waiting.groups is not None:
        left = size - sum(reference.message.size for reference in drawn)
        drawn += _draw_grouped(queue, candidate, rows - len(drawn), left, anyway=not drawn)
    timers = queue.timers
    for reference in drawn:
        reference.state = TAKEN
        reference.acquired += 1
        if reference.notes is not None:
            timers.step_out(reference)
    if drawn:
        queue.tally.hand_out(drawn, now)
    return drawn


def _draw_plain(queue: Queue, rows: int, size: int) -> list[Reference]:
    waiting = queue.waiting
    drawn: list[Reference] = []
    while len(drawn) < rows and waiting.is_plain():
        fits, size = waiting.lanes.fitting(min(rows - len(drawn), waiting.ahead()), size)
        if not fits:
            return drawn or waiting.take(1)
        drawn += waiting.take(fits)
    return drawn


def _draw_grouped(
    queue: Queue, candidate: Consumer, rows: int, size: int, *, anyway: bool
) -> list[Reference]:
    """One after the other. What is taken is not in hand: others of its group may go to whom they will."""
    waiting = queue.waiting
    drawn: list[Reference] = []
    while len(drawn) < rows and (chosen := waiting.next_for(candidate, shared=False)) is not None:
        reference = chosen[0]
        if reference is None:
            break
        waiting.settle(reference)
        size -= reference.message.size
        if size < 0 and (drawn or not anyway):
            waiting.put_back(reference)
            break
        drawn.append(reference)
    return drawn
