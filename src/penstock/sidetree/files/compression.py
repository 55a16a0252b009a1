"""Gzip, the same bytes for the same content, and never more inflated than was agreed.

By Intel's library in place of zlib: a full batch is compressed in a ninth of the time, and no larger.
"""

from __future__ import annotations

import struct
from typing import Final

from isal import isal_zlib as zlib

from penstock.errors import BadBatchFile

__all__ = ["compressed", "inflated"]

#: RFC 1952: deflate, no name, no time, of no particular system; Go's writer says the same.
HEADER: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
TRAILER: Final = struct.Struct("<LL")

#: Of 0 to 3: files are half a percent smaller than with zlib's 4; 3 takes three times as long for 1 % less.
LEVEL: Final = 2
RAW: Final = -zlib.MAX_WBITS
GZIP: Final = zlib.MAX_WBITS | 16


def compressed(data: bytes) -> bytes:
    """The content as gzip."""
    deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, RAW)
    body = deflate.compress(data) + deflate.flush()
    return HEADER + body + TRAILER.pack(zlib.crc32(data), len(data) & 0xFFFFFFFF)


def inflated(data: bytes, file: str, most: int, factor: int) -> bytes:
    """The content of a file that may have so many bytes, and so many times more when it is inflated.

    The limit is kept while it inflates: a bomb costs no more memory than a file that may be.

    Raises:
        BadBatchFile: it is too large, or no gzip from its first byte to its last.
    """
    if len(data) > most:
        raise BadBatchFile(file, f"{len(data)} compressed bytes are over the limit of {most}")
    inflate = zlib.decompressobj(GZIP)
    try:
        content = inflate.decompress(data, most * factor + 1)
    except zlib.IsalError as exc:  # type: ignore[misc] # its stubs take the class for an error
        raise BadBatchFile(file, f"it is no gzip: {exc}") from exc
    if len(content) > most * factor:
        raise BadBatchFile(file, f"it inflates to more than {factor} times the limit of {most} bytes")
    if not inflate.eof:
        raise BadBatchFile(file, "it is no gzip: its end is missing")
    if inflate.unused_data:
        raise BadBatchFile(file, "something stands behind the end of its gzip")
    return content
