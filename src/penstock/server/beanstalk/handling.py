"""Handling: what clients did to a job beside reserving it. It stands in the job's notes, and in the store."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from penstock.wiring import Reference

__all__ = ["Handling"]

#: Never changes its meaning.
_FORM: Final = struct.Struct(">IIII")


class Handling(NamedTuple):
    """How often a job was released, buried and kicked; seconds of its last delay."""

    releases: int = 0
    buries: int = 0
    kicks: int = 0
    delay: int = 0

    @classmethod
    def of(cls, reference: Reference) -> Handling:
        """What was noted of a job."""
        notes = reference.notes
        return cls() if notes is None or notes.remarks is None else cls(*_FORM.unpack(notes.remarks))

    def note(self, reference: Reference) -> None:
        """Have a job remember it. Call this before what is done, with which it is written down."""
        reference.noted().remarks = _FORM.pack(*self)
