"""Building an anchor linkset of a batch.

    original    the core index file, the author, and each DID with its previous anchor: what is hashed and
    signed related     where to find the core index file and the previous anchors: hints, which may differ
    by domain replies     the credential: author's and witnesses' proofs that they have seen `original`

Items stand in the order of the batch (Orb's order is a map's, and so random), hence the same batch has
the same anchor however often it is built. Pure.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from penstock.did.anchors.data_uri import GZIP, data_uri
from penstock.did.anchors.link import CREDENTIAL_TYPE, LINKSET_TYPE, Item, Link, Target
from penstock.did.anchors.profiles import profile_of
from penstock.did.cas.hashlink import HashLink
from penstock.errors import BadAnchor
from penstock.sidetree.canonical import canonical
from penstock.sidetree.did import UNPUBLISHED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.did.anchors.payload import Payload, Previous

    #: Makes a credential of the anchor and the core index file, both as hashlinks without hints.
    CredentialMaker = Callable[[str, str], Mapping[str, Any]]

__all__ = ["CredentialMaker", "build", "with_credential"]


def build(payload: Payload, credential: CredentialMaker, *, kind: str = GZIP) -> dict[str, Any]:
    """The anchor linkset of a batch; its canonical form is what is stored.

    Args:
        payload: The batch.
        credential: Makes the credential, signed or not.
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
    original = _packed(
        Link(
            anchor=core_index,
            author=payload.origin,
            profile=profile,
            items=[_item(each, parents.get(each.anchor), payload.namespace) for each in payload.previous],
        )
    )
    anchor = HashLink.of(original).bare
    related = Link(anchor=anchor, profile=profile, up=_up(parents), via=payload.core_index)
    link = Link(
        anchor=anchor,
        author=payload.origin,
        profile=profile,
        original=Target(data_uri(original, kind), LINKSET_TYPE),
        related=Target(data_uri(_packed(related), kind), LINKSET_TYPE),
        replies=_reply(credential(anchor, core_index), kind),
    )
    return link.linkset()


def with_credential(
    linkset: Mapping[str, Any], credential: Mapping[str, Any], *, kind: str = GZIP
) -> dict[str, Any]:
    """The same anchor with another credential: one with more proofs."""
    link = Link.read(linkset, "an anchor linkset")
    return replace(link, replies=_reply(credential, kind)).linkset()


def _packed(link: Link) -> bytes:
    return canonical(link.linkset())


def _reply(credential: Mapping[str, Any], kind: str) -> Target:
    return Target(data_uri(canonical(credential), kind), CREDENTIAL_TYPE)


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
