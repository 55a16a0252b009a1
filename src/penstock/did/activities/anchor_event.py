"""Anchor events: an anchor linkset, or a hashlink to it, and the activities that tell of it.

    Create      its author to its followers, with the linkset
    Announce    whoever received a Create to its own followers
    Like        whoever has observed it, to its author, with where a copy can be had
    Undo        of a Like: the copy can no longer be had

Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.did.activities import names
from penstock.did.activities.activity import Activity, activity
from penstock.did.activities.names import ACTIVITY_ANCHORS
from penstock.did.cas.hashes import resource_hash
from penstock.did.cas.hashlink import LONGEST, HashLink
from penstock.errors import BadActivity, BadHashLink
from penstock.sidetree.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.did.activities.reading import Reader

__all__ = [
    "AnchorEvent",
    "announce",
    "announced",
    "create",
    "created",
    "like",
    "liked",
    "unlike",
    "unliked",
]

#: Hashlinks to one copy that are looked at.
MOST: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorEvent:
    """An anchor, and where its linkset is, if it does not carry it."""

    url: HashLink
    linkset: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, reader: Reader) -> AnchorEvent:
        """Read one.

        Raises:
            BadActivity: it is none, or carries another linkset than its URL says.
        """
        if names.ANCHOR_EVENT not in reader.texts("type"):
            raise BadActivity("object-type", f"{reader.what} is no {names.ANCHOR_EVENT}")
        urls = reader.texts("url")
        if len(urls) != 1:
            raise BadActivity("url", f"{reader.what} has {len(urls)} URLs, and one is meant")
        try:
            url = HashLink.parse(urls[0])
        except BadHashLink as exc:
            raise BadActivity("url", f"the URL of {reader.what} is no hashlink: {exc}") from exc
        linkset = reader.mapping("object", {})
        if linkset and resource_hash(canonical(linkset)) != url.hash:
            raise BadActivity("url-hash", f"{reader.what} carries another linkset than its URL says")
        return cls(url=url, linkset=linkset or None)

    def document(self) -> dict[str, Any]:
        """As it is sent."""
        said = {"@context": ACTIVITY_ANCHORS, "type": names.ANCHOR_EVENT, "url": str(self.url)}
        return said if self.linkset is None else {**said, "object": self.linkset}


def create(*, name: str, actor: str, to: Sequence[str], event: AnchorEvent, at: float) -> dict[str, Any]:
    """Tell followers of an anchor of one's own."""
    return activity(names.CREATE, name=name, actor=actor, to=to, about=event.document(), at=at)


def created(told: Activity) -> AnchorEvent:
    """The anchor that was created; raises BadActivity, as the others do."""
    told.demand(names.CREATE)
    return AnchorEvent.of(told.reader.reader("object"))


def announce(
    *, name: str, actor: str, to: Sequence[str], events: Sequence[AnchorEvent], at: float
) -> dict[str, Any]:
    """Tell followers of anchors of others."""
    about = {
        "type": names.COLLECTION,
        "totalItems": len(events),
        "items": [event.document() for event in events],
    }
    return activity(names.ANNOUNCE, name=name, actor=actor, to=to, about=about, at=at)


def announced(told: Activity) -> list[AnchorEvent]:
    """The anchors that were announced."""
    told.demand(names.ANNOUNCE)
    collection = told.reader.reader("object")
    kinds = collection.texts("type")
    if names.ORDERED_COLLECTION in kinds:
        return [AnchorEvent.of(each) for each in collection.readers("orderedItems")]
    if names.COLLECTION in kinds:
        return [AnchorEvent.of(each) for each in collection.readers("items")]
    raise BadActivity("object-type", f"{collection.what} is no collection")


def like(
    *,
    name: str,
    actor: str,
    to: Sequence[str],
    liked: AnchorEvent,
    copy: AnchorEvent | None = None,
    at: float,
) -> dict[str, Any]:
    """Tell an anchor's author that it was observed, and where a copy can be had."""
    result = None if copy is None else copy.document()
    return activity(names.LIKE, name=name, actor=actor, to=to, about=liked.document(), at=at, result=result)


def liked(told: Activity) -> tuple[AnchorEvent, AnchorEvent | None]:
    """The anchor that is liked, and the liker's copy."""
    told.demand(names.LIKE)
    event = AnchorEvent.of(told.reader.reader("object"))
    has_copy = told.reader.value("result", None) is not None
    return event, _copy(told.reader.reader("result"), event.url) if has_copy else None


def _copy(result: Reader, liked: HashLink) -> AnchorEvent:
    """The liker's copy; several hashlinks to it are one with their hints, as Orb keeps them all."""
    urls = result.texts("url")
    found = [link for link in map(_hashlink, urls[:MOST]) if link is not None and link.hash == liked.hash]
    if len(urls) == 1 or not found:
        return AnchorEvent.of(result)
    whole = found[0]
    for link in found[1:]:
        longer = HashLink.to(liked.hash, list(dict.fromkeys(whole.links + link.links)))
        # One that is too long could be kept, and never be read again.
        whole = longer if len(str(longer)) <= LONGEST else whole
    return AnchorEvent(url=whole)


def _hashlink(text: str) -> HashLink | None:
    try:
        return HashLink.parse(text)
    except BadHashLink:
        return None


def unlike(*, name: str, actor: str, undone: Mapping[str, Any]) -> dict[str, Any]:
    """Take back a Like."""
    to = Activity.read(undone).to
    return activity(names.UNDO, name=name, actor=actor, to=to, about=undone)


def unliked(told: Activity) -> AnchorEvent:
    """The anchor that is no longer liked."""
    told.demand(names.UNDO)
    undone = told.inner
    if undone.actor != told.actor:
        raise BadActivity("actor", f"{told.actor[:120]!r} undoes what {undone.actor[:120]!r} had done")
    return liked(undone)[0]
