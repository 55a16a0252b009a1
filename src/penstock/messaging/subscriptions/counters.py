"""What a subscription counts: cheap enough for every message, enough for a panel and an alert."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Counters"]


@dataclass(slots=True)
class Counters:
    """How often things happened since the start, and how long they took in all."""

    handled: int = 0
    #: Every failure is also one of retried, forwarded, dead, rejected, redelivered and dropped.
    failed: int = 0
    retried: int = 0
    forwarded: int = 0
    dead: int = 0
    rejected: int = 0
    redelivered: int = 0
    dropped: int = 0
    #: Failures because of the time limit.
    timed_out: int = 0
    #: How often the queue paused.
    paused: int = 0
    #: Messages given back unhandled when the subscription stopped or paused.
    returned: int = 0
    #: Seconds between arrival and handler, and in the handler.
    waited_s: float = 0.0
    handled_s: float = 0.0
    longest_wait_s: float = 0.0
    longest_handling_s: float = 0.0

    def took(self, waited_s: float, handled_s: float) -> None:
        """A handler is done, well or not, with what has waited so long for it."""
        self.waited_s += waited_s
        self.handled_s += handled_s
        # A call of max() costs more than all the rest of this.
        if waited_s > self.longest_wait_s:  # noqa: PLR1730
            self.longest_wait_s = waited_s
        if handled_s > self.longest_handling_s:  # noqa: PLR1730
            self.longest_handling_s = handled_s
