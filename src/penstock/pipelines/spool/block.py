"""A block of a segment: some messages as an Arrow IPC stream, behind a header that tells if it is whole.

Pure: bytes in, values out. A block that was being written when the machine or the process died is shorter
than its header says, or its checksum differs; both mean the same: it was never promised to anybody.

    magic 8 | payload u64 | first position u64 | body bytes u64 | rows u32 | checksum u32 | zeros up to 64 |
    payload

Header and payload are multiples of 64 bytes, so that what is mapped into memory is aligned as Arrow wants it
and is read without a copy. All numbers are little-endian.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["HEADER_SIZE", "Block", "encode", "maybe_block"]

MAGIC: Final = b"PSTKBLK1"
HEADER_SIZE: Final = 64
_HEADER: Final = struct.Struct("<8sQQQII")
#: Where the checksum stands, at the end.
_CHECKSUM_AT: Final = _HEADER.size - 4


@dataclass(frozen=True, slots=True)
class Block:
    """What a header says."""

    #: Where the block begins in its segment.
    at: int
    #: Bytes of the payload.
    payload: int
    #: The position of its first message.
    first: int
    #: Bytes of all bodies together.
    size: int
    rows: int

    @property
    def last(self) -> int:
        """The position of its last message."""
        return self.first + self.rows - 1

    @property
    def end(self) -> int:
        """Where the next block begins."""
        return self.at + HEADER_SIZE + self.payload


def encode(
    pieces: Sequence[bytes | memoryview], at: int, first: int, size: int, rows: int
) -> tuple[Block, list[bytes | memoryview]]:
    """A block of so many messages, and what it is written as; the pieces are its payload."""
    length = sum(map(len, pieces))
    padding = bytes(-length % HEADER_SIZE)
    block = Block(at, length + len(padding), first, size, rows)
    unchecked = _HEADER.pack(MAGIC, block.payload, first, size, rows, 0)
    checksum = _checksum(unchecked, *pieces, padding).to_bytes(4, "little")
    header = (unchecked[:_CHECKSUM_AT] + checksum).ljust(HEADER_SIZE, b"\0")
    return block, [header, *pieces, padding]


def maybe_block(segment: memoryview, at: int, *, checked: bool) -> Block | None:
    """The block that begins there; None if there is none, or none that is whole.

    Args:
        segment: The whole file.
        at: Where to look.
        checked: Whether the checksum is compared, which reads all of it.
    """
    header = bytes(segment[at : at + _HEADER.size])
    if len(header) < _HEADER.size or not header.startswith(MAGIC):
        return None
    _, payload, first, size, rows, checksum = _HEADER.unpack(header)
    block = Block(at, payload, first, size, rows)
    if block.end > len(segment):
        return None
    if checked:
        unchecked = header[:_CHECKSUM_AT] + bytes(4)
        if checksum != _checksum(unchecked, segment[at + HEADER_SIZE : block.end]):
            return None
    return block


def _checksum(*pieces: bytes | memoryview) -> int:
    value = 0
    for piece in pieces:
        value = zlib.crc32(piece, value)
    return value
