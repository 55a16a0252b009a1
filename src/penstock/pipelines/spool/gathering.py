"""Gathering: runs that come one by one, handed on many at a time.

A lot becomes a block, which has its price for who writes it and for all who read it, and each hand-over wakes
another thread: measured at full speed, that cost more than what was handed over. So in a flood a lot is
gathered where messages come in. Few messages are handed on at once, and so are the last of a flood, if
somebody knows that they are. On one event loop; no threads here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Sequence

__all__ = ["Gathering", "Several"]

#: Messages, and bytes, that are enough.
AT_ONCE: Final = 2_000
LOT_SIZE: Final = 32 * 1024 * 1024
#: Messages that come together in a flood, and the seconds that more are then waited for.
FLOOD: Final = 100
MORE_IN: Final = 0.1


class Several(Protocol):
    """Messages that came together; `penstock.client.Run` is one."""

    @property
    def frames(self) -> Sequence[bytes]:
        """Content header and body frames of each."""

    def __len__(self) -> int:
        """How many."""


Run = TypeVar("Run", bound=Several)


class Gathering(Generic[Run]):
    """What has come and was not handed on."""

    def __init__(self, loop: asyncio.AbstractEventLoop, hand_on: Callable[[list[Run], int], None]) -> None:
        """`hand_on` is given runs, and their bytes."""
        self._loop = loop
        self._hand_on = hand_on
        self._runs: list[Run] = []
        self._count = 0
        self._size = 0
        self._timer: asyncio.Handle | None = None

    def __repr__(self) -> str:
        return f"<Gathering {self._count} messages of {self._size} bytes>"

    def add(self, runs: list[Run]) -> None:
        """They have come."""
        self._runs += runs
        for run in runs:
            self._count += len(run)
            self._size += sum(map(len, run.frames))
        if self._count >= AT_ONCE or self._size >= LOT_SIZE:
            self._end()
        elif self._timer is None:
            # Few may be the first of many: the rest of a read is added in the same turn.
            self._timer = self._loop.call_soon(self._look)

    def end(self) -> None:
        """No more are to come: what there is is handed on."""
        if self._runs:
            self._end()

    def _look(self) -> None:
        """The read is over: few are handed on, and more are waited for in a flood."""
        if self._count < FLOOD:
            self._end()
        else:
            self._timer = self._loop.call_later(MORE_IN, self._end)

    def _end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        runs, self._runs = self._runs, []
        size, self._count, self._size = self._size, 0, 0
        self._hand_on(runs, size)
