"""The two proof files: the signatures, in the order of the index files.

Orb writes each as a compact JWS, ION and sidetree.js as an object that holds one. Both are read, the first
is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from penstock.errors import BadBatchFile
from penstock.sidetree.files.entries import content, each, lists, only
from penstock.sidetree.files.joining import joined
from penstock.sidetree.shapes import members
from penstock.sidetree.signed_data import SignedData, read_signed_data

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.sidetree.protocol import Protocol

__all__ = ["CORE", "PROVISIONAL", "Proof", "read_proofs", "write_proofs"]

CORE: Final = "core proof file"
PROVISIONAL: Final = "provisional proof file"

#: Whose signatures they hold.
TYPES: Final = {CORE: ("recover", "deactivate"), PROVISIONAL: ("update",)}


class Proof(Struct, frozen=True, gc=False):
    """A signature that was read, and is not verified before a DID is resolved."""

    compact: str
    signed: SignedData


def write_proofs(file: str, proofs: Mapping[str, Sequence[bytes]]) -> bytes:
    """The content of one of the two; nothing if there are no such operations."""
    operations = joined({type_: proofs[type_] for type_ in TYPES[file]})
    return joined({"operations": operations})


def read_proofs(
    file: str, data: bytes, expected: Mapping[str, int], protocol: Protocol
) -> dict[str, list[Proof]]:
    """What one of the two says, compressed; so many of each type are expected.

    Raises:
        BadBatchFile: it breaks a rule.
    """
    value = content(data, file, protocol.max_proof_file_size, protocol)
    found = lists(
        only(value, file, "it", {"operations"}, frozenset())["operations"], file, frozenset(TYPES[file])
    )
    for type_, entries in found.items():
        if len(entries) != expected[type_]:
            raise BadBatchFile(
                file, f"it proves {len(entries)} {type_}s, and the index file has {expected[type_]}"
            )
    return {type_: proofs_of(entries, file, type_, protocol) for type_, entries in found.items()}


def proofs_of(entries: list[Any], file: str, type_: str, protocol: Protocol) -> list[Proof]:
    return each(entries, file, type_, lambda entry: proof(entry, type_, protocol))


def proof(entry: Any, type_: str, protocol: Protocol) -> Proof:
    compact = entry if isinstance(entry, str) else members(entry, "its entry", {"signedData"})["signedData"]
    return Proof(compact, read_signed_data(type_, compact, protocol))
