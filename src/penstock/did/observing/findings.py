"""What an audit has found: one line for each thing that does not hold. Values only. Pure.

missing, damaged                a linkset, or a file of a batch
credential, linkset, batch      a rule is broken
unstored, altered, unanchored   operations in the database are not those of the anchors
create, previous, operation     a DID cannot be resolved, or not from all of its operations
unreachable, failed, deadly     nobody can tell: a key cannot be had now; the audit has failed, or dies of it
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from penstock.errors import (
    BadAnchor,
    BadBatchFile,
    BadCredential,
    ContentForged,
    ContentNotFound,
    ContentTooLarge,
    SidetreeError,
    Unavailable,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Finding", "kind_of"]

#: What each error says about an anchor; the first that fits.
KINDS: Final[Mapping[type[Exception], str]] = {
    ContentNotFound: "missing",
    ContentForged: "damaged",
    ContentTooLarge: "damaged",
    BadCredential: "credential",
    BadAnchor: "linkset",
    BadBatchFile: "batch",
    SidetreeError: "batch",
    Unavailable: "unreachable",
}


class Finding(Struct, frozen=True, kw_only=True, gc=False):
    """Something that does not hold."""

    #: See above.
    kind: str
    #: The resource hash of an anchor, or the suffix of a DID.
    about: str
    reason: str


def kind_of(error: Exception) -> str:
    """What an error, met at an anchor, is called."""
    return next((kind for each, kind in KINDS.items() if isinstance(error, each)), "failed")
