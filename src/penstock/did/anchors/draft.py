"""An anchor before it is signed: all that its batch tells, and nothing of who has seen it.

It depends on nothing but the batch, so whoever has the batch at hand makes it: an executor that has just
written the files. To sign it is the domain's, and little work. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.did.anchors.data_uri import GZIP, data_uri
from penstock.did.anchors.link import Item, Link
from penstock.did.anchors.profiles import profile_of
from penstock.did.cas.hashlink import HashLink
from penstock.errors import BadAnchor
from penstock.sidetree.canonical import canonical
from penstock.sidetree.did import UNPUBLISHED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.did.anchors.payload import Payload, Previous

__all__ = ["Draft"]


class Draft(Struct, frozen=True, kw_only=True, gc=False):
    """An anchor linkset without its replies."""

    #: Its name: the hashlink of `original`.
    anchor: str
    #: The hashlink of the core index file, without hints.
    core_index: str
    author: str
    profile: str
    #: Both as data URIs.
    original: str
    related: str

    @classmethod
    def of(cls, payload: Payload, *, kind: str = GZIP) -> Draft:
        """That of a batch.

        Args:
            payload: The batch.
            kind: How its parts are written.

        Raises:
            BadAnchor: the batch is empty.
            BadHashLink: the core index or a previous anchor is no hashlink.
        """
        if not payload.previous:
            raise BadAnchor("item", "an anchor is about one operation at least")
        profile = profile_of(payload.namespace, payload.version)
        core_index = HashLink.parse(payload.core_index).bare
        # Each once: thousands of DIDs that were created together have one anchor.
        parents = {
            text: HashLink.parse(text) for text in {each.anchor: None for each in payload.previous} if text
        }
        items = [_item(each, parents.get(each.anchor), payload.namespace) for each in payload.previous]
        original = _packed(Link(anchor=core_index, author=payload.origin, profile=profile, items=items))
        anchor = HashLink.of(original).bare
        related = Link(anchor=anchor, profile=profile, up=_up(parents), via=payload.core_index)
        return cls(
            anchor=anchor,
            core_index=core_index,
            author=payload.origin,
            profile=profile,
            original=data_uri(original, kind),
            related=data_uri(_packed(related), kind),
        )


def _packed(link: Link) -> bytes:
    return canonical(link.linkset())


def _item(previous: Previous, parent: HashLink | None, namespace: str) -> Item:
    if parent is None:
        return Item(f"{namespace}:{UNPUBLISHED}:{previous.suffix}")
    return Item(f"{namespace}:{parent.hash}:{previous.suffix}", parent.bare)


def _up(parents: Mapping[str, HashLink]) -> tuple[str, ...]:
    """Each previous anchor once, with its hints, in the order of the batch."""
    found: dict[str, str] = {}
    for text, link in parents.items():
        found.setdefault(link.hash, text)
    return tuple(found.values())
