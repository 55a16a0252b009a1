"""What is wrong with provisional index files stands in test_reading."""

from __future__ import annotations

from penstock.sidetree.canonical import canonical
from penstock.sidetree.files.compression import compressed
from penstock.sidetree.files.entries import Reference
from penstock.sidetree.files.provisional_index import (
    ProvisionalIndex,
    read_provisional_index,
    write_provisional_index,
)
from penstock.sidetree.multihash import hashed
from penstock.sidetree.protocol import ORB

ENTRY = canonical({"didSuffix": hashed(3), "revealValue": hashed(4)})


def test_it_is_read_as_it_was_written() -> None:
    written = write_provisional_index([ENTRY], "uC", "uP")
    assert written == canonical(
        {
            "chunks": [{"chunkFileUri": "uC"}],
            "operations": {"update": [{"didSuffix": hashed(3), "revealValue": hashed(4)}]},
            "provisionalProofFileUri": "uP",
        }
    )
    found = read_provisional_index(compressed(written), ORB)
    assert found == ProvisionalIndex([Reference(hashed(3), hashed(4))], "uC", "uP")


def test_without_updates_it_has_the_chunk_only() -> None:
    written = write_provisional_index([], "uC", None)
    assert written == b'{"chunks":[{"chunkFileUri":"uC"}]}'
    assert read_provisional_index(compressed(written), ORB) == ProvisionalIndex([], "uC", None)
