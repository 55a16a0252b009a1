"""The chunk file: the deltas of creates, recovers and updates, in that order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from msgspec import Raw, Struct

from penstock.errors import BadBatchFile
from penstock.sidetree.delta import check_delta
from penstock.sidetree.files.entries import canonical_content, each, only
from penstock.sidetree.files.joining import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.sidetree.protocol import Protocol

__all__ = ["FILE", "Delta", "read_chunk", "write_chunk"]

FILE: Final = "chunk file"


class Delta(NamedTuple):
    """A delta that was checked, as a value and in canonical form."""

    value: dict[str, Any]
    written: bytes


def write_chunk(deltas: Sequence[bytes]) -> bytes:
    """The file's content; nothing if no operation has a delta."""
    return joined({"deltas": deltas})


def read_chunk(data: bytes, expected: int, protocol: Protocol) -> list[Delta]:
    """The deltas of a compressed chunk file; so many are expected.

    Raises:
        BadBatchFile: it breaks a rule, or one of its deltas does.
    """
    value, whole = canonical_content(data, FILE, protocol.max_chunk_file_size, protocol)
    deltas = only(value, FILE, "it", {"deltas"}, frozenset())["deltas"]
    if not isinstance(deltas, list):
        raise BadBatchFile(FILE, "deltas must be a list")
    if len(deltas) != expected:
        raise BadBatchFile(
            FILE, f"it has {len(deltas)} deltas, and the index files have {expected} operations"
        )
    # Cut out of the file, ten thousand canonical forms need not be made.
    parts = iter(cut(whole).deltas if whole else ())
    return each(deltas, FILE, "delta", lambda delta: checked(delta, next(parts, b""), protocol))


def checked(delta: Any, written: bytes, protocol: Protocol) -> Delta:
    return Delta(delta, check_delta(delta, protocol, bytes(written)))


class Chunk(Struct, gc=False):
    """A chunk file that is looked into no further than its deltas."""

    deltas: list[Raw]


cut: Final = msgspec.json.Decoder(Chunk).decode
