"""IPFS's names for content, computed here: no IPFS node is asked.

    version 1   b… (base 32) of 0x01 ‖ codec ‖ multihash; up to 256 KiB the hash is that of the content
    version 0   Qm… (base 58) of the multihash of the tree's root

Pure.
"""

from __future__ import annotations

from base64 import b32decode, b32encode
from dataclasses import dataclass
from typing import Final

from penstock.did import base58
from penstock.did.cas.unixfs import DAG_PB, RAW, tree
from penstock.errors import BadEncoding, BadHashLink

__all__ = ["Cid", "cid_of", "raw_cid"]

#: Multibase's sign for base 32 in small letters.
BASE_32: Final = "b"
CODECS: Final = (RAW, DAG_PB)
#: Multihash's code and length of SHA-256, and the bytes of both and the digest.
SHA_256: Final = b"\x12\x20"
SIZE: Final = 34


@dataclass(frozen=True, slots=True)
class Cid:
    """A CID taken apart."""

    version: int
    codec: int
    digest: bytes

    @classmethod
    def parse(cls, text: str) -> Cid:
        """Read one.

        Raises:
            BadHashLink: it is none, or not of SHA-256 and a codec of files.
        """
        try:
            version, codec, found = _taken_apart(text)
        except (BadEncoding, ValueError) as exc:
            raise BadHashLink(f"no CID: {text[:60]!r}: {exc}") from exc
        if version not in {0, 1} or codec not in CODECS or len(found) != SIZE or found[:2] != SHA_256:
            raise BadHashLink(f"no CID of SHA-256 that names a file: {text[:60]!r}")
        read = cls(version, codec, found[2:])
        if str(read) != text:
            raise BadHashLink(f"no CID in its one canonical form: {text[:60]!r}")
        return read

    def __str__(self) -> str:
        found = SHA_256 + self.digest
        if self.version == 0:
            return base58.encode(found)
        packed = bytes([self.version, self.codec]) + found
        return BASE_32 + b32encode(packed).decode().rstrip("=").lower()


def cid_of(data: bytes, *, version: int = 1) -> str:
    """The CID that `ipfs add --cid-version=…` gives this content."""
    root = tree(data, version=version)
    return str(Cid(version, root.codec, root.multihash[2:]))


def raw_cid(digest: bytes) -> str:
    """The CID of a content of at most 256 KiB, of which only the SHA-256 is known."""
    return str(Cid(1, RAW, digest))


def _taken_apart(text: str) -> tuple[int, int, bytes]:
    if text.startswith("Qm"):
        return 0, DAG_PB, base58.decode(text)
    if not text.startswith(BASE_32) or text != text.lower():
        raise BadEncoding("it begins neither with Qm nor with b")
    letters = text[1:].upper()
    packed = b32decode(letters + "=" * (-len(letters) % 8))
    version, codec = packed[:2] if len(packed) > len(SHA_256) else (-1, -1)
    return version, codec, packed[2:]
