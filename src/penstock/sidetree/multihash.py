"""Hashes that say how they were made, and what Sidetree builds on them: reveal values and commitments.

A commitment is the hash of the hash of a public key, a reveal value is the hash alone. Who shows the
reveal value and the key proves that the commitment was theirs, and nobody could know the key before.
Only SHA-256 (multihash code 0x12) is spoken: all known networks use nothing else.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any, Final

from penstock.errors import BadEncoding
from penstock.sidetree.base64url import decode, encode
from penstock.sidetree.canonical import canonical

__all__ = [
    "check_hash",
    "commitment",
    "commitment_of",
    "digest_of",
    "hashed",
    "multihash",
    "promises",
    "reveal",
]

#: Code and length of SHA-256, as multihash writes them before the digest.
SHA_256: Final = b"\x12\x20"

#: How base64url writes 0x12 0x20 and 32 bytes: the first three letters are given but for two bits, and only
#: two bits of the last letter are used. Thrice as fast as to decode it and see.
HASH: Final = re.compile(r"Ei[A-D][A-Za-z0-9_-]{42}[AQgw]", re.ASCII)


def multihash(data: bytes) -> bytes:
    """0x12 0x20 ‖ SHA-256."""
    return SHA_256 + sha256(data).digest()


def hashed(value: Any) -> str:
    """The multihash of the value's canonical form, as base64url."""
    return encode(multihash(canonical(value)))


def reveal(key: Any) -> str:
    """What is shown of a public JWK when a commitment to it is redeemed."""
    return hashed(key)


def commitment(key: Any) -> str:
    """What is promised of a public JWK before it is shown."""
    return encode(multihash(sha256(canonical(key)).digest()))


def promises(key: bytes) -> tuple[str, str]:
    """Both of a public JWK in canonical form: what is shown of it, and what is promised before."""
    digest = sha256(key).digest()
    return encode(SHA_256 + digest), encode(multihash(digest))


def commitment_of(reveal_value: str) -> str:
    """The commitment that this reveal value redeems.

    Raises:
        BadEncoding: it is no multihash of SHA-256.
    """
    return encode(multihash(digest_of(reveal_value)))


def digest_of(text: str) -> bytes:
    """The digest inside an encoded multihash of SHA-256.

    Raises:
        BadEncoding: it is none.
    """
    check_hash(text)
    return decode(text)[len(SHA_256) :]


def check_hash(text: str) -> None:
    """Nothing happens if this is an encoded multihash of SHA-256.

    Raises:
        BadEncoding: it is none.
    """
    if not HASH.fullmatch(text):
        raise BadEncoding(f"not a multihash of SHA-256: {text[:50]!r}")
