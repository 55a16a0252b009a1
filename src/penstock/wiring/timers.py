"""Timers: what has to happen in one queue at a time: delays, expiries and leases.

A reference's notes hold its times; an entry here that they no longer agree with is void.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from penstock.wiring.reference import State
from penstock.wiring.schedule import Schedule

if TYPE_CHECKING:
    from penstock.wiring.reference import Reference

__all__ = ["Timers"]

#: What the backlog keeps it also expires, and what a reader has taken lives for ever.
ELSEWHERE: Final = (State.GONE, State.BEHIND, State.TAKEN)


def _is_due(at: float, reference: Reference) -> bool:
    notes = reference.notes
    return notes is not None and reference.state is State.DELAYED and notes.due_at == at


def _expires(at: float, reference: Reference) -> bool:
    notes = reference.notes
    return notes is not None and reference.state not in ELSEWHERE and notes.expires_at == at


def _lapses(at: float, reference: Reference) -> bool:
    notes = reference.notes
    return notes is not None and reference.state is State.HELD and notes.lease_at == at


class Timers:
    """The three schedules of a queue."""

    __slots__ = ("delayed", "expiring", "is_leasing", "lease_in", "leases")

    def __init__(self, lease_in: float | None) -> None:
        self.delayed: Schedule[Reference] = Schedule(_is_due)
        self.expiring: Schedule[Reference] = Schedule(_expires)
        self.leases: Schedule[Reference] = Schedule(_lapses)
        self.lease_in = lease_in
        #: Whether anything here is handed out on a lease: the queue's own, or that of a message seen before.
        self.is_leasing = lease_in is not None

    def see(self, reference: Reference) -> None:
        """One has come whose message may have a lease of its own."""
        if reference.message.terms.lease_in is not None:
            self.is_leasing = True

    def delay(self, reference: Reference, due_at: float) -> None:
        """It is not ready before then."""
        reference.state = State.DELAYED
        notes = reference.noted()
        notes.due_at = due_at
        notes.aside = True
        self.delayed.add(due_at, reference)

    def expire(self, reference: Reference, expires_at: float) -> None:
        """It dies then, unless it is in somebody's hands."""
        reference.noted().expires_at = expires_at
        self.expiring.add(expires_at, reference)

    def lease(self, reference: Reference, tag: int, now: float, otherwise: float | None = None) -> None:
        """It is held under a tag as long as a lease allows from now: its own, the queue's, or else this."""
        lease_in = reference.message.terms.lease_in
        if lease_in is None:
            lease_in = otherwise if self.lease_in is None else self.lease_in
        if lease_in is None:
            return
        self.leave_hand(reference)
        notes = reference.noted()
        notes.tag = tag
        notes.lease_at = now + lease_in
        self.leases.add(notes.lease_at, reference)

    def leave_hand(self, reference: Reference) -> None:
        """It is no longer held: its lease is void."""
        if reference.notes is not None and reference.notes.lease_at != inf:
            reference.notes.lease_at = inf
            self.leases.drop()

    def leave(self, reference: Reference) -> None:
        """It has left the queue for good: its times are void."""
        self.leave_hand(reference)
        if reference.notes is not None and reference.notes.expires_at != inf:
            self.expiring.drop()

    def step_behind(self, reference: Reference) -> None:
        """The backlog keeps it from now on, and its time to live."""
        reference.state = State.BEHIND
        if reference.expires_at != inf:
            self.expiring.drop()

    def step_forward(self, reference: Reference) -> None:
        """It comes from the backlog into memory."""
        reference.state = State.READY
        self.see(reference)
        if reference.expires_at != inf:
            self.expiring.add(reference.expires_at, reference)

    def step_out(self, reference: Reference) -> None:
        """A reader has taken it: its time to live stands still."""
        if reference.expires_at != inf:
            self.expiring.drop()

    def next_at(self) -> float:
        """When the next of all these is due; inf for never."""
        return min(self.delayed.next_at(), self.expiring.next_at(), self.leases.next_at())
