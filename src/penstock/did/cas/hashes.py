"""Resource hashes: the name of a content, made of its bytes.

`u` (multibase: base64url) and the multihash of SHA-256, so that a name says how it was made. Pure.
"""

from __future__ import annotations

from typing import Final

from penstock.errors import BadEncoding, BadHashLink, ContentForged
from penstock.sidetree.base64url import encode
from penstock.sidetree.multihash import check_hash, multihash
from penstock.sidetree.multihash import digest_of as digest_of_multihash

__all__ = ["check_name", "digest_of", "resource_hash", "verify"]

#: Multibase's sign for base64url without padding.
BASE64URL: Final = "u"


def resource_hash(data: bytes) -> str:
    """The name of this content."""
    return BASE64URL + encode(multihash(data))


def check_name(name: str) -> None:
    """See that it is a resource hash; what passes here is also safe as the name of a file.

    Raises:
        BadHashLink: it is none.
    """
    if not name.startswith(BASE64URL):
        raise BadHashLink(f"a resource hash begins with {BASE64URL!r}, this one does not: {name[:60]!r}")
    try:
        check_hash(name[len(BASE64URL) :])
    except BadEncoding as exc:
        raise BadHashLink(f"no resource hash: {exc}") from exc


def digest_of(name: str) -> bytes:
    """The SHA-256 inside a resource hash.

    Raises:
        BadHashLink: it is none.
    """
    check_name(name)
    return digest_of_multihash(name[len(BASE64URL) :])


def verify(data: bytes, name: str, *, source: str) -> None:
    """See that the bytes are the content of that name.

    Raises:
        ContentForged: they are not; the text names their source.
    """
    if (found := resource_hash(data)) != name:
        raise ContentForged(f"{source} has {found} where {name} should be")
