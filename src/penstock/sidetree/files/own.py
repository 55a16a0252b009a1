"""Files of one's own back to operations: what was judged before it was written is asked nothing again.

Only for who has written them: the bytes are the very ones that were built of judged operations, as the hash
in their address says. They are cut where `building` has joined them, in a quarter of the time that reading
anybody's takes. To whoever cannot be sure of that, `reading` is the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import MsgspecError, Raw, Struct, field
from msgspec.json import Decoder

from penstock.errors import BadBatchFile, SidetreeError
from penstock.sidetree import base64url
from penstock.sidetree.files import chunk, core_index, proofs, provisional_index
from penstock.sidetree.files.anchor_string import FILE as ANCHOR
from penstock.sidetree.files.anchor_string import read_anchor_string
from penstock.sidetree.files.compression import inflated
from penstock.sidetree.files.reading import Observed
from penstock.sidetree.multihash import multihash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from penstock.sidetree.files.reading import Fetch
    from penstock.sidetree.protocol import Protocol

__all__ = ["read_own_batch"]


class Created(Struct, gc=False):
    """The entry of a create."""

    suffix_data: Raw = field(name="suffixData")


class Changed(Struct, gc=False):
    """The entry of what changes a DID."""

    suffix: str = field(name="didSuffix")
    reveal_value: str = field(name="revealValue")


class Entries(Struct, gc=False):
    """What an index file lists."""

    create: list[Created] = []
    recover: list[Changed] = []
    update: list[Changed] = []
    deactivate: list[Changed] = []


class Index(Struct, gc=False):
    """Either index file."""

    operations: Entries = field(default_factory=Entries)
    provisional_index: str = field(name="provisionalIndexFileUri", default="")
    core_proof: str = field(name="coreProofFileUri", default="")
    provisional_proof: str = field(name="provisionalProofFileUri", default="")
    chunks: list[dict[str, str]] = []


class Signatures(Struct, gc=False):
    """What a proof file lists."""

    recover: list[str] = []
    update: list[str] = []
    deactivate: list[str] = []


class Proofs(Struct, gc=False):
    """Either proof file."""

    operations: Signatures


class Named(Struct, gc=False):
    """A signature in an object."""

    compact: str = field(name="signedData")


class NamedSignatures(Struct, gc=False):
    """What a proof file lists where signatures stand in objects."""

    recover: list[Named] = []
    update: list[Named] = []
    deactivate: list[Named] = []


class NamedProofs(Struct, gc=False):
    """Either proof file, of that kind."""

    operations: NamedSignatures


class Origin(Struct, gc=False):
    """Who knows the latest anchor of a DID, as suffix data or a recover says it."""

    anchor_origin: Any = field(name="anchorOrigin", default=None)


index: Final = Decoder(Index).decode
signatures: Final = Decoder(Proofs).decode
named: Final = Decoder(NamedProofs).decode
origin: Final = Decoder(Origin).decode


def read_own_batch(anchor: str, fetch: Fetch, protocol: Protocol) -> tuple[Observed, ...]:
    """The operations of a batch that was built here, as `read_batch` gives them, but for what was signed.

    Raises:
        BadBatchFile: these files were not.
    """
    try:
        return _read(anchor, fetch, protocol)
    except BadBatchFile:
        raise
    except (MsgspecError, SidetreeError, LookupError, ValueError) as exc:
        raise BadBatchFile("batch", f"it is said to be built here, and is not: {exc}") from exc


def _read(anchor: str, fetch: Fetch, protocol: Protocol) -> tuple[Observed, ...]:
    told = read_anchor_string(anchor, protocol)

    def content(file: str, uri: str, most: int) -> bytes:
        return inflated(fetch(uri, most), file, most, protocol.max_memory_decompression_factor)

    core = index(content(core_index.FILE, told.core_index, protocol.max_core_index_file_size))
    later, deltas = _provisional(core, content, protocol)
    of_core = _signed(proofs.CORE, core.core_proof, content, protocol)
    of_updates = _signed(proofs.PROVISIONAL, later.provisional_proof, content, protocol)
    entries, updates, each = core.operations, later.operations.update, iter(deltas)
    if len(deltas) != len(entries.create) + len(entries.recover) + len(updates):
        raise BadBatchFile(chunk.FILE, "it has other deltas than the index files have operations")
    # The deltas stand in the order in which they are taken here; map asks the others first, so none is lost.
    found = (
        *map(_created, entries.create, each),
        *_changed("recover", entries.recover, of_core.recover, each),
        *_changed("update", updates, of_updates.update, each),
        *_changed("deactivate", entries.deactivate, of_core.deactivate, None),
    )
    if len(found) != told.count:
        raise BadBatchFile(ANCHOR, f"it promises {told.count} operations, and the files have {len(found)}")
    return found


def _provisional(
    core: Index, content: Callable[[str, str, int], bytes], protocol: Protocol
) -> tuple[Index, list[bytes]]:
    if not core.provisional_index:
        return Index(), []
    most = protocol.max_provisional_index_file_size
    found = index(content(provisional_index.FILE, core.provisional_index, most))
    uri = found.chunks[0]["chunkFileUri"]
    return found, chunk.deltas_in(content(chunk.FILE, uri, protocol.max_chunk_file_size))


def _signed(file: str, uri: str, content: Callable[[str, str, int], bytes], protocol: Protocol) -> Signatures:
    if not uri:
        return Signatures()
    found = content(file, uri, protocol.max_proof_file_size)
    if not proofs.in_objects(protocol):
        return signatures(found).operations
    told = named(found).operations
    return Signatures(
        *([each.compact for each in part] for part in (told.recover, told.update, told.deactivate))
    )


def _created(entry: Created, delta: bytes) -> Observed:
    suffix_data = bytes(entry.suffix_data)
    request = b'{"delta":%b,"suffixData":%b,"type":"create"}' % (delta, suffix_data)
    suffix = base64url.encode(multihash(suffix_data))
    return Observed("create", suffix, request, origin(suffix_data).anchor_origin)


def _changed(
    type_: str, entries: Sequence[Changed], compacts: Sequence[str], deltas: Iterator[bytes] | None
) -> Iterator[Observed]:
    for entry, compact in zip(entries, compacts, strict=True):
        before = b"" if deltas is None else b'"delta":%b,' % next(deltas)
        after = (
            f'"didSuffix":"{entry.suffix}","revealValue":"{entry.reveal_value}",'
            f'"signedData":"{compact}","type":"{type_}"}}'
        )
        told = _origin(compact) if type_ == "recover" else None
        yield Observed(type_, entry.suffix, b"{%b%b" % (before, after.encode()), told, entry.reveal_value)


def _origin(compact: str) -> Any:
    return origin(base64url.decode(compact.split(".")[1])).anchor_origin
