"""Stopping in good order: what signals ask of a command, until all that it has opened is closed.

Afterwards they mean what they meant before: whoever calls a command inside a program of its own gets its
Ctrl-C back. For commands without an event loop; a loop has its own way.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["ASKING", "stopping"]

#: Ctrl-C, and what supervisors send.
ASKING: Final = (signal.SIGINT, signal.SIGTERM)

#: Says what signals are to call from now on.
OnSignals: TypeAlias = "Callable[[Callable[[], object]], None]"


@contextmanager
def stopping(*numbers: signal.Signals) -> Iterator[OnSignals]:
    """Have these signals call what is said in the block, to its end: one that comes twice hurts nobody.

    Only the main thread may.
    """
    before = {number: signal.getsignal(number) for number in numbers}

    def call(stop: Callable[[], object]) -> None:
        for number in numbers:
            signal.signal(number, lambda *_: stop())

    try:
        yield call
    finally:
        for number, handler in before.items():
            # One that is not Python's own cannot be given back.
            if handler is not None:
                signal.signal(number, handler)
