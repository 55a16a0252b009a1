"""Reading an anchor linkset of any domain: every rule is looked at, and what is left is fit to be observed.

Each rule has a name of its own, which `BadAnchor.rule` and `BadCredential.rule` tell. Proofs are not checked
here: that needs keys (`penstock.did.credentials.check`). Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.did.anchors.data_uri import content_of
from penstock.did.anchors.link import CREDENTIAL_TYPE, LINKSET_TYPE, Link, Target
from penstock.did.anchors.payload import Payload, Previous
from penstock.did.anchors.profiles import namespace_of
from penstock.did.cas.hashes import resource_hash
from penstock.did.cas.hashlink import PREFIX, HashLink
from penstock.did.credentials.credential import AnchorCredential
from penstock.did.sparse import parse_sparse
from penstock.errors import BadAnchor, BadDataUri, BadEncoding, BadHashLink, MalformedJson
from penstock.sidetree.canonical import canonical
from penstock.sidetree.multihash import HASH, check_hash

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.did.anchors.link import Item

__all__ = ["Anchor"]

#: Bytes of each part, inflated. Ten thousand items with as many previous anchors have about four million.
PART_LIMIT: Final = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """An anchor linkset that holds."""

    #: The hashlink of `original`, without hints: the anchor's name everywhere.
    uri: str
    author: str
    payload: Payload
    credential: AnchorCredential
    #: Hashlinks of the anchors before this one, with hints.
    parents: tuple[str, ...]
    #: The linkset as it was received.
    document: Mapping[str, Any]

    @classmethod
    def parse(cls, data: bytes, *, part_limit: int = PART_LIMIT) -> Anchor:
        """Read one as it was stored, or as it came over a queue.

        Raises:
            BadAnchor: it breaks a rule.
            BadCredential: its credential is none.
        """
        try:
            return cls.read(parse_sparse(data), part_limit=part_limit)
        except MalformedJson as exc:
            raise BadAnchor("json", f"an anchor linkset cannot be read: {exc}") from exc

    @classmethod
    def read(cls, document: Any, *, part_limit: int = PART_LIMIT) -> Anchor:
        """The same of JSON."""
        link = Link.read(document, "an anchor linkset")
        _demand(link, "anchor linkset")
        content = _content(link.original, "original", LINKSET_TYPE, part_limit)
        _check_hash(link, content)
        original = Link.parse(content, "the original")
        _check_original(link, original)
        related = Link.parse(_content(link.related, "related", LINKSET_TYPE, part_limit), "the related")
        _check_related(link, original, related)
        credential = AnchorCredential.parse(_content(link.replies, "replies", CREDENTIAL_TYPE, part_limit))
        _check_credential(link, original, credential)
        namespace, version = namespace_of(original.profile)
        return cls(
            uri=link.anchor,
            author=original.author,
            payload=Payload(
                core_index=related.via,
                previous=_previous(original, related, namespace),
                origin=original.author,
                namespace=namespace,
                version=version,
            ),
            credential=credential,
            parents=tuple(related.up),
            document=document,
        )

    @property
    def content(self) -> bytes:
        """As it is stored."""
        return canonical(self.document)

    @property
    def hash(self) -> str:
        """The resource hash under which it is stored: the anchor hash of the DIDs in it."""
        return resource_hash(self.content)


def _demand(link: Link, what: str) -> None:
    _hashlink(link.anchor, "anchor")
    for name, found in (("author", link.author), ("profile", link.profile)):
        if not found:
            raise BadAnchor(name, f"an {what} has no {name}")


def _hashlink(text: str, rule: str) -> HashLink:
    try:
        return HashLink.parse(text)
    except BadHashLink as exc:
        raise BadAnchor(rule, f"{rule} of an anchor linkset is no hashlink: {exc}") from exc


def _content(target: Target | None, name: str, kind: str, limit: int) -> bytes:
    if target is None:
        raise BadAnchor(name, f"an anchor linkset has no {name}")
    if target.type != kind:
        raise BadAnchor(f"{name}-type", f"{name} of an anchor linkset is {target.type[:60]!r}, not {kind}")
    try:
        return content_of(target.href, limit=limit)
    except BadDataUri as exc:
        raise BadAnchor(name, f"{name} of an anchor linkset cannot be read: {exc}") from exc


def _check_hash(link: Link, content: bytes) -> None:
    # Without hints: the name of an anchor must not depend on who tells it.
    if (found := HashLink.of(content).bare) != link.anchor:
        raise BadAnchor("original-hash", f"an anchor is {link.anchor[:120]!r}, its original's hash {found}")


def _check_original(link: Link, original: Link) -> None:
    # Only what is inside was hashed and signed, so it is the author inside that counts. Orb does not compare
    # the two either, and its documents show anchors that name another domain outside.
    _demand(original, "original")
    if link.profile != original.profile:
        raise BadAnchor(
            "profile-differs",
            f"profile is {original.profile[:120]!r} in the original, else {link.profile[:120]!r}",
        )


def _check_related(link: Link, original: Link, related: Link) -> None:
    if related.anchor != link.anchor:
        raise BadAnchor(
            "related-anchor", f"the related is about {related.anchor[:120]!r}, not about this anchor"
        )
    if not related.via:
        raise BadAnchor("via", "the related does not say where the core index file is (via)")
    if _hashlink(related.via, "via").hash != _hashlink(original.anchor, "anchor").hash:
        raise BadAnchor("via", "the related leads to another core index file than the original (via)")


def _check_credential(link: Link, original: Link, credential: AnchorCredential) -> None:
    if credential.href != link.anchor:
        raise BadAnchor(
            "subject-href", f"the credential is about {credential.href[:120]!r}, not about this anchor"
        )
    # The older shape does not tell; the hash of the original covers it all the same.
    if credential.core_index and credential.core_index != original.anchor:
        raise BadAnchor("subject-anchor", "the credential is about another core index file")
    if credential.profile != original.profile:
        raise BadAnchor("subject-profile", f"the credential is of the profile {credential.profile[:120]!r}")


def _previous(original: Link, related: Link, namespace: str) -> tuple[Previous, ...]:
    if not original.items:
        raise BadAnchor("item", "an anchor is about no operation")
    parents = {_hashlink(up, "up").hash: up for up in related.up}
    # As they are written, previous anchors are some of them: ten thousand need not be taken apart.
    known = {PREFIX + name: up for name, up in parents.items()} | {"": ""}
    start = f"{namespace}:"

    def previous(item: Item) -> Previous:
        suffix = item.href.rpartition(":")[2]
        if HASH.fullmatch(suffix) and item.href.startswith(start) and item.previous in known:
            return Previous(suffix, known[item.previous])
        return _previous_of(item, parents, namespace)

    found = tuple(map(previous, original.items))
    if len({each.suffix for each in found}) < len(found):
        raise BadAnchor(
            "item-twice", "a DID stands twice in an anchor: one operation of each may be in a batch"
        )
    return found


def _previous_of(item: Item, parents: Mapping[str, str], namespace: str) -> Previous:
    suffix = item.href.rpartition(":")[2]
    try:
        check_hash(suffix)
    except BadEncoding as exc:
        raise BadAnchor("item", f"an item is no DID: {item.href[:120]!r}: {exc}") from exc
    if not item.href.startswith(f"{namespace}:"):
        raise BadAnchor("item", f"an item is no DID of {namespace}: {item.href[:120]!r}")
    if not item.previous:
        return Previous(suffix)
    name = item.previous.removeprefix(PREFIX)
    if name not in parents:
        name = _hashlink(item.previous, "previous").hash
    if name not in parents:
        raise BadAnchor("previous", f"the related does not say where {item.previous[:120]!r} is (up)")
    return Previous(suffix, parents[name])
