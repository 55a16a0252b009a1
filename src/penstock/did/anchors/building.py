"""Building an anchor linkset of a batch.

    original    the core index file, the author, each DID with its previous anchor: what is hashed and signed
    related     where the core index file and the previous anchors are: hints, which may differ by domain
    replies     the credential: author's and witnesses' proofs that they have seen `original`

The first two are the draft, which is made of the batch alone; the third makes it an anchor. Items stand
in the order of the batch (Orb's order is a map's, and so random), hence the same batch has the same anchor
however often it is built. Pure.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from penstock.did.anchors.data_uri import GZIP, data_uri
from penstock.did.anchors.draft import Draft
from penstock.did.anchors.link import CREDENTIAL_TYPE, LINKSET_TYPE, Link, Target
from penstock.sidetree.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.did.anchors.payload import Payload

    #: Makes a credential of the anchor and the core index file, both as hashlinks without hints.
    CredentialMaker = Callable[[str, str], Mapping[str, Any]]

__all__ = ["CredentialMaker", "build", "complete", "with_credential"]


def build(payload: Payload, credential: CredentialMaker, *, kind: str = GZIP) -> dict[str, Any]:
    """The anchor linkset of a batch.

    Args:
        payload: The batch.
        credential: Makes the credential, signed or not.
        kind: How its parts are written.

    Raises:
        BadAnchor: the batch is empty.
        BadHashLink: the core index or a previous anchor is no hashlink.
    """
    return complete(Draft.of(payload, kind=kind), credential, kind=kind)


def complete(draft: Draft, credential: CredentialMaker, *, kind: str = GZIP) -> dict[str, Any]:
    """The anchor linkset of a draft; its canonical form is what is stored."""
    link = Link(
        anchor=draft.anchor,
        author=draft.author,
        profile=draft.profile,
        original=Target(draft.original, LINKSET_TYPE),
        related=Target(draft.related, LINKSET_TYPE),
        replies=_reply(credential(draft.anchor, draft.core_index), kind),
    )
    return link.linkset()


def with_credential(
    linkset: Mapping[str, Any], credential: Mapping[str, Any], *, kind: str = GZIP
) -> dict[str, Any]:
    """The same anchor with another credential: one with more proofs."""
    link = Link.read(linkset, "an anchor linkset")
    return replace(link, replies=_reply(credential, kind)).linkset()


def _reply(credential: Mapping[str, Any], kind: str) -> Target:
    return Target(data_uri(canonical(credential), kind), CREDENTIAL_TYPE)
