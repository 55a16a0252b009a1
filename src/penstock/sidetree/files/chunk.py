"""The chunk file: the deltas of creates, recovers and updates, in that order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import MsgspecError, Raw, Struct
from msgspec.json import Decoder

from penstock.errors import BadBatchFile
from penstock.sidetree.canonical import parse
from penstock.sidetree.delta import check_delta
from penstock.sidetree.files.compression import inflated
from penstock.sidetree.files.entries import each, only, parsed
from penstock.sidetree.files.joining import joined
from penstock.sidetree.usual import are_taken, are_usual_deltas, is_usual_delta

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.sidetree.protocol import Protocol

__all__ = ["FILE", "deltas_in", "read_chunk", "write_chunk"]

FILE: Final = "chunk file"


def write_chunk(deltas: Sequence[bytes]) -> bytes:
    """The file's content; nothing if no operation has a delta."""
    return joined({"deltas": deltas})


def read_chunk(data: bytes, expected: int, protocol: Protocol) -> list[bytes]:
    """The deltas of a compressed chunk file, each in canonical form; so many are expected.

    Raises:
        BadBatchFile: it breaks a rule, or one of its deltas does.
    """
    content = inflated(data, FILE, protocol.max_chunk_file_size, protocol.max_memory_decompression_factor)
    longest = protocol.max_delta_size if are_taken(protocol) else 0
    if longest and are_usual_deltas(content):
        usual = deltas_in(content)
        if max(map(len, usual), default=0) <= longest:
            check_count(usual, expected)
            return usual
    deltas = cut_out(content)
    if deltas is None:
        return each(listed(content, expected), FILE, "delta", lambda delta: check_delta(delta, protocol))
    check_count(deltas, expected)

    def read(delta: bytes) -> bytes:
        if len(delta) <= longest and is_usual_delta(delta):
            return delta
        return check_delta(parse(delta, any_depth=True), protocol)

    return each(deltas, FILE, "delta", read)


class Chunk(Struct, gc=False):
    """A chunk file that is looked into no further than its deltas."""

    deltas: list[Raw]


cut: Final = Decoder(Chunk).decode


def deltas_in(content: bytes) -> list[bytes]:
    """The deltas as they are spelled in a file, whatever else there is in it."""
    return list(map(bytes, cut(content).deltas))


def cut_out(content: bytes) -> list[bytes] | None:
    """The deltas as they are spelled in a file that has nothing else, not even a space; else nothing."""
    try:
        found = deltas_in(content)
    except (MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return found if write_chunk(found) == content else None


def listed(content: bytes, expected: int) -> list[Any]:
    """The deltas of a file that is spelled in another way, or is none."""
    deltas = only(parsed(content, FILE), FILE, "it", {"deltas"}, frozenset())["deltas"]
    if not isinstance(deltas, list):
        raise BadBatchFile(FILE, "deltas must be a list")
    check_count(deltas, expected)
    return deltas


def check_count(deltas: Sequence[Any], expected: int) -> None:
    if len(deltas) != expected:
        raise BadBatchFile(
            FILE, f"it has {len(deltas)} deltas, and the index files have {expected} operations"
        )
