"""Suffix data: what a DID is named after."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import InvalidOperation
from penstock.sidetree.depth import DEEPEST, too_deep
from penstock.sidetree.shapes import encoded_hash, members

if TYPE_CHECKING:
    from penstock.sidetree.protocol import Protocol

__all__ = ["check_suffix_data"]

NEEDED: Final = frozenset({"deltaHash", "recoveryCommitment"})
PLAIN: Final = frozenset({"type"})
OPTIONAL: Final = PLAIN | {"anchorOrigin"}

#: What a DID is for, in up to four letters (Sidetree, "Create"); ION's nodes throw a batch away for none.
TYPE: Final = re.compile(r"[A-Za-z0-9_-]{0,4}")


def check_suffix_data(value: Any, protocol: Protocol) -> None:
    """Nothing happens if a DID can be named after this.

    Raises:
        InvalidOperation: it cannot.
    """
    members(value, "suffixData", NEEDED, OPTIONAL if protocol.extensions else PLAIN)
    for member in sorted(NEEDED):
        encoded_hash(value[member], member, protocol.max_operation_hash_length)
    if too_deep(value.get("anchorOrigin")):
        raise InvalidOperation(f"an anchorOrigin may not nest deeper than {DEEPEST} levels")
    type_ = value.get("type", "none")
    if not isinstance(type_, str) or not TYPE.fullmatch(type_) or not (type_ or protocol.extensions):
        raise InvalidOperation("the type of a DID must be at most 4 letters of base64url")
