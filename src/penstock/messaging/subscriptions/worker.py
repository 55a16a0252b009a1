"""One of a pool's workers: what it is doing, since when and until when. pool.py makes it work."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from penstock.errors import TimeLimitExceeded

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

__all__ = ["Worker"]


class Worker:
    """A task that does one job after another."""

    __slots__ = (
        "_time_limit",
        "_watch",
        "busy_since",
        "deadline",
        "is_over_time",
        "job",
        "leftover",
        "nap",
        "stuck_since",
        "task",
    )

    def __init__(self, time_limit: float = inf, watch: Callable[[float], None] | None = None) -> None:
        """`watch` is told of every deadline."""
        self._time_limit = time_limit
        self._watch = watch
        self.task: asyncio.Task[None] | None = None
        #: What it waits for while there is nothing to do.
        self.nap: asyncio.Future[None] | None = None
        #: Since when it is at its job; infinite while it has none.
        self.busy_since = inf
        #: What it is at; None while it has nothing.
        self.job: Any = None
        #: When the handler must be done; infinite while none runs.
        self.deadline = inf
        self.is_over_time = False
        #: A thread that could not be stopped when its time was over.
        self.leftover: asyncio.Future[object] | None = None
        #: Since when that thread is at its job; infinite if there is none.
        self.stuck_since = inf

    def __repr__(self) -> str:
        if self.stuck_since != inf:
            return f"<Worker stuck since {self.stuck_since:.3f}>"
        doing = "idle" if self.busy_since == inf else f"busy since {self.busy_since:.3f}"
        return f"<Worker {doing}>"

    @property
    def held_since(self) -> float:
        """Since when a job, or what is left of one, keeps it from all others; infinite if it is free."""
        return min(self.busy_since, self.stuck_since)

    def limit(self, now: float) -> None:
        """A handler begins now."""
        if self._time_limit != inf:
            self.deadline = now + self._time_limit
            if self._watch is not None:
                self._watch(self.deadline)

    def limit_to(self, deadline: float) -> None:
        """The handler that has begun must be done by then, whatever others may take."""
        self.deadline = deadline
        if self._watch is not None:
            self._watch(deadline)

    def extend(self, deadline: float) -> None:
        """The handler may take until then; nobody's time is cut short by this."""
        self.deadline = max(self.deadline, deadline)

    def expire(self) -> None:
        """The time is over: the handler is interrupted where it waits."""
        self.deadline = inf
        self.is_over_time = True
        if self.task is not None:
            self.task.cancel()

    def is_interrupted(self) -> bool:
        """Whether the cancellation that was just caught was for the time limit, and nothing else.

        Call it once, when the handler is over, however it ended: what is done about it has no limit.
        """
        self.deadline = inf
        if not self.is_over_time or self.task is None:
            return False
        self.is_over_time = False
        return self.task.uncancel() == 0

    def time_limit_error(self, now: float) -> TimeLimitExceeded:
        """The error of a handler that was interrupted."""
        return TimeLimitExceeded(f"the handler was stopped after {now - self.busy_since:.3f} s")
