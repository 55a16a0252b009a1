"""Finding out about a DID that is not known here (orb.did): its anchors are looked for, and observed.

    1. the anchor that the DID names, and those before it, as each tells of the DID's previous one
    2. its origin, as the DID's create or last recover names it, is asked for the DID's latest anchor;
       those between are observed, too

They are observed whole, the oldest first: so nothing is half known, and a duplicate costs nothing. The anchor
that is named and the latest are told of also if they are known: whoever observed them may have died before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import msgspec

from penstock.did.activities.directory import DID_TYPE, RESOLUTION
from penstock.did.anchoring import AnchorInfo, known_links
from penstock.did.anchoring.links import OBSERVED
from penstock.did.anchors import Anchor
from penstock.did.cas import HashLink, Reference
from penstock.did.credentials import domain_of
from penstock.did.hints import hint_to, url_of
from penstock.did.observing.outcome import Outcome, Seen, as_error
from penstock.did.operations import operations_of
from penstock.did.unreadable import UNREADABLE
from penstock.errors import BadAnchor, BadHashLink, ContentNotFound, ContentTooLarge, InvalidMessage
from penstock.sidetree.did import read_did

if TYPE_CHECKING:
    from penstock.did.cas import ContentStorage
    from penstock.did.database import DomainDatabase
    from penstock.did.http.port import Fetch
    from penstock.did.observing.observer import Observer
    from penstock.sidetree.did import Did
    from penstock.sidetree.methods import Method

__all__ = ["Finder", "did_in"]

#: Anchors of one DID that are followed up.
LONGEST: Final = 10_000
#: Bytes of a resolution result.
LIMIT: Final = 1024 * 1024

_decode: Final = msgspec.json.Decoder(str).decode


def did_in(body: bytes) -> str:
    """The DID that a message of orb.did asks about.

    Raises:
        InvalidMessage: it asks about none.
    """
    try:
        return _decode(body)
    except UNREADABLE as exc:
        raise InvalidMessage(f"it asks the observer about no DID: {exc}") from exc


class Finder:
    """Finds the anchors of DIDs, and has them observed."""

    def __init__(
        self,
        observer: Observer,
        database: DomainDatabase,
        *,
        cas: ContentStorage,
        fetch: Fetch,
        method: Method,
        longest: int = LONGEST,
    ) -> None:
        """Nothing is looked for yet.

        Args:
            observer: Observes what is found.
            database: The domain's.
            cas: The domain's, with a way to other domains'.
            fetch: `HttpFetcher().fetch`, or one like it.
            method: Whose DIDs these are; its domain is this one.
            longest: Anchors of one DID that are followed up.
        """
        self._observer = observer
        self._database = database
        self._cas = cas
        self._fetch = fetch
        self._method = method
        self._longest = longest

    def find(self, did: str) -> Outcome:
        """Observe all anchors of a DID that can be found; whatever is wrong is in the outcome."""
        seen: list[Seen] = []
        try:
            wanted = read_did(did, self._method)
            self._observe(wanted, wanted.anchor, seen)
            if latest := self._latest(wanted):
                self._observe(wanted, latest, seen)
        except Exception as exc:  # noqa: BLE001  one bad DID never stops the rest
            return Outcome(seen=seen, error=as_error(exc))
        return Outcome(seen=seen)

    def _observe(self, wanted: Did, reference: str, seen: list[Seen]) -> None:
        links = self._lineage(wanted.suffix, reference)
        told = {HashLink.parse(each.info.hash_link).hash for each in seen}
        if reference and not links and (named := _link_of(reference)).hash not in told:
            links = [named]
        for link in reversed(links):
            # One by one: what was seen before a failure is not forgotten.
            seen += [self._observer.see(AnchorInfo(hash_link=str(link)), link)]

    def _lineage(self, suffix: str, reference: str) -> list[HashLink]:
        """The anchors of a DID that are not observed yet, from that one back to its create."""
        found: list[HashLink] = []
        while reference:
            link = _link_of(reference)
            if self._database.read(known_links, [link.hash]).get(link.hash) == OBSERVED:
                break
            if len(found) == self._longest:
                raise BadAnchor("previous", f"the DID has more than {self._longest} anchors: replay them")
            found.append(link)
            reference = _previous(Anchor.parse(self._cas.get(reference)), suffix)
        return found

    def _latest(self, wanted: Did) -> str:
        """The DID's latest anchor, as its origin knows it; empty if that has nothing to say."""
        history = self._database.read(operations_of, wanted.suffix)
        origins = [each for each in history if each.type in {"create", "recover"}]
        origin = max(origins, key=lambda each: each.time).anchor_origin if origins else None
        if not isinstance(origin, str) or domain_of(origin) in {"", self._method.domain}:
            return ""
        url = f"{url_of(origin)}{RESOLUTION}/{quote(wanted.text, safe=':')}"
        try:
            told = msgspec.json.decode(self._fetch(url, limit=LIMIT, accept=DID_TYPE))
            return _checked(f"{hint_to(origin)}:{_version(told)}")
        except (ContentNotFound, ContentTooLarge, BadHashLink, *UNREADABLE):
            # It need not know it, and may say what it likes.
            return ""


def _link_of(reference: str) -> HashLink:
    """What a DID names its anchor by, as a hashlink without what only the first look needs."""
    if reference.startswith("hl:"):
        return HashLink.parse(reference)
    return HashLink(Reference.parse(reference).hash)


def _checked(reference: str) -> str:
    Reference.parse(reference)
    return reference


def _version(told: Any) -> str:
    match told:
        case {"didDocumentMetadata": {"versionId": str(version)}}:
            return version
    return ""


def _previous(anchor: Anchor, suffix: str) -> str:
    for each in anchor.payload.previous:
        if each.suffix == suffix:
            return each.anchor
    raise BadAnchor("item", f"the anchor {anchor.uri} is not about the DID that is looked for: {suffix}")
