"""The core index file: creates, recovers and deactivates, and where the rest is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import UNSET, Struct, UnsetType

from penstock.errors import BadBatchFile
from penstock.sidetree.canonical import canonical
from penstock.sidetree.files.compression import inflated
from penstock.sidetree.files.entries import Reference, address, each, lists, only, parsed, references
from penstock.sidetree.files.joining import joined
from penstock.sidetree.shapes import members
from penstock.sidetree.suffix_data import check_suffix_data
from penstock.sidetree.usual import Usual, are_taken
from penstock.sidetree.usual.suffix_data import SuffixData  # noqa: TC001  msgspec reads it
from penstock.sidetree.usual.texts import Hash  # noqa: TC001  msgspec reads it

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from penstock.sidetree.protocol import Protocol

__all__ = ["FILE", "CoreIndex", "NewDid", "read_core_index", "write_core_index"]

FILE: Final = "core index file"
TYPES: Final = ("create", "recover", "deactivate")
ADDRESSES: Final = ("provisionalIndexFileUri", "coreProofFileUri")
OPTIONAL: Final = frozenset({*ADDRESSES, "writerLockId", "operations"})


class NewDid(Struct, frozen=True, gc=False):
    """A create: the suffix data that the DID is named after, in canonical form."""

    suffix_data: bytes
    anchor_origin: Any = None


class CoreIndex(Struct, frozen=True, gc=False):
    """What a core index file says."""

    creates: list[NewDid]
    recovers: list[Reference]
    deactivates: list[Reference]
    provisional_index: str | None
    core_proof: str | None


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
    most, factor = protocol.max_core_index_file_size, protocol.max_memory_decompression_factor
    content = inflated(data, FILE, most, factor)
    index = read_usual(content, protocol) or read_plainly(content, protocol)
    check_addresses(index)
    return index


def read_plainly(content: bytes, protocol: Protocol) -> CoreIndex:
    found = only(parsed(content, FILE), FILE, "it", frozenset(), OPTIONAL)
    entries = lists(found.get("operations", {}), FILE, frozenset(TYPES))
    check_writer_lock(found.get("writerLockId", ""), protocol)
    return CoreIndex(
        each(entries["create"], FILE, "create", lambda entry: new_did(entry, protocol)),
        references(entries["recover"], FILE, "recover", protocol),
        references(entries["deactivate"], FILE, "deactivate", protocol),
        *addresses(found, protocol),
    )


def addresses(found: Mapping[str, Any], protocol: Protocol) -> Iterator[str | None]:
    return (address(found[name], FILE, name, protocol) if name in found else None for name in ADDRESSES)


class Entry(Struct, forbid_unknown_fields=True, rename="camel", gc=False):
    """A usual create."""

    suffix_data: SuffixData[Hash]


class Operations(Struct, forbid_unknown_fields=True, gc=False):
    """Usual operations, in canonical order."""

    create: list[Entry] | UnsetType = UNSET
    deactivate: list[Reference] | UnsetType = UNSET
    recover: list[Reference] | UnsetType = UNSET


class Whole(Struct, forbid_unknown_fields=True, rename="camel", gc=False):
    """A usual file, in canonical order."""

    core_proof_file_uri: str | UnsetType = UNSET
    operations: Operations | UnsetType = UNSET
    provisional_index_file_uri: str | UnsetType = UNSET


whole: Final = Usual(Whole)


def read_usual(content: bytes, protocol: Protocol) -> CoreIndex | None:
    """What a file says that is usual all over; else nothing."""
    found = whole.read(content) if are_taken(protocol) else None
    if found is None:
        return None
    operations = found.operations or Operations()
    told = dict(zip(ADDRESSES, (found.provisional_index_file_uri, found.core_proof_file_uri), strict=True))
    return CoreIndex(
        [new_did_of(entry.suffix_data) for entry in operations.create or ()],
        operations.recover or [],
        operations.deactivate or [],
        *addresses({name: uri for name, uri in told.items() if uri is not UNSET}, protocol),
    )


def new_did_of(usual: SuffixData[Hash]) -> NewDid:
    origin = usual.anchor_origin
    return NewDid(whole.write(usual), None if origin is UNSET else origin)


def new_did(entry: Any, protocol: Protocol) -> NewDid:
    found: dict[str, Any] = members(entry, "its entry", {"suffixData"})["suffixData"]
    check_suffix_data(found, protocol)
    return NewDid(canonical(found), found.get("anchorOrigin"))


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
