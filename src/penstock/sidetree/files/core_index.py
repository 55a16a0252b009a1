"""The core index file: creates, recovers and deactivates, and where the rest is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import Raw, Struct

from penstock.errors import BadBatchFile
from penstock.sidetree.canonical import canonical
from penstock.sidetree.files.entries import (
    Reference,
    address,
    canonical_content,
    each,
    lists,
    only,
    references,
)
from penstock.sidetree.files.joining import joined
from penstock.sidetree.shapes import members
from penstock.sidetree.suffix_data import check_suffix_data

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.sidetree.protocol import Protocol

__all__ = ["FILE", "CoreIndex", "read_core_index", "write_core_index"]

FILE: Final = "core index file"
TYPES: Final = ("create", "recover", "deactivate")
OPTIONAL: Final = frozenset({"provisionalIndexFileUri", "coreProofFileUri", "writerLockId", "operations"})


class CoreIndex(Struct, frozen=True, gc=False):
    """What a core index file says."""

    #: The suffix data of each.
    creates: list[dict[str, Any]]
    recovers: list[Reference]
    deactivates: list[Reference]
    provisional_index: str | None
    core_proof: str | None
    #: The suffix data of creates in canonical form.
    written: list[bytes]


def write_core_index(
    entries: Mapping[str, Sequence[bytes]], provisional_index: str | None, core_proof: str | None
) -> bytes:
    """The file's content; what there is nothing of is left out."""
    return joined(
        {
            "coreProofFileUri": canonical(core_proof) if core_proof else b"",
            "operations": joined({type_: entries[type_] for type_ in TYPES}),
            "provisionalIndexFileUri": canonical(provisional_index) if provisional_index else b"",
        }
    )


def read_core_index(data: bytes, protocol: Protocol) -> CoreIndex:
    """What a compressed core index file says.

    Raises:
        BadBatchFile: it breaks a rule.
    """
    value, whole = canonical_content(data, FILE, protocol.max_core_index_file_size, protocol)
    found = only(value, FILE, "it", frozenset(), OPTIONAL)
    entries = lists(found.get("operations", {}), FILE, frozenset(TYPES))
    check_writer_lock(found.get("writerLockId", ""), protocol)
    creates = each(entries["create"], FILE, "create", lambda entry: suffix_data(entry, protocol))
    provisional_index, core_proof = (
        address(found[member], FILE, member, protocol) if member in found else None
        for member in ("provisionalIndexFileUri", "coreProofFileUri")
    )
    index = CoreIndex(
        creates,
        references(entries["recover"], FILE, "recover", protocol),
        references(entries["deactivate"], FILE, "deactivate", protocol),
        provisional_index,
        core_proof,
        written_in(whole) if whole else list(map(canonical, creates)),
    )
    check_addresses(index)
    return index


class Entry(Struct, gc=False):
    """A create that is looked into no further than its suffix data."""

    suffix_data: Raw = msgspec.field(name="suffixData")


class Operations(Struct, frozen=True, gc=False):
    """Creates, and what else there may be."""

    create: tuple[Entry, ...] = ()


class Whole(Struct, gc=False):
    """The file, and what else it says."""

    operations: Operations = Operations()


cut: Final = msgspec.json.Decoder(Whole).decode


def written_in(whole: bytes) -> list[bytes]:
    """The suffix data of a file in canonical form, cut out."""
    return [bytes(entry.suffix_data) for entry in cut(whole).operations.create]


def suffix_data(entry: Any, protocol: Protocol) -> dict[str, Any]:
    found: dict[str, Any] = members(entry, "its entry", {"suffixData"})["suffixData"]
    check_suffix_data(found, protocol)
    return found


def check_writer_lock(lock: Any, protocol: Protocol) -> None:
    """ION's writers name a lock by which they may write more; it says nothing about the operations."""
    if not isinstance(lock, str) or len(lock.encode()) > protocol.max_writer_lock_id_size:
        raise BadBatchFile(FILE, f"writerLockId has at most {protocol.max_writer_lock_id_size} bytes")


def check_addresses(index: CoreIndex) -> None:
    if bool(index.core_proof) != bool(index.recovers or index.deactivates):
        raise BadBatchFile(
            FILE, "coreProofFileUri must be there if there are recovers or deactivates, and only then"
        )
    if index.provisional_index is None and (index.creates or index.recovers):
        raise BadBatchFile(FILE, "provisionalIndexFileUri must be there: creates and recovers have deltas")
    if index.provisional_index is None and not index.deactivates:
        raise BadBatchFile(FILE, "it has no operations, and no provisionalIndexFileUri that leads to some")
