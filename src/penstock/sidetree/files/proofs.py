"""The two proof files: the signatures, in the order of the index files.

Orb writes each as a compact JWS, ION and sidetree.js as an object that holds one, and refuse a batch that is
written the other way. Which is read, and which is written, is the protocol's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from penstock.errors import BadBatchFile, InvalidOperation
from penstock.sidetree.files.entries import content, each, lists, only
from penstock.sidetree.files.joining import joined
from penstock.sidetree.shapes import members
from penstock.sidetree.signed_data import SignedData, read_signed_data

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.sidetree.protocol import Protocol

__all__ = ["CORE", "PROVISIONAL", "Proof", "in_objects", "read_proofs", "write_proofs"]

CORE: Final = "core proof file"
PROVISIONAL: Final = "provisional proof file"

TEXT: Final = "text"
OBJECT: Final = "object"

#: Whose signatures they hold.
TYPES: Final = {CORE: ("recover", "deactivate"), PROVISIONAL: ("update",)}


class Proof(Struct, frozen=True, gc=False):
    """A signature that was read, and is not verified before a DID is resolved."""

    compact: str
    signed: SignedData


def write_proofs(file: str, proofs: Mapping[str, Sequence[bytes]], protocol: Protocol) -> bytes:
    """The content of one of the two; nothing if there are no such operations."""
    operations = joined({type_: written(proofs[type_], protocol) for type_ in TYPES[file]})
    return joined({"operations": operations})


def written(proofs: Sequence[bytes], protocol: Protocol) -> Sequence[bytes]:
    return [b'{"signedData":%b}' % proof for proof in proofs] if in_objects(protocol) else proofs


def in_objects(protocol: Protocol) -> bool:
    """Whether an object is written around each signature."""
    return protocol.proof_forms[0] == OBJECT


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
    form = TEXT if isinstance(entry, str) else OBJECT
    if form not in protocol.proof_forms:
        raise InvalidOperation(
            f"its entry must be an {OBJECT}" if form == TEXT else f"its entry must be a {TEXT}"
        )
    compact = entry if form == TEXT else members(entry, "its entry", {"signedData"})["signedData"]
    return Proof(compact, read_signed_data(type_, compact, protocol))
