"""From operations to files: pure, and to the byte the same wherever it is done.

    files = build(parts, address, protocol)

`address` gives the address that a storage has for compressed bytes. The files stand in the order in which
they must be written, so that none is there before those it names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from penstock.errors import BadBatchFile
from penstock.sidetree.files import chunk, core_index, proofs, provisional_index
from penstock.sidetree.files.anchor_string import AnchorString
from penstock.sidetree.files.compression import compressed
from penstock.sidetree.operations import TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.sidetree.files.parts import Part
    from penstock.sidetree.protocol import Protocol

__all__ = ["BatchFile", "BatchFiles", "build"]

#: Which limit of the protocol is whose.
LIMITS: Final = {
    chunk.FILE: "max_chunk_file_size",
    proofs.PROVISIONAL: "max_proof_file_size",
    provisional_index.FILE: "max_provisional_index_file_size",
    proofs.CORE: "max_proof_file_size",
    core_index.FILE: "max_core_index_file_size",
}


class BatchFile(Struct, frozen=True, gc=False):
    """One file, compressed, and its address."""

    name: str
    data: bytes
    uri: str
    #: Of the content, before it was compressed.
    size: int

    def fits(self, protocol: Protocol) -> bool:
        """Whether every reader of this version will take it."""
        most: int = getattr(protocol, LIMITS[self.name])
        return len(self.data) <= most and self.size <= most * protocol.max_memory_decompression_factor


class BatchFiles(Struct, frozen=True, gc=False):
    """All files of a batch in the order of writing, and what to anchor."""

    files: tuple[BatchFile, ...]
    count: int

    @property
    def anchor_string(self) -> AnchorString:
        """The core index file is the last."""
        return AnchorString(self.count, self.files[-1].uri)

    def fit(self, protocol: Protocol) -> bool:
        """Whether every reader of this version will take them."""
        return all(file.fits(protocol) for file in self.files)


def build(parts: Sequence[Part], address: Callable[[bytes], str], protocol: Protocol) -> BatchFiles:
    """The files of a batch of these operations, at most one of each DID.

    Raises:
        BadBatchFile: there are none, or too many, or an address is longer than the protocol allows.
    """
    if not 0 < len(parts) <= protocol.max_operation_count:
        raise BadBatchFile(
            "batch", f"a batch has 1 to {protocol.max_operation_count} operations, not {len(parts)}"
        )
    writer = Writer(address, protocol)
    by_type: dict[str, list[Part]] = {type_: [] for type_ in TYPES}
    for part in parts:
        by_type[part.type].append(part)
    index = {type_: [part.index for part in found] for type_, found in by_type.items()}
    proof = {type_: [part.proof for part in found] for type_, found in by_type.items()}
    # A batch of deactivates has no delta and hence no provisional file. (Orb looked at those it was given,
    # not at those that were left.)
    deltas = [part.delta for type_ in TYPES for part in by_type[type_] if part.delta]
    chunk_uri = writer.add(chunk.FILE, chunk.write_chunk(deltas))
    proof_uri = writer.add(proofs.PROVISIONAL, proofs.write_proofs(proofs.PROVISIONAL, proof, protocol))
    index_uri = writer.add(
        provisional_index.FILE,
        provisional_index.write_provisional_index(index["update"], chunk_uri, proof_uri)
        if chunk_uri
        else b"",
    )
    core_proof_uri = writer.add(proofs.CORE, proofs.write_proofs(proofs.CORE, proof, protocol))
    writer.add(core_index.FILE, core_index.write_core_index(index, index_uri, core_proof_uri))
    return BatchFiles(tuple(writer.files), len(parts))


class Writer:
    """Compresses and names the files, one after the other."""

    def __init__(self, address: Callable[[bytes], str], protocol: Protocol) -> None:
        self._address = address
        self._longest = protocol.max_cas_uri_length
        self.files: list[BatchFile] = []

    def add(self, name: str, content: bytes) -> str | None:
        """The address of a file with this content; without content there is no file."""
        if not content:
            return None
        data = compressed(content)
        uri = self._address(data)
        if len(uri) > self._longest:
            raise BadBatchFile(
                name, f"its address has {len(uri)} letters, and {self._longest} are allowed: {uri}"
            )
        self.files.append(BatchFile(name, data, uri, len(content)))
        return uri
