"""Hashlinks (draft-sporny-hashlink-07): a content's hash, and where copies of it may be had.

    hl:<resource hash>[:<metadata>]        metadata = "u" + base64url(CBOR {0x0f: [links]})

The hash is the identity, the metadata are hints that change from domain to domain: two hashlinks speak of the
same content when their hashes are equal. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.did.cas import cbor
from penstock.did.cas.hashes import BASE64URL, check_name, resource_hash
from penstock.errors import BadEncoding, BadHashLink
from penstock.sidetree.base64url import decode, encode

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LONGEST", "HashLink"]

PREFIX: Final = "hl:"
#: The metadata's key for links (draft-sporny-hashlink-07 §3.1.2).
LINKS: Final = 0x0F
#: Characters. Sidetree itself allows 500 in a batch file; a hashlink with a dozen replicas fits here.
LONGEST: Final = 4096


@dataclass(frozen=True, slots=True)
class HashLink:
    """A content, and hints where to find it."""

    hash: str
    #: As it was received: another domain's metadata may hold more than links.
    metadata: str = ""

    @classmethod
    def of(cls, data: bytes, links: Sequence[str] = ()) -> HashLink:
        """The hashlink of this content."""
        return cls.to(resource_hash(data), links)

    @classmethod
    def to(cls, name: str, links: Sequence[str] = ()) -> HashLink:
        """A hashlink to the content of that resource hash."""
        if not links:
            return cls(name)
        return cls(name, BASE64URL + encode(cbor.dumps({LINKS: list(links)})))

    @classmethod
    def parse(cls, text: str) -> HashLink:
        """Read one.

        Raises:
            BadHashLink: it is none, or its metadata tell no links.
        """
        if not text.startswith(PREFIX):
            raise BadHashLink(f"a hashlink begins with {PREFIX!r}, this one does not: {text[:60]!r}")
        if len(text) > LONGEST:
            raise BadHashLink(f"a hashlink of {len(text)} characters is too long: {text[:60]!r}…")
        name, separator, metadata = text[len(PREFIX) :].partition(":")
        check_name(name)
        if separator:
            _links(metadata)
        return cls(name, metadata)

    @property
    def links(self) -> tuple[str, ...]:
        """Where copies may be had, the likeliest first."""
        return _links(self.metadata) if self.metadata else ()

    @property
    def bare(self) -> str:
        """The hashlink without hints: what is signed, and compared."""
        return PREFIX + self.hash

    def __str__(self) -> str:
        return f"{self.bare}:{self.metadata}" if self.metadata else self.bare


def _links(metadata: str) -> tuple[str, ...]:
    if not metadata.startswith(BASE64URL):
        raise BadHashLink(f"the metadata of a hashlink begin with {BASE64URL!r}: {metadata[:60]!r}")
    try:
        said = cbor.loads(decode(metadata[len(BASE64URL) :]))
    except BadEncoding as exc:
        raise BadHashLink(f"the metadata of a hashlink cannot be read: {exc}") from exc
    links = said.get(LINKS) if isinstance(said, dict) else None
    if not isinstance(links, list) or not all(isinstance(link, str) for link in links):
        raise BadHashLink("the metadata of a hashlink tell no links")
    return tuple(links)
