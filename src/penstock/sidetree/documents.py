"""DID documents: a state as the world sees it (DID Core §5, Sidetree "Resolution")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.errors import BadEncoding
from penstock.sidetree import base58, base64url
from penstock.sidetree.keys import COORDINATE
from penstock.sidetree.patches.also_known_as import names
from penstock.sidetree.patches.public_keys import FORMS

if TYPE_CHECKING:
    from penstock.sidetree.methods import Method
    from penstock.sidetree.state import State

__all__ = ["did_document"]

DID_CONTEXT: Final = "https://www.w3.org/ns/did/v1"

#: What a type of key means to those who read JSON-LD.
KEY_CONTEXTS: Final = {
    "Bls12381G2Key2020": "https://w3id.org/security/suites/bls12381-2020/v1",
    "EcdsaSecp256k1VerificationKey2019": "https://w3id.org/security/suites/secp256k1-2019/v1",
    "Ed25519VerificationKey2018": "https://w3id.org/security/suites/ed25519-2018/v1",
    "Ed25519VerificationKey2020": "https://w3id.org/security/suites/ed25519-2020/v1",
    "JsonWebKey2020": "https://w3id.org/security/suites/jws-2020/v1",
    "X25519KeyAgreementKey2019": "https://w3id.org/security/suites/x25519-2019/v1",
}


def did_document(did: str, state: State, method: Method) -> dict[str, Any]:
    """The document of a DID, under the name that was asked for. One that is deactivated has nothing else."""
    keys = state.document.get("publicKeys", [])
    named = "" if method.relative else did
    if state.deactivated and method.contexts:
        # sidetree.js names no words where there are none, and no list for the one context that is left.
        return {"@context": DID_CONTEXT, "id": did}
    document: dict[str, Any] = {"@context": context(did, keys, method), "id": did}
    parts = {
        "alsoKnownAs": names(state.document),
        "verificationMethod": [verification_method(did, named, key, method) for key in keys],
        **relationships(named, keys),
        "service": [service(named, entry) for entry in state.document.get("services", [])],
    }
    shown = {"service"} if method.empty_services and "services" in state.document else set()
    return document | {name: part for name, part in parts.items() if part or name in shown}


def context(did: str, keys: list[dict[str, Any]], method: Method) -> list[Any]:
    base = method.contexts or (({"@base": did},) if method.relative else ())
    suites = [KEY_CONTEXTS[key["type"]] for key in keys if key["type"] in KEY_CONTEXTS]
    return [DID_CONTEXT, *base, *(dict.fromkeys(suites) if method.key_suites else ())]


def verification_method(did: str, named: str, key: dict[str, Any], method: Method) -> dict[str, Any]:
    return {
        "id": f"{named}#{key['id']}",
        "controller": key.get("controller", did),
        "type": key["type"],
        **(material(key) if method.key_suites else as_it_came(key)),
    }


def as_it_came(key: dict[str, Any]) -> dict[str, Any]:
    return {form: key[form] for form in FORMS & key.keys()}


def material(key: dict[str, Any]) -> dict[str, Any]:
    """The key itself, in the form that its type asks for. Multibase has no code in it, as in Orb."""
    if "publicKeyJwk" not in key:
        return as_it_came(key)
    raw = ed25519(key["publicKeyJwk"])
    if raw and key["type"] == "Ed25519VerificationKey2018":
        return {"publicKeyBase58": base58.encode(raw)}
    if raw and key["type"] == "Ed25519VerificationKey2020":
        return {"publicKeyMultibase": f"z{base58.encode(raw)}"}
    return {"publicKeyJwk": key["publicKeyJwk"]}


def ed25519(jwk: dict[str, Any]) -> bytes | None:
    """The bytes of a key on Ed25519; nobody has looked at it before, it only stands in a document."""
    if jwk.get("crv") != "Ed25519" or not isinstance(jwk.get("x"), str):
        return None
    try:
        raw = base64url.decode(jwk["x"])
    except BadEncoding:
        return None
    return raw if len(raw) == COORDINATE else None


def relationships(named: str, keys: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The keys by purpose."""
    found: dict[str, list[str]] = {}
    for key in keys:
        for purpose in dict.fromkeys(key.get("purposes", ())):
            found.setdefault(purpose, []).append(f"{named}#{key['id']}")
    return found


def service(named: str, entry: dict[str, Any]) -> dict[str, Any]:
    return {**entry, "id": f"{named}#{entry['id']}"}
