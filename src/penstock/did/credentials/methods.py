"""Verification methods: which key a proof was made with, and how to come by it.

A method is a URL with a fragment. `did:key` has the key in its name; `did:web` has it in a document at a
well-known place, and only if that document lists the key for the purpose. Fetching documents is not done
here. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import quote, unquote, urlsplit

from penstock.did import base58
from penstock.did.credentials.keys import ED25519, PublicKey
from penstock.errors import BadCredential, BadEncoding, BadKey

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ASSERTION",
    "DID_WEB",
    "KEY_FRAGMENT",
    "Keys",
    "did_key",
    "did_web",
    "document_of",
    "document_url",
    "domain_of",
    "host_of",
    "key_in",
    "key_of_did_key",
]

#: The purpose of a credential's proofs.
ASSERTION: Final = "assertionMethod"

#: The fragment of a domain's own key in the document that it shows of itself.
KEY_FRAGMENT: Final = "main"

DID_KEY: Final = "did:key:"
DID_WEB: Final = "did:web:"
DID_CONTEXT: Final = "https://www.w3.org/ns/did/v1"
MULTIKEY_CONTEXT: Final = "https://w3id.org/security/multikey/v1"
RELATIONS: Final = ("authentication", ASSERTION, "capabilityDelegation", "capabilityInvocation")


class Keys(Protocol):
    """Where public keys come from."""

    def public_key(self, method: str) -> PublicKey:
        """The key of a verification method.

        Raises:
            BadCredential: there is none, or it is not for assertions.
            Unavailable: it cannot be fetched now.
        """
        ...


# The method did:key, where the name is the key


def did_key(key: PublicKey) -> str:
    """The verification method of a key that needs no document."""
    return f"{DID_KEY}{key.multikey}#{key.multikey}"


def key_of_did_key(method: str) -> PublicKey | None:
    """The key that such a method names; None if it is of another kind.

    Raises:
        BadCredential: it is of this kind, and names no key.
    """
    if not method.startswith(DID_KEY):
        return None
    name, _, fragment = method[len(DID_KEY) :].partition("#")
    if fragment != name:
        raise BadCredential("method", f"a did:key has one key, named like itself: {method[:120]!r}")
    try:
        return PublicKey.from_multikey(name)
    except BadKey as exc:
        raise BadCredential("key", f"{method[:120]!r} names no key: {exc}") from exc


# The method did:web, with a document at a well-known place


def did_web(host: str, path: str = "") -> str:
    """The DID of a domain, or of a service at a path of it."""
    parts = [quote(host, safe=""), *(quote(part, safe="") for part in path.split("/") if part)]
    return DID_WEB + ":".join(parts)


def host_of(method: str) -> str:
    """The domain whose key it is; empty if the method tells none."""
    if not method.startswith(DID_WEB):
        return ""
    return unquote(method.removeprefix(DID_WEB).partition("#")[0].partition(":")[0])


def domain_of(iri: str) -> str:
    """The domain that a service, or the owner of a key, belongs to: host, and port if it tells one."""
    try:
        return host_of(iri) or urlsplit(iri).netloc
    except ValueError:
        return ""


def document_url(method: str, *, scheme: str = "https") -> str:
    """Where the document of a `did:web` is (did:web method, §2.5.2).

    Raises:
        BadCredential: it is no `did:web`.
    """
    did = method.partition("#")[0]
    parts = [unquote(part) for part in did.removeprefix(DID_WEB).split(":")]
    if not did.startswith(DID_WEB) or not all(parts) or any("/" in part for part in parts):
        raise BadCredential("method", f"no did:web, and no other way to a key is known: {method[:120]!r}")
    host, *path = parts
    return "/".join([f"{scheme}://{host}", *(path or [".well-known"]), "did.json"])


def document_of(did: str, keys: Mapping[str, PublicKey]) -> dict[str, Any]:
    """The document that a domain shows of itself.

    Args:
        did: Its DID.
        keys: By their fragments.
    """
    methods = [
        {"id": f"{did}#{name}", "type": "Multikey", "controller": did, "publicKeyMultibase": key.multikey}
        for name, key in keys.items()
    ]
    related = {relation: [method["id"] for method in methods] for relation in RELATIONS}
    return {
        "@context": [DID_CONTEXT, MULTIKEY_CONTEXT],
        "id": did,
        "verificationMethod": methods,
        **related,
    }


def key_in(document: Mapping[str, Any], method: str, *, purpose: str = ASSERTION) -> PublicKey:
    """The key of a method in its controller's document, if it is there for that purpose; "" is any, or none.

    Raises:
        BadCredential: it is not, or the document is another's.
    """
    did = method.partition("#")[0]
    if document.get("id") != did:
        raise BadCredential(
            "method", f"the document of {did[:120]!r} is of {str(document.get('id'))[:120]!r}"
        )
    # A method may stand inside the list of its purpose, or be named there and stand elsewhere.
    related = _list(document, purpose)
    known = [*_list(document, "verificationMethod"), *related]
    named = {_absolute(each if isinstance(each, str) else _id(each), did) for each in related}
    if purpose and method not in named:
        raise BadCredential("purpose", f"{method[:120]!r} is not among the keys for {purpose} of its owner")
    for each in known:
        if isinstance(each, dict) and _absolute(_id(each), did) == method:
            return _key(each, method)
    raise BadCredential("method", f"{method[:120]!r} is not in its owner's document")


def _list(document: Mapping[str, Any], name: str) -> list[Any]:
    found = document.get(name)
    return found if isinstance(found, list) else []


def _id(method: Any) -> str:
    found = method.get("id") if isinstance(method, dict) else None
    return found if isinstance(found, str) else ""


def _absolute(name: str, did: str) -> str:
    return did + name if name.startswith("#") else name


def _key(method: Mapping[str, Any], name: str) -> PublicKey:
    try:
        match method:
            case {"publicKeyMultibase": str(text), "type": "Ed25519VerificationKey2020"}:
                return _bare_or_multikey(text)
            case {"publicKeyMultibase": str(text)}:
                return PublicKey.from_multikey(text)
            case {"publicKeyJwk": dict(jwk)}:
                return PublicKey.from_jwk(jwk)
            case {"publicKeyBase58": str(text), "type": "Ed25519VerificationKey2018"}:
                return PublicKey.of(ED25519, base58.decode(text))
    except (BadEncoding, BadKey) as exc:
        raise BadCredential("key", f"{name[:120]!r} has no key that can be read: {exc}") from exc
    raise BadCredential("key", f"{name[:120]!r} has no key of a kind that is known")


def _bare_or_multikey(text: str) -> PublicKey:
    # Orb leaves the codec's number out.
    raw = base58.decode(text.removeprefix(base58.SIGN))
    return PublicKey.of(ED25519, raw[-32:] if len(raw) == 34 and raw[:2] == b"\xed\x01" else raw)  # noqa: PLR2004
