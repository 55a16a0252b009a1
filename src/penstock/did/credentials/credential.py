"""The verifiable credential of an anchor: its author and witnesses vouch for the hash of what is anchored.

    credentialSubject.href      the anchor: hl:<hash of the `original` linkset>
    credentialSubject.anchor    the core index file: hl:<hash>

Built in the shape of Orb 1.0; read in that shape, and in two older ones, whose subject is the anchor alone
or has it as its `id`. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.did.instants import from_rfc_3339, rfc_3339
from penstock.did.sparse import parse_sparse
from penstock.errors import BadCredential, MalformedJson

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PROFILE", "AnchorCredential", "anchor_credential"]

#: The only way so far in which linksets describe operations of DIDs.
PROFILE: Final = "https://w3id.org/orb#v0"

CREDENTIALS: Final = "https://www.w3.org/2018/credentials/v1"
CONTEXTS: Final = (
    CREDENTIALS,
    "https://w3id.org/activityanchors/v1",
    "https://w3id.org/security/data-integrity/v2",
)
TYPES: Final = ("VerifiableCredential", "AnchorCredential")
LINKSET: Final = "linkset"


def anchor_credential(*, name: str, issuer: str, at: float, anchor: str, core_index: str) -> dict[str, Any]:
    """A credential without proofs.

    Args:
        name: Its URL.
        issuer: Who anchors.
        at: When, in seconds since the epoch. The operations count from this instant.
        anchor: The hashlink of the `original` linkset, without hints.
        core_index: The hashlink of the core index file, without hints.
    """
    return {
        "@context": list(CONTEXTS),
        "type": list(TYPES),
        "id": name,
        "issuer": issuer,
        "issuanceDate": rfc_3339(at),
        "credentialSubject": {
            "type": ["AnchorLink"],
            "rel": LINKSET,
            "profile": PROFILE,
            "anchor": core_index,
            "href": anchor,
        },
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorCredential:
    """What a credential says, read."""

    name: str
    issuer: str
    issued_at: float
    #: The hashlink of the `original` linkset.
    href: str
    #: The hashlink of the core index file; empty in the older shape, which does not say.
    core_index: str
    profile: str
    #: As received; proofs are checked on it.
    document: Mapping[str, Any]

    @classmethod
    def parse(cls, data: bytes) -> AnchorCredential:
        """Read one.

        Raises:
            BadCredential: it is none; `rule` says why.
        """
        try:
            document = parse_sparse(data)
        except MalformedJson as exc:
            raise BadCredential("json", f"a credential cannot be read: {exc}") from exc
        if not isinstance(document, dict):
            raise BadCredential("json", "a credential is no JSON object")
        return cls.read(document)

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> AnchorCredential:
        """The same of JSON."""
        contexts, types = _listed(document.get("@context")), _listed(document.get("type"))
        if not contexts or contexts[0] != CREDENTIALS:
            raise BadCredential("context", f"the first context of a credential is {CREDENTIALS}")
        if TYPES[0] not in types:
            raise BadCredential("type", f"a credential is of the type {TYPES[0]}")
        return cls(
            name=_text(document.get("id"), "id"),
            issuer=_issuer(document.get("issuer")),
            issued_at=_issued_at(document.get("issuanceDate")),
            document=document,
            **_subject(document.get("credentialSubject")),
        )


def _subject(subject: Any) -> dict[str, str]:
    if isinstance(subject, list) and len(subject) == 1:
        subject = subject[0]
    match subject:
        # Until spring 2022.
        case str(href) if href:
            return {"href": href, "core_index": "", "profile": PROFILE}
        # Until autumn 2022.
        case {"id": str(href), "anchor": str(anchor), "profile": str(profile)} if "href" not in subject:
            return {"href": href, "core_index": anchor, "profile": profile}
        case {"rel": str(rel)} if rel != LINKSET:
            raise BadCredential("rel", f"a credential's subject is related as {rel[:60]!r}, not as {LINKSET}")
        case {"rel": str(), "href": str(href), "anchor": str(anchor), "profile": str(profile)}:
            return {"href": href, "core_index": anchor, "profile": profile}
    raise BadCredential("subject", "a credential's subject has no rel, href, anchor or profile")


def _issuer(issuer: Any) -> str:
    return _text(issuer.get("id") if isinstance(issuer, dict) else issuer, "issuer")


def _issued_at(text: Any) -> float:
    try:
        return from_rfc_3339(text)
    except ValueError as exc:
        raise BadCredential("issuanceDate", f"a credential does not say when it was issued: {exc}") from exc


def _text(found: Any, name: str) -> str:
    if not isinstance(found, str) or not found:
        raise BadCredential(name, f"a credential has no {name}")
    return found


def _listed(found: Any) -> list[Any]:
    return found if isinstance(found, list) else [found]
