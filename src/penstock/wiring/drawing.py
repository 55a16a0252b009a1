"""Drawing: taking many messages off a queue's head at once, for somebody who will not hand them back soon.

The hot path of readers: where nothing special waits, a message costs a look at its size and a step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from penstock.wiring.reference import State
from penstock.wiring.stretch import Run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.wiring.consumer import Consumer
    from penstock.wiring.queue import Queue
    from penstock.wiring.reference import Reference

__all__ = ["Drawn", "draw"]

TAKEN = State.TAKEN

#: Messages that stood in memory, or a run that stays in the store.
Drawn: TypeAlias = "list[Reference] | Run"


def draw(queue: Queue, candidate: Consumer, rows: int, size: int, now: float) -> Iterator[Drawn]:
    """The first of what is ready: so many at most, and bytes of bodies, but one in any case.

    Piece by piece: whoever asks may let others have their turn in between.

    Args:
        candidate: who is to have the message groups that nobody has; it does not keep them.
    """
    if queue.paused_until > now:
        return
    anyway = True
    while rows > 0:
        piece, left = _next(queue, candidate, rows, size, anyway=anyway)
        if not piece:
            return
        anyway = False
        if isinstance(piece, Run):
            queue.tally.hand_out_run(piece.sequence, piece.last, now)
            rows -= piece.length
        else:
            _hand_out(queue, piece, now)
            rows -= len(piece)
        size = left
        yield piece


def _next(queue: Queue, candidate: Consumer, rows: int, size: int, *, anyway: bool) -> tuple[Drawn, int]:
    """What comes next, and how many bytes may follow it; empty if nothing does."""
    waiting = queue.waiting
    if (run := waiting.take_run(rows, size)) is not None:
        return run, size - run.size
    if not waiting.is_plain():
        return _draw_grouped(queue, candidate, rows, size, anyway=anyway)
    fits, left = waiting.lanes.fitting(min(rows, waiting.ahead()), size)
    if fits or not anyway:
        return waiting.take(fits), left
    # The first is too large, and comes all the same, alone; or there is none.
    return waiting.take(1), -1


def _hand_out(queue: Queue, references: list[Reference], now: float) -> None:
    timers = queue.timers
    for reference in references:
        reference.state = TAKEN
        reference.acquired += 1
        if reference.notes is not None:
            timers.step_out(reference)
    queue.tally.hand_out(references, now)


def _draw_grouped(
    queue: Queue, candidate: Consumer, rows: int, size: int, *, anyway: bool
) -> tuple[list[Reference], int]:
    """One after the other. What is taken is not in hand: others of its group may go to whom they will."""
    waiting = queue.waiting
    drawn: list[Reference] = []
    while len(drawn) < rows and (chosen := waiting.next_for(candidate, shared=False)) is not None:
        reference = chosen[0]
        if reference is None:
            break
        waiting.settle(reference)
        left = size - reference.message.size
        if left < 0 and (drawn or not anyway):
            waiting.put_back(reference)
            break
        drawn.append(reference)
        size = left
    return drawn, size
