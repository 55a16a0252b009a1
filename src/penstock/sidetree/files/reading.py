"""From files to operations: anybody's files, so everything is asked.

Signatures and commitments are not: they are judged when a DID is resolved, against what came before. What
is asked here is what makes a batch a batch, and one failure fails it (Sidetree, "Processing").
"""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, Any
from typing import Protocol as Port

from msgspec import Struct

from penstock.errors import BadBatchFile
from penstock.sidetree.base64url import encode
from penstock.sidetree.files import chunk, core_index, proofs, provisional_index
from penstock.sidetree.files.anchor_string import FILE as ANCHOR
from penstock.sidetree.files.anchor_string import read_anchor_string
from penstock.sidetree.multihash import multihash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.sidetree.files.core_index import CoreIndex, NewDid
    from penstock.sidetree.files.entries import Reference
    from penstock.sidetree.files.proofs import Proof
    from penstock.sidetree.files.provisional_index import ProvisionalIndex
    from penstock.sidetree.protocol import Protocol
    from penstock.sidetree.signed_data import SignedData

__all__ = ["Fetch", "Observed", "read_batch"]


class Fetch(Port):
    """Where files come from. It may stop after so many bytes; what it gives is measured all the same."""

    def __call__(self, uri: str, most: int, /) -> bytes: ...


class Observed(Struct, frozen=True, gc=False):
    """An operation of a batch, and the request for it made anew: what its author posted is not known."""

    type: str
    suffix: str
    #: In canonical form.
    request: bytes
    #: Who knows the latest anchor of this DID, by a create or recover.
    anchor_origin: Any = None
    #: What its author has revealed and signed; nothing of a create.
    reveal_value: str = ""
    signed: SignedData | None = None


def read_batch(anchor: str, fetch: Fetch, protocol: Protocol) -> tuple[Observed, ...]:
    """The operations of a batch: creates, recovers, updates, deactivates.

    Raises:
        BadBatchFile: the batch breaks a rule and is none, with the file and the reason.
    """
    anchor_string = read_anchor_string(anchor, protocol)
    data = fetch(anchor_string.core_index, protocol.max_core_index_file_size)
    core = core_index.read_core_index(data, protocol)
    provisional = read_provisional(core, fetch, protocol)
    updates = provisional.updates if provisional else []
    count = len(core.creates) + len(core.recovers) + len(core.deactivates) + len(updates)
    if count != anchor_string.count:
        raise BadBatchFile(
            ANCHOR, f"it promises {anchor_string.count} operations, and the files have {count}"
        )
    suffixes = [encode(multihash(did.suffix_data)) for did in core.creates]
    check_once_each(suffixes, (core.recovers, core.deactivates, updates))
    proven = read_all_proofs(core, provisional, fetch, protocol)
    deltas = iter(read_deltas(core, provisional, fetch, protocol))
    # The deltas stand in the order in which they are taken here; zip asks the others first, so none is lost.
    return (
        *(created(*each) for each in zip(suffixes, core.creates, deltas, strict=False)),
        *(told("recover", *each) for each in zip(core.recovers, proven["recover"], deltas, strict=False)),
        *(told("update", *each) for each in zip(updates, proven["update"], deltas, strict=False)),
        *(
            told("deactivate", *each)
            for each in zip(core.deactivates, proven["deactivate"], repeat(b""), strict=False)
        ),
    )


def created(suffix: str, did: NewDid, delta: bytes) -> Observed:
    request = b'{"delta":%b,"suffixData":%b,"type":"create"}' % (delta, did.suffix_data)
    return Observed("create", suffix, request, did.anchor_origin)


def told(type_: str, at: Reference, proof: Proof, delta: bytes) -> Observed:
    # Hashes and signatures were looked at: there is nothing in them that JSON would write in another way.
    signed = f'"didSuffix":"{at.suffix}","revealValue":"{at.reveal_value}","signedData":"{proof.compact}"'
    before = b'"delta":%b,' % delta if delta else b""
    request = b'{%b%b,"type":"%b"}' % (before, signed.encode(), type_.encode())
    origin = proof.signed.said.get("anchorOrigin") if type_ == "recover" else None
    return Observed(type_, at.suffix, request, origin, at.reveal_value, proof.signed)


def read_provisional(core: CoreIndex, fetch: Fetch, protocol: Protocol) -> ProvisionalIndex | None:
    if core.provisional_index is None:
        return None
    data = fetch(core.provisional_index, protocol.max_provisional_index_file_size)
    return provisional_index.read_provisional_index(data, protocol)


def check_once_each(created: Sequence[str], others: Sequence[Sequence[Reference]]) -> None:
    seen: set[str] = set()
    for suffix in (*created, *(reference.suffix for entries in others for reference in entries)):
        if suffix in seen:
            raise BadBatchFile("batch", f"the DID {suffix!r} has more than one operation")
        seen.add(suffix)


def read_all_proofs(
    core: CoreIndex, provisional: ProvisionalIndex | None, fetch: Fetch, protocol: Protocol
) -> dict[str, list[Proof]]:
    found: dict[str, list[Proof]] = {"recover": [], "update": [], "deactivate": []}
    most = protocol.max_proof_file_size
    if core.core_proof is not None:
        expected = {"recover": len(core.recovers), "deactivate": len(core.deactivates)}
        found |= proofs.read_proofs(proofs.CORE, fetch(core.core_proof, most), expected, protocol)
    if provisional is not None and provisional.provisional_proof is not None:
        data = fetch(provisional.provisional_proof, most)
        found |= proofs.read_proofs(proofs.PROVISIONAL, data, {"update": len(provisional.updates)}, protocol)
    return found


def read_deltas(
    core: CoreIndex, provisional: ProvisionalIndex | None, fetch: Fetch, protocol: Protocol
) -> list[bytes]:
    if provisional is None:
        return []
    expected = len(core.creates) + len(core.recovers) + len(provisional.updates)
    data = fetch(provisional.chunk, protocol.max_chunk_file_size)
    return chunk.read_chunk(data, expected, protocol)
