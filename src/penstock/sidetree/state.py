"""What is known of a DID after some of its operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from penstock.sidetree.anchored import Anchored
    from penstock.sidetree.patches.action import Document

__all__ = ["Note", "State"]


class Note(Struct, frozen=True, gc=False):
    """Why an operation changed nothing, or less than it might have."""

    type: str
    reference: str
    reason: str


class State(Struct, frozen=True, kw_only=True, gc=False):
    """A DID at some moment. Each operation that counts makes the next one."""

    suffix: str
    document: Document
    recovery_commitment: str | None
    update_commitment: str | None = None
    deactivated: bool = False
    #: Times of anchoring.
    created: int
    updated: int | None = None
    #: The reference of the last operation that counted.
    version: str
    #: The reference of the last create or recover: the DID's canonical form has it.
    reference: str
    equivalents: tuple[str, ...] = ()
    anchor_origin: Any = None
    #: All operations that were looked at, in order.
    operations: tuple[Anchored, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def published(self) -> bool:
        """Whether the create, or a recover since, is anchored."""
        return bool(self.reference)
