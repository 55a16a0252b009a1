"""What an anchor is about: a batch of operations, by its core index file and by the DIDs in it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Payload", "Previous"]


class Previous(Struct, frozen=True, gc=False):
    """A DID of the batch, by its suffix, and the anchor of its last operation; empty if it is created."""

    suffix: str
    #: A hashlink, with hints where to find it.
    anchor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """A batch as its anchor tells of it."""

    #: The hashlink of the core index file, with hints.
    core_index: str
    #: Of each operation, in the order of the batch.
    previous: Sequence[Previous]
    #: The IRI of the service that anchors.
    origin: str
    namespace: str = "did:orb"
    #: Of the way in which linksets describe operations, not of the protocol.
    version: int = 0

    @property
    def operation_count(self) -> int:
        """Operations in the batch."""
        return len(self.previous)

    @property
    def anchor_string(self) -> str:
        """As Sidetree names a batch: how many operations, and where they begin."""
        return f"{self.operation_count}.{self.core_index}"
