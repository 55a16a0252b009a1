"""What observing an anchor has shown: its operations, each with its place in history. Values only. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.did.activities.directory import CAS
from penstock.did.cas.hashlink import HashLink
from penstock.did.hints import hint_to, url_of

if TYPE_CHECKING:
    from penstock.sidetree.anchored import Anchored

__all__ = ["LeftOut", "Observation", "link_to", "ways_to"]


class LeftOut(Struct, frozen=True, gc=False):
    """An operation of a batch that can never count, and why; the others of the batch are not to blame."""

    suffix: str
    type: str
    reason: str


class Observation(Struct, frozen=True, kw_only=True, gc=False):
    """An anchor that holds, with its batch."""

    #: The resource hash of the linkset.
    hash: str
    #: The IRI of the service that has anchored.
    author: str
    #: When its credential was.
    issued_at: float
    #: Hashlinks of the anchors before this one, with hints.
    parents: tuple[str, ...]
    operations: tuple[Anchored, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def link(self) -> HashLink:
        """Where its author has it."""
        return link_to(self.author, self.hash)


def link_to(author: str, name: str) -> HashLink:
    """The hashlink of an anchor, with the place that its author has it at.

    Made of the anchor alone, and not of who has told of it: so a domain that is rebuilt has the same, and so
    has every other domain.
    """
    domain = url_of(author)
    return HashLink.to(name, [f"{domain}{CAS}/{name}"] if domain else [])


def ways_to(author: str, name: str) -> tuple[str, ...]:
    """The ways to an anchor beside its hash: what DIDs may name in its place."""
    hint = hint_to(author)
    return (str(link_to(author, name)), *([f"{hint}:{name}"] if hint else []))
