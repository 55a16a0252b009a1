"""The Digest header (RFC 3230): a hash of the body, so that signed headers cover the body, too. Pure."""

from __future__ import annotations

from base64 import b64decode, b64encode
from hashlib import sha256, sha512
from hmac import compare_digest
from typing import Final

from penstock.errors import BadHttpSignature

__all__ = ["check_digest", "digest_of_body"]

ALGORITHMS: Final = {"sha-256": sha256, "sha-512": sha512}


def digest_of_body(body: bytes) -> str:
    """The header's value."""
    return f"SHA-256={b64encode(sha256(body).digest()).decode()}"


def check_digest(header: str, body: bytes) -> None:
    """See that every hash in the header that can be computed is the body's, and that there is one.

    Raises:
        BadHttpSignature: it is not.
    """
    known = 0
    for said in header.split(","):
        name, _, value = said.strip().partition("=")
        if name.lower() not in ALGORITHMS:
            continue
        known += 1
        try:
            told = b64decode(value, validate=True)
        except ValueError as exc:
            raise BadHttpSignature("digest", f"the Digest header cannot be read: {exc}") from exc
        if not compare_digest(told, ALGORITHMS[name.lower()](body).digest()):
            raise BadHttpSignature("digest", "the body is not the one that the Digest header was made of")
    if not known:
        raise BadHttpSignature("digest", f"the Digest header has none of {', '.join(ALGORITHMS)}")
