"""The provisional index file: updates, and where the deltas are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from penstock.errors import BadBatchFile
from penstock.sidetree.canonical import canonical
from penstock.sidetree.files.entries import Reference, address, content, lists, only, references
from penstock.sidetree.files.joining import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.sidetree.protocol import Protocol

__all__ = ["FILE", "ProvisionalIndex", "read_provisional_index", "write_provisional_index"]

FILE: Final = "provisional index file"
NEEDED: Final = frozenset({"chunks"})
OPTIONAL: Final = frozenset({"provisionalProofFileUri", "operations"})


class ProvisionalIndex(Struct, frozen=True, gc=False):
    """What a provisional index file says."""

    updates: list[Reference]
    chunk: str
    provisional_proof: str | None


def write_provisional_index(updates: Sequence[bytes], chunk: str, provisional_proof: str | None) -> bytes:
    """The file's content; what there is nothing of is left out."""
    return joined(
        {
            "chunks": [canonical({"chunkFileUri": chunk})],
            "operations": joined({"update": updates}),
            "provisionalProofFileUri": canonical(provisional_proof) if provisional_proof else b"",
        }
    )


def read_provisional_index(data: bytes, protocol: Protocol) -> ProvisionalIndex:
    """What a compressed provisional index file says.

    Raises:
        BadBatchFile: it breaks a rule.
    """
    value = content(data, FILE, protocol.max_provisional_index_file_size, protocol)
    found = only(value, FILE, "it", NEEDED, OPTIONAL)
    chunks = found["chunks"]
    if not isinstance(chunks, list) or len(chunks) != 1:
        raise BadBatchFile(FILE, "chunks must list exactly one chunk file")
    chunk = only(chunks[0], FILE, "a chunk's entry", {"chunkFileUri"}, frozenset())["chunkFileUri"]
    updates = lists(found.get("operations", {}), FILE, frozenset({"update"}))["update"]
    if ("provisionalProofFileUri" in found) != bool(updates):
        raise BadBatchFile(FILE, "provisionalProofFileUri must be there if there are updates, and only then")
    return ProvisionalIndex(
        references(updates, FILE, "update", protocol),
        address(chunk, FILE, "chunkFileUri", protocol),
        address(found["provisionalProofFileUri"], FILE, "provisionalProofFileUri", protocol)
        if updates
        else None,
    )
