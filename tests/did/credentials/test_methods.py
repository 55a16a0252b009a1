from __future__ import annotations

from typing import Any

import pytest

from penstock.did import base58
from penstock.did.credentials.keys import P_256, SigningKey
from penstock.did.credentials.methods import (
    did_key,
    did_web,
    document_of,
    document_url,
    domain_of,
    host_of,
    key_in,
    key_of_did_key,
)
from penstock.errors import BadCredential

KEY = SigningKey.generate().public
ES256 = SigningKey.generate(P_256).public
DID = "did:web:orb.example.com"
METHOD = f"{DID}#main"


def test_a_did_key_has_the_key_in_its_name() -> None:
    for key in (KEY, ES256):
        method = did_key(key)
        assert method == f"did:key:{key.multikey}#{key.multikey}"
        assert key_of_did_key(method) == key
    assert key_of_did_key(METHOD) is None


@pytest.mark.parametrize(
    "method",
    ["did:key:", "did:key:z6Mk", f"did:key:{KEY.multikey}", "did:key:a#a"],
    ids=["nothing", "cut short", "a key, and none named", "no key"],
)
def test_a_did_key_that_names_no_key_is_refused(method: str) -> None:
    with pytest.raises(BadCredential):
        key_of_did_key(method)


@pytest.mark.parametrize(
    ("did", "host", "url"),
    [
        (did_web("orb.example.com"), "orb.example.com", "https://orb.example.com/.well-known/did.json"),
        (did_web("localhost:8080"), "localhost:8080", "https://localhost:8080/.well-known/did.json"),
        (
            did_web("orb.example.com", "/services/orb"),
            "orb.example.com",
            "https://orb.example.com/services/orb/did.json",
        ),
    ],
)
def test_the_document_of_a_did_web_is_at_a_well_known_place(did: str, host: str, url: str) -> None:
    assert document_url(f"{did}#main") == url
    assert host_of(f"{did}#main") == host
    assert document_url(did, scheme="http") == url.replace("https", "http")


def test_a_port_is_escaped_in_a_did() -> None:
    assert did_web("localhost:8080") == "did:web:localhost%3A8080"
    assert host_of("did:key:x") == ""


@pytest.mark.parametrize(
    "method", ["", "did:web:", "did:ion:x", "did:web:a::b", "did:web:a%2Fb", "https://a#b"]
)
def test_other_methods_have_no_document(method: str) -> None:
    with pytest.raises(BadCredential) as caught:
        document_url(method)
    assert caught.value.rule == "method"


@pytest.mark.parametrize("key", [KEY, ES256])
def test_a_domains_document_tells_its_keys(key: object) -> None:
    document = document_of(DID, {"main": KEY, "other": ES256})
    assert key_in(document, METHOD) == KEY
    assert key_in(document, f"{DID}#other") == ES256


def other(**method: Any) -> dict[str, Any]:
    listed = {"id": METHOD, "controller": DID, **method}
    return {"id": DID, "verificationMethod": [listed], "assertionMethod": ["#main"]}


@pytest.mark.parametrize(
    "document",
    [
        other(type="JsonWebKey2020", publicKeyJwk=KEY.jwk),
        other(type="Ed25519VerificationKey2018", publicKeyBase58=base58.encode(KEY.raw)),
        other(type="Ed25519VerificationKey2020", publicKeyMultibase=KEY.multikey),
        # Orb leaves out what kind of key it is.
        other(type="Ed25519VerificationKey2020", publicKeyMultibase="z" + base58.encode(KEY.raw)),
        {"id": DID, "assertionMethod": [{"id": "#main", "publicKeyMultibase": KEY.multikey}]},
    ],
)
def test_documents_of_others_are_read_in_their_shapes(document: dict[str, Any]) -> None:
    assert key_in(document, METHOD) == KEY


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        ({}, "method"),
        ({**other(), "id": "did:web:liar.example.com"}, "method"),
        ({**other(publicKeyMultibase=KEY.multikey), "assertionMethod": []}, "purpose"),
        ({**other(publicKeyMultibase=KEY.multikey), "assertionMethod": "#main"}, "purpose"),
        ({"id": DID, "assertionMethod": ["#main", 7, {}], "verificationMethod": [7]}, "method"),
        (other(), "key"),
        (other(publicKeyMultibase="z"), "key"),
        (other(publicKeyJwk={"kty": "RSA"}), "key"),
        (other(publicKeyJwk=7), "key"),
        (other(type="Ed25519VerificationKey2018", publicKeyBase58="0"), "key"),
        (other(type="Ed25519VerificationKey2020", publicKeyMultibase="z2"), "key"),
    ],
)
def test_a_key_that_is_not_its_owners_for_that_purpose_is_refused(
    document: dict[str, Any], rule: str
) -> None:
    with pytest.raises(BadCredential) as caught:
        key_in(document, METHOD)
    assert caught.value.rule == rule


@pytest.mark.parametrize(
    ("iri", "expected"),
    [
        ("https://a.example/services/orb", "a.example"),
        ("http://127.0.0.1:8080/services/orb", "127.0.0.1:8080"),
        ("did:web:a.example#main", "a.example"),
        ("did:web:127.0.0.1%3A8080", "127.0.0.1:8080"),
        ("did:key:z6Mk#z6Mk", ""),
        ("https://[", ""),
        ("", ""),
    ],
)
def test_the_domain_of_a_service_is_that_of_its_key(iri: str, expected: str) -> None:
    assert domain_of(iri) == expected
