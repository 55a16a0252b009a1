"""The port of the keeper: what a stored backlog asks of the broker that writes the batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from penstock.store.batch import Batch
    from penstock.store.rows import Found
    from penstock.wiring.message import Message
    from penstock.wiring.reference import Reference

__all__ = ["Keeper"]


class Keeper(Protocol):
    """Who gathers batches and knows what messages look like."""

    @property
    def batch(self) -> Batch:
        """The batch being gathered."""
        ...

    def keep(self, queue: int, reference: Reference) -> None:
        """See to it that it has its row in the batch being gathered, or in one before.

        One that is to survive has its row already; another one gets a row that is OVERFLOWED.
        """
        ...

    def load(self, found: Found) -> Message:
        """The message a row tells of, made anew."""
        ...
