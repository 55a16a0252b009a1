"""A delta: the patches of an operation, and the commitment to the key of the next update."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.errors import InvalidOperation
from penstock.sidetree.base64url import encode
from penstock.sidetree.canonical import canonical
from penstock.sidetree.depth import DEEPEST, written_too_deep
from penstock.sidetree.multihash import multihash
from penstock.sidetree.patches import apply_patch, check_patch
from penstock.sidetree.patches.values import entries
from penstock.sidetree.shapes import encoded_hash, members
from penstock.sidetree.usual import are_taken, is_usual_delta

if TYPE_CHECKING:
    from penstock.sidetree.patches.action import Document
    from penstock.sidetree.protocol import Protocol

__all__ = ["check_delta", "check_delta_of", "composed"]

MEMBERS: Final = frozenset({"patches", "updateCommitment"})


def check_delta(delta: Any, protocol: Protocol, written: bytes = b"") -> bytes:
    """Its canonical form, if the protocol takes this delta; what it does to a document is another matter.

    Args:
        written: The canonical form, if it is at hand.

    Raises:
        InvalidOperation: it does not, with the reason.
    """
    members(delta, "the delta", MEMBERS)
    # The size first: in a file it may be anything, and patches are looked at in ways that few bytes can pay.
    written = written or canonical(delta)
    if len(written) > protocol.max_delta_size:
        raise InvalidOperation(
            f"a delta of {len(written)} bytes is over the limit of {protocol.max_delta_size}"
        )
    if written_too_deep(delta, written):
        raise InvalidOperation(f"a delta may not nest deeper than {DEEPEST} levels")
    for patch in entries(delta["patches"], "the patches of a delta", protocol):
        check_patch(patch, protocol)
    encoded_hash(delta["updateCommitment"], "updateCommitment", protocol.max_operation_hash_length)
    return written


def check_delta_of(expected: str, delta: Any, protocol: Protocol) -> bytes:
    """The same, if it is the delta that this hash was made of.

    Raises:
        InvalidOperation: it is another, or the protocol does not take it.
    """
    written = canonical(delta) if isinstance(delta, dict) else b""
    if not _is_usual(written, protocol):
        written = check_delta(delta, protocol, written)
    if encode(multihash(written)) != expected:
        raise InvalidOperation("the delta is not the one that deltaHash was made of")
    return written


def _is_usual(written: bytes, protocol: Protocol) -> bool:
    """Whether it is seen at one look that the protocol takes this delta: 3 µs less for each operation."""
    return len(written) <= protocol.max_delta_size and are_taken(protocol) and is_usual_delta(written)


def composed(document: Document, delta: dict[str, Any]) -> Document:
    """The document after all patches of a delta that was checked before.

    Raises:
        BadPatch: one of them does not fit; then none counts.
    """
    for patch in delta["patches"]:
        document = apply_patch(document, patch)
    return document
