"""A domain that anchors: real files, real linksets, real proofs, in a storage that others can read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.did.anchors import Payload, Previous, build
from penstock.did.cas import ContentStorage, HashLink
from penstock.sidetree.batches import Queued, assemble
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.files import build as build_files
from penstock.sidetree.files import part_of_request
from penstock.sidetree.multihash import hashed
from penstock.sidetree.protocol import ORB, Protocols
from tests.did.anchoring.helpers import A, PaperContents
from tests.sidetree.lives import NOW, Life, changed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.did.anchoring import Identity

PROTOCOLS = Protocols([ORB])


def suffix_in(request: bytes) -> str:
    """Whose operation a request is."""
    value = parse(request)
    found: str = hashed(value["suffixData"]) if "suffixData" in value else value["didSuffix"]
    return found


@dataclass
class Author:
    """Anchors batches, and remembers the last anchor of each DID."""

    who: Identity = A
    contents: Any = field(default_factory=PaperContents)
    latest: dict[str, str] = field(default_factory=dict)
    #: Takes a credential, and gives another in its place.
    forge: Any = None

    @property
    def cas(self) -> ContentStorage:
        return ContentStorage(self.contents, links_at=f"{self.who.base}/cas")

    def anchor(self, *requests: bytes, at: float = NOW, **changes: Any) -> HashLink:
        """Anchor these operations in one batch; where the linkset is."""
        cas = self.cas
        queued = [Queued(place, request) for place, request in enumerate(requests)]
        (batch,) = assemble(queued, PROTOCOLS, int(at), lambda data: str(cas.put(data))).batches
        return self.anchor_files(batch.files.anchor_string.core_index, requests, at=at, **changes)

    def anchor_unjudged(self, *requests: bytes, at: float = NOW) -> HashLink:
        """The same, of operations that nobody has looked at."""
        cas = self.cas
        parts = [part_of_request(request) for request in requests]
        files = build_files(parts, lambda data: str(cas.put(data)), ORB)
        return self.anchor_files(files.anchor_string.core_index, requests, at=at)

    def anchor_files(
        self, core_index: str, requests: tuple[bytes, ...], *, at: float = NOW, **changes: Any
    ) -> HashLink:
        """The same of files that are there."""
        suffixes = [suffix_in(request) for request in requests]
        previous = [Previous(suffix, self.latest.get(suffix, "")) for suffix in suffixes]
        told = {"core_index": core_index, "previous": previous, "origin": self.who.service, **changes}

        def credential(anchor: str, index: str) -> Mapping[str, Any]:
            made = self.who.credential(anchor, index, at=at)
            return self.forge(made) if self.forge else made

        link = self.cas.put(canonical(build(Payload(**told), credential)))
        self.latest |= dict.fromkeys(suffixes, str(link))
        return link


def forged(request: bytes) -> bytes:
    """The request, signed by nobody."""
    head, payload, signature = parse(request)["signedData"].split(".")
    return changed(request, signedData=f"{head}.{payload}.{signature[:-8]}AAAAAAAA")


def three_anchors(author: Author, name: str = "alice", at: float = NOW) -> tuple[Life, list[HashLink]]:
    """A DID that is created, updated and recovered, in an anchor each."""
    life = Life(name)
    links = [
        author.anchor(request, at=at + number)
        for number, request in enumerate([life.create(), life.update(), life.recover()])
    ]
    return life, links
