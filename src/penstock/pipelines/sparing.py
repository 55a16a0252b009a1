"""Sparing executors the search for rubbish: much of theirs stays, and a batch comes and goes as a whole."""

from __future__ import annotations

import gc
from typing import Final

__all__ = ["spare_collections"]

#: Objects that are made before anybody looks for those that only hold each other; Python's own number is 700.
OBJECTS: Final = 500_000
#: Tasks at whose beginning all that is there is taken for what stays. No more of them: of what there is
#: later, some belongs to a task, and would never go.
FREEZES: Final = 2

_freezes = iter(range(FREEZES))


def spare_collections() -> None:
    """Have this process look for rubbish less often; for executors, which do little else.

    A batch of ten thousand DID operations is half a million small objects that come and go together: to look
    through them for circles again and again takes a quarter of the time, and finds none. And after every task
    Spark has its worker look through all that was ever imported: half of the time in which a range of a queue
    is read. What is there at the first task stays, and is looked at no more; nor is what that task has
    imported, which is there at the second: without it a worker had a fifth more to do.
    """
    if next(_freezes, None) is not None:
        gc.freeze()
        gc.set_threshold(OBJECTS)
