"""Records: a reference of the wiring as rows of the store, and back."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from penstock.store.rows import Standing
from penstock.wiring.reference import Reference, State

if TYPE_CHECKING:
    from penstock.store.rows import Change, Found, FullReference
    from penstock.wiring.message import Message

__all__ = ["as_change", "as_reference", "as_row", "is_plain"]

#: What has left its line for good stands beside it, due since ever.
STANDINGS: Final = {State.DELAYED: Standing.DELAYED, State.BURIED: Standing.BURIED}


def is_plain(reference: Reference) -> bool:
    """Whether a plain row says all there is to say about it."""
    return reference.notes is None and not reference.acquired and reference.state not in STANDINGS


def as_row(queue: int, message: int, reference: Reference, standing: Standing | None = None) -> FullReference:
    """The row of a newcomer; how it stands follows from its state if it is not said."""
    due_at, expires_at, error, remarks = _noted(reference)
    return (
        queue,
        reference.priority,
        reference.sequence,
        message,
        STANDINGS.get(reference.state, Standing.READY) if standing is None else standing,
        due_at,
        expires_at,
        reference.acquired,
        reference.failed,
        reference.redelivered,
        error,
        remarks,
    )


def as_change(queue: int, priority: int, reference: Reference, standing: Standing) -> Change:
    """What became of one that is stored under this priority."""
    due_at, expires_at, error, remarks = _noted(reference)
    return (
        reference.priority,
        standing,
        due_at,
        expires_at,
        reference.acquired,
        reference.failed,
        reference.redelivered,
        error,
        remarks,
        queue,
        priority,
        reference.sequence,
    )


def as_reference(found: Found, message: Message) -> Reference:
    """The reference a row tells of; the message, read from the same row, counts it."""
    reference = Reference(message, found.sequence)
    message.references += 1
    reference.acquired = found.acquired
    if _is_notable(found) or found.priority != message.terms.priority:
        notes = reference.noted(found.priority)
        notes.failed = found.failed
        notes.redelivered = found.redelivered
        notes.due_at = found.due_at
        notes.expires_at = inf if found.expires_at is None else found.expires_at
        notes.error = found.error
        notes.remarks = found.remarks
    return reference


def _is_notable(found: Found) -> bool:
    counted = found.failed or found.redelivered or found.due_at
    told = (found.expires_at, found.error, found.remarks)
    return bool(counted) or any(each is not None for each in told)


def _noted(reference: Reference) -> tuple[float, float | None, str | None, bytes | None]:
    """When it is due, when it expires, what is said of it."""
    notes = reference.notes
    if notes is None:
        return 0.0, None, None, None
    expires_at = None if notes.expires_at == inf else notes.expires_at
    return notes.due_at, expires_at, notes.error, notes.remarks
