"""The parts of an operation, as the files take them: canonical bytes, joined and never parsed again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec import Raw, Struct

from penstock.sidetree.canonical import canonical
from penstock.sidetree.operations import Create, Deactivate

if TYPE_CHECKING:
    from penstock.sidetree.operations import Operation

__all__ = ["Part", "part_of", "part_of_request", "request_of_part"]


class Part(Struct, frozen=True, gc=False):
    """What the files say of one operation."""

    type: str
    #: The entry of the index file: suffix data of a create, suffix and reveal value of the others.
    index: bytes
    #: The entry of the proof file, a compact JWS; empty for a create.
    proof: bytes = b""
    #: The entry of the chunk file; empty for a deactivate.
    delta: bytes = b""


def part_of(operation: Operation, delta: bytes = b"") -> Part:
    """The parts of an operation that was judged; its delta in canonical form, if it is at hand."""
    if not isinstance(operation, Deactivate):
        delta = delta or canonical(operation.delta)
    if isinstance(operation, Create):
        return Part(operation.type, canonical({"suffixData": operation.suffix_data}), b"", delta)
    # Hashes and signatures were looked at: there is nothing in them that JSON would write in another way.
    index = f'{{"didSuffix":"{operation.suffix}","revealValue":"{operation.reveal_value}"}}'
    return Part(operation.type, index.encode("ascii"), f'"{operation.compact}"'.encode("ascii"), delta)


class Request(Struct, gc=False):
    """A request that is looked into no further than its members."""

    type: str
    suffix_data: Raw = msgspec.field(name="suffixData", default=Raw())
    delta: Raw = Raw()
    suffix: Raw = msgspec.field(name="didSuffix", default=Raw())
    reveal_value: Raw = msgspec.field(name="revealValue", default=Raw())
    compact: Raw = msgspec.field(name="signedData", default=Raw())


decode: Final = msgspec.json.Decoder(Request).decode


def part_of_request(request: bytes) -> Part:
    """The same parts of a request that was judged, in canonical form: cut out, not made again."""
    found = decode(request)
    if found.type == "create":
        return Part(found.type, b'{"suffixData":%b}' % found.suffix_data, b"", bytes(found.delta))
    index = b'{"didSuffix":%b,"revealValue":%b}' % (found.suffix, found.reveal_value)
    return Part(found.type, index, bytes(found.compact), bytes(found.delta))


def request_of_part(part: Part) -> bytes:
    """The request whose parts these are, in canonical form."""
    delta = b'"delta":%b,' % part.delta if part.delta else b""
    proof = b',"signedData":%b' % part.proof if part.proof else b""
    return b'{%b%b%b,"type":"%b"}' % (delta, part.index[1:-1], proof, part.type.encode("ascii"))
