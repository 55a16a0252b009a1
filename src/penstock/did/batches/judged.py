"""Whether a DID resolves, and whether an operation of it counts, for those who look. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.errors import SidetreeError
from penstock.sidetree.methods import ORB_METHOD
from penstock.sidetree.resolution import resolve
from penstock.sidetree.results import canonical_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.sidetree.anchored import Anchored
    from penstock.sidetree.state import State

__all__ = ["Judged", "judged", "why_idle"]


class Judged(NamedTuple):
    """What is known of a DID."""

    #: None if it does not resolve.
    state: State | None
    #: Why it does not.
    reason: str

    @property
    def did(self) -> str | None:
        """In its canonical form; None if it does not resolve."""
        return None if self.state is None else canonical_id(self.state, ORB_METHOD)


def judged(suffix: str, operations: Sequence[Anchored]) -> Judged:
    """The DID of these operations, of which each is anchored."""
    try:
        return Judged(resolve(suffix, operations, ORB_METHOD.protocols), "")
    except SidetreeError as exc:
        return Judged(None, str(exc))


def why_idle(found: Judged, suffix: str, operations: Sequence[Anchored], reference: str) -> str:
    """Why the DID's operation in that anchor changes nothing; empty if it counts.

    One that counts has made a version of the DID, and that can be resolved. To ask so for each of many
    operations of a DID is to resolve it as often.
    """
    try:
        resolve(suffix, operations, ORB_METHOD.protocols, version=reference)
    except SidetreeError as exc:
        notes = () if found.state is None else found.state.notes
        return next((note.reason for note in notes if note.reference == reference), str(exc))
    return ""
