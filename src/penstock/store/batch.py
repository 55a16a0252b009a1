"""Batch: what one transaction writes.

The broker gathers it on its loop while the batch before is being written, then hands it to the
writer and gathers the next: it belongs to one thread at a time. Plain lists of plain tuples, as a
named query takes them: nothing is done for each message but an append.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.store.rows import (
        Change,
        Definition,
        FullMessage,
        FullReference,
        Move,
        PlainMessage,
        PlainReference,
        Removal,
        Span,
        Taking,
    )

__all__ = ["Batch"]


@dataclass(slots=True)
class Batch:
    """Everything to be written together, in the order of the lists below.

    So what is added here may be changed here, and what is changed may be removed under its new
    priority. A reference added and removed in the same batch is best left out of both.
    """

    #: One more than the batch before.
    number: int
    plain_messages: list[PlainMessage] = field(default_factory=list)
    messages: list[FullMessage] = field(default_factory=list)
    plain_references: list[PlainReference] = field(default_factory=list)
    references: list[FullReference] = field(default_factory=list)
    #: From readers back to their queues.
    given_back: list[Move] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    #: From queues to readers, and under which positions.
    moved: list[Move] = field(default_factory=list)
    taken: list[Taking] = field(default_factory=list)
    removals: list[Removal] = field(default_factory=list)
    #: Purged; the rows are void at once, and taken away by `tidy`.
    cleared: list[Span] = field(default_factory=list)
    #: reader, position: what was taken up to there is forgotten; its rows are cleared beside it.
    committed: list[tuple[int, int]] = field(default_factory=list)
    #: Queues and readers destroyed, with all that is in them; the same. A number must not come again in
    #: the same run, nor while `lines` names it.
    dropped: list[int] = field(default_factory=list)
    defined: list[Definition] = field(default_factory=list)
    #: kind, key.
    undefined: list[tuple[str, str]] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Whether there is anything to write."""
        # Asked once a turn: by name it took a tenth of a request's whole way through the broker.
        return bool(
            self.plain_messages
            or self.messages
            or self.plain_references
            or self.references
            or self.given_back
            or self.changes
            or self.moved
            or self.taken
            or self.removals
            or self.cleared
            or self.committed
            or self.dropped
            or self.defined
            or self.undefined
        )

    def __repr__(self) -> str:
        counts = ((item.name, getattr(self, item.name)) for item in fields(self) if item.name != "number")
        told = ", ".join(f"{len(rows)} {name}" for name, rows in counts if rows)
        return f"<Batch {self.number}: {told or 'nothing'}>"
