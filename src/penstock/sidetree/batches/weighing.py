"""What an operation weighs in each of a batch's files, and what those may weigh. Pure.

A weight is about how many bytes an operation adds to a compressed file. Should an estimate be too low, the
files show it, and the batch is split.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from penstock.sidetree.files.parts import Part
    from penstock.sidetree.protocol import Protocol

__all__ = ["FILES", "limits", "weights_in", "weights_of"]

#: The order of weights.
FILES: Final = ("core index", "core proof", "provisional index", "provisional proof", "chunk")

#: How many percent of an entry are left when it is compressed among thousands like it, by type and file;
#: measured with keys on P-256 and rounded up.
PERCENT: Final = {
    "create": (36, 0, 0, 0, 35),
    "recover": (56, 46, 0, 0, 35),
    "update": (0, 0, 56, 46, 35),
    "deactivate": (56, 53, 0, 0, 0),
}

# Around the parts of a request in canonical form.
BEFORE_DELTA: Final = len(b'{"delta":')
PROOF: Final = b',"signedData":'
BRACES: Final = len(b"{}")
TYPE: Final = len(b',"type":""}')


def limits(protocol: Protocol) -> tuple[int, ...]:
    """What each file may weigh."""
    return (
        protocol.max_core_index_file_size,
        protocol.max_proof_file_size,
        protocol.max_provisional_index_file_size,
        protocol.max_proof_file_size,
        protocol.max_chunk_file_size,
    )


def weights_of(part: Part) -> tuple[int, ...]:
    """By the parts of an operation."""
    return _weights(part.type, len(part.index), len(part.proof), len(part.delta))


def weights_in(kind: str, request: bytes) -> tuple[int, ...]:
    """By its request in canonical form, into which no more than a glance is cast.

    Of a request in another form it is all put into every file.
    """
    index, proof = request.rfind(b'"suffixData":' if kind == "create" else b'"didSuffix":'), len(request)
    if kind != "create":
        proof = request.rfind(PROOF)
    if not 0 < index < proof:
        return _weights(kind, len(request), len(request), len(request))
    end = len(request) - TYPE - len(kind)
    delta = max(index - BEFORE_DELTA - 1, 0)
    if kind == "create":
        return _weights(kind, end - index + BRACES, 0, delta)
    return _weights(kind, proof - index + BRACES, end - proof - len(PROOF), delta)


# Operations of one shape share theirs: a long queue holds a tuple for each.
@lru_cache(maxsize=4096)
def _weights(kind: str, index: int, proof: int, delta: int) -> tuple[int, ...]:
    core_index, core_proof, provisional_index, provisional_proof, chunk = PERCENT[kind]
    return (
        index * core_index // 100,
        proof * core_proof // 100,
        index * provisional_index // 100,
        proof * provisional_proof // 100,
        delta * chunk // 100,
    )
