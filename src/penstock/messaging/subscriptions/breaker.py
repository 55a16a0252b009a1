"""The breaker of a queue: pauses it when its dependency is down, and probes with one message to resume.

Pure: it is told what happened and when, and says what state that makes. Only errors known as transient count:
a poison message says nothing about the database.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from penstock.errors import MessagingError

__all__ = ["Breaker", "BreakerState", "Pausing"]


class BreakerState(Enum):
    """What a queue does."""

    #: It takes messages.
    RUNNING = "running"
    #: It takes none.
    PAUSED = "paused"
    #: One message is being tried.
    PROBING = "probing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pausing:
    """When a queue pauses, and how long until it probes."""

    #: Transient failures in a row.
    after: int = 5
    #: Seconds until the first probe; each that fails makes the next wait longer.
    probe_after: float = 1.0
    multiplier: float = 2.0
    #: Seconds.
    cap: float = 60.0
    #: Of the transient errors, those that it pauses for. Where the handlers have several dependencies, one of
    #: which all of them need, the others' errors say nothing about the queue.
    on: tuple[type[BaseException], ...] = (BaseException,)

    def __post_init__(self) -> None:
        if self.after < 1 or self.probe_after <= 0 or self.multiplier < 1 or self.cap < self.probe_after:
            raise MessagingError(f"a queue cannot pause like that: {self}")


class Breaker:
    """The state of one queue's pausing."""

    __slots__ = ("_failures", "_pausing", "_probes", "state")

    def __init__(self, pausing: Pausing) -> None:
        self._pausing = pausing
        self._failures = 0
        #: How many probes have failed since it paused.
        self._probes = 0
        self.state = BreakerState.RUNNING

    def __repr__(self) -> str:
        return f"<Breaker {self.state.value}, {self._failures} of {self._pausing.after} failures>"

    def worked(self) -> bool:
        """A message was handled; whether that resumes the queue."""
        self._failures = 0
        if self.state is not BreakerState.PROBING:
            return False
        self._probes = 0
        self.state = BreakerState.RUNNING
        return True

    def failed(self) -> bool:
        """A transient failure; whether that pauses the queue."""
        self._failures += 1
        if self.state is BreakerState.PROBING:
            self._probes += 1
            self.state = BreakerState.PAUSED
            return True
        if self.state is BreakerState.PAUSED or self._failures < self._pausing.after:
            return False
        self.state = BreakerState.PAUSED
        return True

    def probe(self) -> None:
        """One message is to be tried."""
        self.state = BreakerState.PROBING

    @property
    def wait(self) -> float:
        """Seconds from the pause to the next probe."""
        pausing = self._pausing
        try:
            return float(min(pausing.probe_after * pausing.multiplier**self._probes, pausing.cap))
        except OverflowError:
            return pausing.cap
