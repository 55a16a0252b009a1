"""Reading an anchor of any domain to the end: linkset, credential, files, operations, signatures.

    observation = read_anchor(data, fetch, keys, protocols)

What makes an anchor an anchor, and a batch a batch, is demanded of the whole. An operation whose signature is
not of the key that it reveals can never count, and is left out: one bad operation costs no other (orb#1583).
Whether an operation counts is decided when its DID is resolved. Pure, but for the ports that files and keys
come from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.did.anchors import Anchor
from penstock.did.cas.hashes import resource_hash
from penstock.did.cas.hashlink import HashLink
from penstock.did.credentials import domain_of, holding, hosts_in
from penstock.did.observing.observation import LeftOut, Observation, ways_to
from penstock.errors import BadCredential, SidetreeError
from penstock.sidetree.anchored import Anchored
from penstock.sidetree.files import read_batch, read_own_batch
from penstock.sidetree.ingestion import check_signature

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from penstock.did.credentials import Keys
    from penstock.sidetree.files import Fetch, Observed
    from penstock.sidetree.protocol import Protocol, Protocols

__all__ = ["check_author", "read_anchor"]

ANYBODY: Final = "*"
CREATE: Final = "create"


def read_anchor(
    data: bytes,
    fetch: Fetch,
    keys: Keys,
    protocols: Protocols,
    *,
    unchecked: Collection[str] = (),
    verified: bool = False,
) -> Observation:
    """What an anchor, by its linkset, has anchored.

    Args:
        data: The linkset as it is stored; its hash was verified.
        fetch: Where the files come from.
        keys: Where the keys of author and witnesses come from.
        protocols: The versions of the protocol.
        unchecked: Authors who are trusted though no proof of theirs can be checked here; "*" is anybody.
        verified: Whether whoever asks has written its files, of operations that it had verified, and has
            checked each proof when it came: once is enough, and a witness may be away since, or have taken
            its key back.

    Raises:
        BadAnchor, BadCredential: the linkset breaks a rule, or a proof does not hold.
        BadBatchFile, UnknownVersion: the batch breaks a rule, or there is no protocol for it.
        ContentNotFound, ContentForged, ContentTooLarge: a file cannot be had as it must be.
        Unavailable: somebody who has a file or a key cannot be reached now.
    """
    anchor = Anchor.parse(data)
    if not verified:
        check_author(anchor, keys, unchecked=unchecked)
    protocol = protocols.at(int(anchor.credential.issued_at))
    read = read_own_batch if verified else read_batch
    observed = read(anchor.payload.anchor_string, fetch, protocol)
    name = resource_hash(data)
    operations, left_out = _judged(anchor, name, observed, protocol)
    return Observation(
        hash=name,
        author=anchor.author,
        issued_at=anchor.credential.issued_at,
        parents=anchor.parents,
        operations=tuple(operations),
        left_out=tuple(left_out),
    )


def check_author(anchor: Anchor, keys: Keys, *, unchecked: Collection[str] = ()) -> None:
    """See that all proofs hold that can be checked, and that the author's is among them.

    Operations are proved by their own signatures; what an anchor's proofs add is when they were anchored, and
    by whom. Whoever is told to take an author's word for that needs no proof of it.

    Raises:
        BadCredential: one does not, or it is not.
        Unavailable: a key cannot be fetched now.
    """
    credential = anchor.credential.document
    held = holding(credential, keys)
    if anchor.author in unchecked or ANYBODY in unchecked:
        return
    if not held:
        raise BadCredential(
            "suite",
            f"no proof on an anchor of {anchor.author[:120]!r} can be checked here: the parameter "
            "unchecked-authors says whose word is taken without",
        )
    if domain_of(anchor.author) not in hosts_in(held):
        raise BadCredential("author", f"{anchor.author[:120]!r} has not signed the anchor that names it")


def _judged(
    anchor: Anchor, name: str, observed: Iterable[Observed], protocol: Protocol
) -> tuple[list[Anchored], list[LeftOut]]:
    hashes = {link: HashLink.parse(link).hash for link in anchor.parents}
    before = {each.suffix: hashes[each.anchor] for each in anchor.payload.previous if each.anchor}
    ways, time = ways_to(anchor.author, name), int(anchor.credential.issued_at)
    operations, left_out = [], []
    for each in observed:
        try:
            if each.signed is not None:
                check_signature(each.reveal_value, each.signed)
        except SidetreeError as exc:
            left_out.append(LeftOut(each.suffix, each.type, str(exc)))
            continue
        operations.append(
            Anchored(
                type=each.type,
                suffix=each.suffix,
                request=each.request,
                time=time,
                protocol_version=protocol.genesis_time,
                reference=name,
                equivalents=ways,
                previous=before.get(each.suffix, ""),
                anchor_origin=each.anchor_origin,
                verified=each.type != CREATE,
            )
        )
    return operations, left_out
