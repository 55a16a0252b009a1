"""Content-addressed storage of a domain: what it has itself, and what it can get from elsewhere.

    cas = ContentStorage(StoredContents(url), links_at="https://orb.example.com/cas", remote=Remote())
    link = cas.put(data)                    # hl:uEi…:uoQ-B…
    cas.get(str(link))                      # the same bytes, verified

Read in this order: memory, own storage, the hashlink's links, IPFS, the domain of the hint. Whatever comes
from elsewhere is verified, then stored here. A copy of our own that is damaged counts as missing and is
replaced.

Calls block; the caller chooses the thread: a Spark executor's, or one of the server's.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.did.cas.cache import Cache
from penstock.did.cas.cid import cid_of
from penstock.did.cas.hashes import resource_hash, verify
from penstock.did.cas.hashlink import HashLink
from penstock.did.cas.reference import IPFS, Reference
from penstock.errors import ContentForged, ContentNotFound, NotAcceptable

if TYPE_CHECKING:
    from penstock.did.cas.contents import Contents
    from penstock.did.cas.remote import Remote

__all__ = ["Content", "ContentStorage"]

_log = logging.getLogger(__name__)

#: Bytes of a content unless told otherwise: a full chunk file, and some more for linksets of full batches.
LIMIT: Final = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Content:
    """What was read."""

    data: bytes
    #: Under which others find it here, if it was fetched just now; else None.
    fetched: HashLink | None = None


class ContentStorage:
    """What a domain has, and where it asks for the rest."""

    def __init__(
        self,
        contents: Contents,
        *,
        links_at: str,
        remote: Remote | None = None,
        tells_cid: int | None = None,
        cache: Cache | None = None,
        limit: int = LIMIT,
    ) -> None:
        """Nothing is opened yet.

        Args:
            contents: What this domain has itself.
            links_at: The public URL of this domain's storage; others fetch at `links_at`/hash.
            remote: How others are asked; without it nobody is.
            tells_cid: The version of the CID that hashlinks name beside, for domains on IPFS; None for none.
            cache: What was read lately; None for one of the usual size.
            limit: The most bytes that a content may have, unless a reader says otherwise.
        """
        self._contents = contents
        self._links_at = links_at.rstrip("/")
        self._remote = remote
        self._tells_cid = tells_cid
        self._cache = Cache() if cache is None else cache
        self._limit = limit

    def put(self, data: bytes) -> HashLink:
        """Store it durably; once more is harmless.

        Raises:
            NotAcceptable: it is empty.
            Unavailable: it could not be stored.
        """
        if not data:
            raise NotAcceptable("nothing cannot be stored: an empty content has no use")
        name = resource_hash(data)
        self._contents.put(name, data)
        self._cache.put(name, data)
        return self._link(name, data)

    def link(self, data: bytes) -> HashLink:
        """What `put` will say of it; nothing is stored."""
        return self._link(resource_hash(data), data)

    def get(self, reference: str, *, limit: int | None = None) -> bytes:
        """The content; see `read`."""
        return self.read(reference, limit=limit).data

    def read(self, reference: str, *, limit: int | None = None) -> Content:
        """The content, and whether it came from elsewhere.

        Args:
            reference: A resource hash, a hashlink, or a hash with the hint of a domain or of IPFS.
            limit: The most bytes it may have.

        Raises:
            BadHashLink: the reference is none.
            ContentNotFound: nobody who could be asked has it.
            ContentForged: those who had it sent something else.
            ContentTooLarge: it has more bytes than `limit`.
            Unavailable: somebody who may have it cannot be asked now.
        """
        wanted = Reference.parse(reference)
        most = self._limit if limit is None else limit
        if (data := self._own(wanted.hash, most)) is not None:
            return Content(data)
        if self._remote is None:
            raise ContentNotFound(f"{wanted.hash} is not here, and nobody else may be asked")
        data = self._remote.fetch(wanted, limit=most)
        # Anew: a copy may lie here that is damaged.
        self._contents.put(wanted.hash, data, anew=True)
        self._cache.put(wanted.hash, data)
        return Content(data, self._link(wanted.hash, data))

    def has(self, name: str) -> bool:
        """Whether a content is here already, whole or not."""
        return self._cache.get(name) is not None or self._contents.has(name)

    def _own(self, name: str, limit: int) -> bytes | None:
        data = self._cache.get(name)
        if data is not None and len(data) <= limit:
            return data
        data = self._contents.get(name, limit)
        if data is None:
            return None
        try:
            verify(data, name, source=repr(self._contents))
        except ContentForged as damage:
            _log.warning("a stored content is damaged and counts as missing: %s", damage)
            return None
        self._cache.put(name, data)
        return data

    def _link(self, name: str, data: bytes) -> HashLink:
        links = [f"{self._links_at}/{name}"]
        if self._tells_cid is not None:
            links.append(IPFS + cid_of(data, version=self._tells_cid))
        return HashLink.to(name, links)

    def __repr__(self) -> str:
        return f"<ContentStorage {self._contents!r} at {self._links_at}>"
