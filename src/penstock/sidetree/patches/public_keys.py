"""add-public-keys and remove-public-keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.errors import BadPatch
from penstock.sidetree.patches.action import Action, Document
from penstock.sidetree.patches.values import check_id, check_unique, entries, is_object, merged, without
from penstock.sidetree.shapes import members
from penstock.sidetree.uris import URI

if TYPE_CHECKING:
    from penstock.sidetree.protocol import Protocol

__all__ = ["ADD", "PURPOSES", "REMOVE", "check_keys"]

#: What a key may be used for, which is also where the DID document lists it.
PURPOSES: Final = frozenset(
    {"assertionMethod", "authentication", "capabilityDelegation", "capabilityInvocation", "keyAgreement"}
)

#: Keys without a type are met, and taken by nobody (Sidetree v1.0.0, `add-public-keys`, 3.2).
NEEDED: Final = frozenset({"id", "type"})
#: What a key is written as; which of them may be is the protocol's business.
FORMS: Final = frozenset({"publicKeyBase58", "publicKeyJwk", "publicKeyMultibase"})


def check_add(value: Any, protocol: Protocol) -> None:
    check_keys(entries(value, "publicKeys", protocol), protocol)


def check_keys(keys: Any, protocol: Protocol) -> None:
    """A list of keys, each with an id of its own; `replace` has one too."""
    if not isinstance(keys, list):
        raise BadPatch("publicKeys must be a list")
    for key in keys:
        check_key(key, protocol)
    check_unique([key["id"] for key in keys], "the public key")


def check_key(key: Any, protocol: Protocol) -> None:
    members(key, "a public key", NEEDED, protocol.key_members | {"purposes"}, error=BadPatch)
    what = f"the public key {check_id(key['id'], 'a public key')!r}"
    if not isinstance(key["type"], str) or not (key["type"] or protocol.empty_texts):
        raise BadPatch(f"{what} must have a type")
    check_purposes(key, what, protocol)
    if "controller" in key and not is_did(key["controller"]):
        raise BadPatch(f"{what} must have a DID as its controller")
    check_form(key, what, protocol)


def is_did(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("did:") and URI.fullmatch(value) is not None


def check_form(key: dict[str, Any], what: str, protocol: Protocol) -> None:
    forms = FORMS & protocol.key_members
    if len(forms & key.keys()) != 1:
        raise BadPatch(f"{what} must have exactly one of {', '.join(sorted(forms))}")
    (form,) = forms & key.keys()
    if form == "publicKeyJwk":
        check_jwk(key[form], what, protocol)
    elif not isinstance(key[form], str) or not key[form]:
        raise BadPatch(f"{what} must have its {form} as text")
    elif key["type"] == "JsonWebKey2020":
        raise BadPatch(f"{what} must be a JWK, as its type says")


def check_purposes(key: dict[str, Any], what: str, protocol: Protocol) -> None:
    purposes = entries(key["purposes"], f"the purposes of {what}", protocol) if "purposes" in key else []
    unknown = [purpose for purpose in purposes if not isinstance(purpose, str) or purpose not in PURPOSES]
    if unknown:
        raise BadPatch(f"{what} has the unknown purpose {str(unknown[0])[:60]!r}")
    # Elsewhere each may come twice, and Orb's nodes throw the batch away if that makes too many.
    if len(purposes) > len(PURPOSES):
        raise BadPatch(f"{what} lists more purposes than there are")
    if not protocol.repeated_purposes and len(set(purposes)) < len(purposes):
        raise BadPatch(f"{what} lists a purpose twice")
    if protocol.key_types is None:
        return
    if key["type"] not in protocol.key_types:
        raise BadPatch(f"{what} is of the unknown type {key['type'][:60]!r}")
    if unfit := set(purposes) - protocol.key_types[key["type"]]:
        raise BadPatch(f"{what} is a {key['type']} and cannot be used for {min(unfit)}")


def check_jwk(jwk: Any, what: str, protocol: Protocol) -> None:
    """ION takes any object; Orb wants what a key on a curve has, which keys of RSA have not."""
    if not is_object(jwk, protocol):
        raise BadPatch(f"{what} must have an object as its JWK")
    if protocol.key_types is None:
        return
    for member in ("kty", "crv", "x"):
        if not isinstance(jwk.get(member), str) or not jwk[member]:
            raise BadPatch(f"{what} has a JWK without {member!r}")


def apply_add(document: Document, keys: list[Any]) -> Document:
    return {**document, "publicKeys": merged(document.get("publicKeys", []), keys)}


def check_remove(value: Any, protocol: Protocol) -> None:
    for name in entries(value, "ids", protocol):
        check_id(name, "a public key")


def apply_remove(document: Document, ids: list[str]) -> Document:
    if "publicKeys" not in document:
        return document
    return {**document, "publicKeys": without(document["publicKeys"], ids)}


ADD: Final = Action("publicKeys", check_add, apply_add)
REMOVE: Final = Action("ids", check_remove, apply_remove)
