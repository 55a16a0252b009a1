"""Returning: how references come back into their queue, from a consumer's hands or from being put aside.

What was put aside stays so over a restart, and is restored here too.
"""

from __future__ import annotations

from itertools import islice
from math import inf
from typing import TYPE_CHECKING

from penstock.wiring.death import Reason
from penstock.wiring.reference import State
from penstock.wiring.stock import Stock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.wiring.reference import Reference

__all__ = ["Returning"]


class Returning(Stock):
    """A stock to which what left can come back."""

    # From hand

    def take_back(
        self,
        reference: Reference,
        now: float,
        *,
        failed: bool = False,
        error: str | None = None,
        delay_in: float = 0.0,
        priority: int | None = None,
    ) -> None:
        """A reference that was in hand returns to its place, or later, unless its time is over."""
        notes = reference.noted()
        limit = self.template.delivery_limit
        if failed:
            notes.failed += 1
            notes.error = error
        if self.destroyed:
            self.vanish(reference)
        elif limit is not None and notes.failed > limit:
            self.die(reference, Reason.TOO_MANY_DELIVERIES, notes.error)
        elif notes.expires_at <= now:
            self.die(reference, Reason.EXPIRED)
        else:
            notes.redelivered += 1
            self.tally.returned += 1
            self._return(reference, now, delay_in, priority)

    # Aside

    def bury(self, reference: Reference, *, priority: int | None = None, error: str | None = None) -> None:
        """Put a reference that was in hand aside until somebody kicks it."""
        notes = reference.noted()
        notes.error = error
        if self.destroyed:
            self.vanish(reference)
            return
        if priority is not None:
            notes.priority = max(priority, self.template.most_urgent)
        notes.aside = True
        reference.state = State.BURIED
        self.buried[reference.sequence] = reference
        self.note_changed(reference)
        if notes.expires_at != inf:
            # Its time may have come while it was in hand.
            self.timers.expire(reference, notes.expires_at)
            self.set_alarm()

    def kick(self, now: float, limit: int = 1) -> int:
        """Make up to so many buried ones ready, or delayed ones if none is buried; how many."""
        source: Iterable[Reference] = self.buried.values() or self.timers.delayed
        kicked = list(islice(source, limit))
        for reference in kicked:
            self.kick_one(reference, now)
        return len(kicked)

    def kick_one(self, reference: Reference, now: float) -> None:
        """Make one that is buried or delayed ready."""
        self.lift(reference)
        self._return(reference, now, 0.0, None)

    def end_delays(self, now: float) -> None:
        """Make ready what is due."""
        for reference in self.timers.delayed.due(now):
            self._return(reference, now, 0.0, None)

    def _return(self, reference: Reference, now: float, delay_in: float, priority: int | None) -> None:
        if priority is not None:
            notes = reference.noted()
            notes.priority = max(priority, self.template.most_urgent)
            notes.aside = notes.aside or notes.priority != notes.home
        if delay_in > 0:
            self.timers.delay(reference, now + delay_in)
            self.set_alarm()
        else:
            reference.state = State.READY
            if reference.notes is not None:
                # Whatever it was to wait for, it does not wait for it again after a restart.
                reference.notes.due_at = 0.0
            self.waiting.put_back(reference)
        self.note_changed(reference)
        self.touch()

    # After a restart

    def resume(self, last_sequence: int, size: int) -> None:
        """Its backlog holds what was here before a restart: go on after that."""
        self.sequence = self.tally.began = last_sequence
        self.waiting.bytes = size
        self.set_alarm()
        self.touch()

    def restore(self, reference: Reference, *, buried: bool) -> None:
        """One that stood aside stands there again; what was due in the meantime is due now."""
        notes = reference.noted()
        self.timers.see(reference)
        if notes.expires_at != inf:
            self.timers.expire(reference, notes.expires_at)
        if buried:
            notes.aside = True
            reference.state = State.BURIED
            self.buried[reference.sequence] = reference
        else:
            self.timers.delay(reference, notes.due_at)
        self.set_alarm()
