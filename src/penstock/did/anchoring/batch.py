"""A batch that is to be anchored, as its cut tells of it. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from penstock.did.anchors import Payload, Previous
from penstock.errors import DidError, PreviousUnknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from penstock.did.operation_queue import Cut, QueuedOperation
    from penstock.did.operation_queue.pending import Entry

__all__ = ["Batch", "Member", "are_verified", "changed_suffixes", "payload_of", "recorded_files"]

#: The members of a cut's files: what anchoring needs, and what observing need not do again.
CORE_INDEX: Final = "coreIndex"
VERIFIED: Final = "verified"
CREATE: Final = "create"


def recorded_files(core_index: str, *, verified: bool = False) -> dict[str, Any]:
    """What the batch writer records of the files in a cut: `cut.record_files(recorded_files(…))`.

    Args:
        core_index: The hashlink of the core index file, with hints.
        verified: Whether the signatures of all operations in them were.
    """
    return {CORE_INDEX: core_index, VERIFIED: verified}


def are_verified(files: object) -> bool:
    """Whether recorded files have verified operations only."""
    return isinstance(files, dict) and files.get(VERIFIED) is True


def changed_suffixes(operations: Iterable[QueuedOperation]) -> list[str]:
    """The DIDs that are not created here, and so must have an anchor already."""
    return [each.unique_suffix for each in operations if each.type != CREATE]


class Member(Protocol):
    """An operation of a batch, as far as its anchor tells of it."""

    @property
    def suffix(self) -> str:
        """Of its DID."""
        ...

    @property
    def type(self) -> str:
        """What it does to the DID."""
        ...


def payload_of(
    core_index: str, members: Sequence[Member], anchors: Mapping[str, str], *, origin: str
) -> Payload:
    """What an anchor tells of a batch.

    Args:
        core_index: The hashlink of its core index file, with hints.
        members: Its operations, in order.
        anchors: The latest anchors of the DIDs that it changes.
        origin: The service that anchors.

    Raises:
        PreviousUnknown: a DID is changed that has no anchor.
    """
    unknown = [each.suffix for each in members if each.type != CREATE and each.suffix not in anchors]
    if unknown:
        raise PreviousUnknown(
            f"{len(unknown)} of {len(members)} operations change a DID that has no anchor yet, "
            f"{unknown[0]} the first: leave them to a later batch",
            suffixes=unknown,
        )
    previous = [
        # Whoever creates a DID that has an anchor changes nothing: the first create counts.
        Previous(each.suffix, "" if each.type == CREATE else anchors[each.suffix])
        for each in members
    ]
    return Payload(core_index=core_index, previous=previous, origin=origin)


@dataclass(frozen=True, slots=True)
class Batch:
    """Its core index file and its operations, in order."""

    core_index: str
    operations: Sequence[Entry]

    @classmethod
    def of(cls, cut: Cut) -> Batch:
        """The batch whose files were recorded.

        Raises:
            DidError: none were.
        """
        match cut.files:
            case {"coreIndex": str(core_index)}:
                out = cut.left_out.ids
                return cls(core_index, [each for each in cut.operations if each.id not in out])
        raise DidError(f"cut {cut.id} has no core index file on record: write its files, then anchor it")

    @property
    def changed(self) -> list[str]:
        """The DIDs that are not created here."""
        return [each.suffix for each in self.operations if each.type != CREATE]

    @property
    def origins(self) -> list[str]:
        """The anchor origins of its DIDs, those of most DIDs first: they are the batch's witnesses."""
        found = (each.anchor_origin for each in self.operations)
        counted = Counter(origin for origin in found if isinstance(origin, str) and origin)
        return [origin for origin, _ in counted.most_common()]

    def payload(self, anchors: Mapping[str, str], *, origin: str) -> Payload:
        """What its anchor tells of it.

        Args:
            anchors: The latest anchors of the DIDs that it changes.
            origin: The service that anchors.

        Raises:
            PreviousUnknown: a DID is changed that has no anchor.
        """
        return payload_of(self.core_index, self.operations, anchors, origin=origin)
