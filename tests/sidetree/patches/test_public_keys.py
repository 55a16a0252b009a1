from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import BadPatch
from penstock.sidetree.patches.public_keys import ADD, REMOVE
from penstock.sidetree.protocol import ION, ORB, SIDETREE
from tests.sidetree.lives import key, public_key

JWK = key("key1").public


def without_member(member: str) -> dict[str, Any]:
    made = public_key()
    del made[member]
    return made


@pytest.mark.parametrize(
    "made",
    [
        public_key(),
        without_member("purposes"),
        public_key(purposes=["authentication", "assertionMethod", "keyAgreement", "capabilityDelegation"]),
        public_key(purposes=["authentication", "authentication"]),
        public_key(purposes=["authentication"] * 5),
        public_key(type="Ed25519VerificationKey2018", publicKeyJwk=key("k", "Ed25519").public),
        public_key(publicKeyJwk={**JWK, "alg": "whatever"}),
        {"id": "k", "type": "Ed25519VerificationKey2018", "publicKeyBase58": "36d8"},
    ],
)
def test_a_key_that_documents_may_list_is_taken(made: dict[str, Any]) -> None:
    ADD.check([made], ORB)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ("a text", "must be an object"),
        (without_member("id"), "no 'id'"),
        (without_member("type"), "no 'type'"),
        (without_member("publicKeyJwk"), "exactly one of publicKeyBase58, publicKeyJwk"),
        (public_key(publicKeyBase58="36d8"), "exactly one of"),
        (public_key(controller="did:x"), "no member 'controller'"),
        (public_key("a b"), "1 to 50 letters"),
        (public_key(type=5), "must have a type"),
        (public_key(type=""), "must have a type"),
        (public_key(type="Unheard"), "unknown type 'Unheard'"),
        (public_key(purposes=[]), "must list something"),
        (public_key(purposes="authentication"), "must be a list"),
        (public_key(purposes=["flying"]), "unknown purpose 'flying'"),
        (public_key(purposes=[{}]), "unknown purpose"),
        (public_key(purposes=["authentication"] * 6), "more purposes than there are"),
        (
            public_key(type="Ed25519VerificationKey2018", purposes=["keyAgreement"]),
            "cannot be used for keyAgreement",
        ),
        (public_key(type="X25519KeyAgreementKey2019"), "cannot be used for authentication"),
        (public_key(publicKeyJwk="text"), "an object as its JWK"),
        (public_key(publicKeyJwk={}), "without 'kty'"),
        (public_key(publicKeyJwk={"kty": "EC", "crv": "P-256", "x": ""}), "without 'x'"),
        (public_key(publicKeyJwk={"kty": "RSA", "n": "AQ", "e": "AQAB"}), "without 'crv'"),
        ({"id": "k", "type": "JsonWebKey2020", "publicKeyBase58": "36d8"}, "must be a JWK"),
        ({"id": "k", "type": "Ed25519VerificationKey2018", "publicKeyBase58": 5}, "publicKeyBase58 as text"),
        ({"id": "k", "type": "Ed25519VerificationKey2020", "publicKeyMultibase": "z36d8"}, "no member"),
    ],
)
def test_a_key_that_documents_may_not_list_is_refused(made: Any, reason: str) -> None:
    with pytest.raises(BadPatch, match=reason):
        ADD.check([made], ORB)


@pytest.mark.parametrize(
    "made",
    [
        public_key(type="Unheard"),
        public_key(purposes=[]),
        public_key(publicKeyJwk={"any": "thing"}),
        public_key(controller="did:example:another"),
        {"id": "k", "type": "Ed25519VerificationKey2020", "publicKeyMultibase": "z36d8"},
    ],
)
def test_what_the_specification_allows_is_taken_by_its_protocol(made: dict[str, Any]) -> None:
    ADD.check([made], SIDETREE)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (public_key(controller="https://example.com"), "a DID as its controller"),
        (public_key(controller="did:"), "a DID as its controller"),
        (public_key(controller=["did:example:another"]), "a DID as its controller"),
        (public_key(publicKeyMultibase="z36d8"), "exactly one of .*publicKeyMultibase"),
        ({"id": "k", "type": "Ed25519VerificationKey2020", "publicKeyMultibase": ""}, "as text"),
        ({"id": "k", "type": "JsonWebKey2020", "publicKeyMultibase": "z36d8"}, "must be a JWK"),
    ],
)
def test_what_the_specification_refuses_is_refused_by_its_protocol(made: Any, reason: str) -> None:
    with pytest.raises(BadPatch, match=reason):
        ADD.check([made], SIDETREE)


@pytest.mark.parametrize("made", [public_key(type=""), public_key(publicKeyJwk=None), public_key(type="Any")])
def test_what_ion_takes_is_taken_by_its_protocol(made: dict[str, Any]) -> None:
    ADD.check([made], ION)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (public_key(purposes=["keyAgreement", "keyAgreement"]), "lists a purpose twice"),
        (public_key(controller="did:example:another"), "has no member 'controller'"),
        ({"id": "k", "type": "Any", "publicKeyMultibase": "z36d8"}, "has no member"),
    ],
)
def test_what_ion_refuses_is_refused_by_its_protocol(made: dict[str, Any], reason: str) -> None:
    ADD.check([made], SIDETREE)
    with pytest.raises(BadPatch, match=reason):
        ADD.check([made], ION)


@pytest.mark.parametrize("value", [None, {}, "text", [], [public_key("a"), public_key("a")]])
def test_keys_are_a_list_of_different_ones(value: Any) -> None:
    with pytest.raises(BadPatch, match=r"must be a list|must list something|'a' stands twice"):
        ADD.check(value, ORB)


def test_keys_come_change_and_go() -> None:
    first = ADD.apply({"services": [1]}, [public_key("a"), public_key("b")])
    second = ADD.apply(first, [public_key("a", purposes=["keyAgreement"]), public_key("c")])
    third = REMOVE.apply(second, ["b", "unknown"])
    assert [made["id"] for made in second["publicKeys"]] == ["a", "b", "c"]
    assert second["publicKeys"][0]["purposes"] == ["keyAgreement"]
    assert third == {
        "services": [1],
        "publicKeys": [public_key("a", purposes=["keyAgreement"]), public_key("c")],
    }
    assert [made["id"] for made in first["publicKeys"]] == ["a", "b"]
    assert REMOVE.apply({}, ["a"]) == {}


def test_keys_are_removed_by_ids() -> None:
    REMOVE.check(["a"], ORB)
    REMOVE.check([], SIDETREE)
    for value in ([], ["a b"], [5], "a", None):
        with pytest.raises(BadPatch, match=r"ids must|1 to 50 letters"):
            REMOVE.check(value, ORB)
