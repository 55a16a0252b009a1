from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from penstock.sidetree.base64url import decode
from penstock.sidetree.documents import did_document
from penstock.sidetree.methods import METHODS
from penstock.sidetree.state import State
from tests.sidetree.lives import key, public_key, service

ORB, ION = METHODS["did:orb"], METHODS["did:ion"]
ED = key("ed", "Ed25519").public


def state(**document: Any) -> State:
    return State(
        suffix="s", document=document, recovery_commitment="r", created=1, version="u", reference="u"
    )


def test_in_orb_everything_has_its_full_name() -> None:
    found = did_document(
        "did:orb:u:s",
        state(
            publicKeys=[public_key("a", purposes=["authentication", "keyAgreement"]), public_key("b")],
            services=[service("c", priority=1)],
            alsoKnownAs=["urn:x"],
        ),
        ORB,
    )
    assert found == {
        "@context": ["https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/jws-2020/v1"],
        "id": "did:orb:u:s",
        "alsoKnownAs": ["urn:x"],
        "verificationMethod": [
            {
                "id": f"did:orb:u:s#{name}",
                "controller": "did:orb:u:s",
                "type": "JsonWebKey2020",
                "publicKeyJwk": key(name).public,
            }
            for name in "ab"
        ],
        "authentication": ["did:orb:u:s#a", "did:orb:u:s#b"],
        "keyAgreement": ["did:orb:u:s#a"],
        "service": [service("c", priority=1) | {"id": "did:orb:u:s#c"}],
    }


def test_elsewhere_names_are_relative_to_the_base() -> None:
    found = did_document("did:ion:s", state(publicKeys=[public_key("a")], services=[service("c")]), ION)
    assert found["@context"] == ["https://www.w3.org/ns/did/v1", {"@base": "did:ion:s"}]
    assert found["verificationMethod"][0]["id"] == found["authentication"][0] == "#a"
    assert found["service"][0]["id"] == "#c"


@pytest.mark.parametrize("name", ["did:elem", "did:photon"])
def test_methods_of_sidetree_js_have_its_context_and_no_base(name: str) -> None:
    found = did_document(f"{name}:s", state(publicKeys=[public_key("a")]), METHODS[name])
    assert found["@context"] == [
        "https://www.w3.org/ns/did/v1",
        "https://w3id.org/security/suites/jws-2020/v1",
        {"@vocab": "https://www.w3.org/ns/did#"},
    ]
    assert found["verificationMethod"][0]["id"] == found["authentication"][0] == "#a"
    ended = did_document(f"{name}:s", replace(state(), deactivated=True), METHODS[name])
    assert ended == {"@context": "https://www.w3.org/ns/did/v1", "id": f"{name}:s"}


def test_ion_shows_a_list_of_services_that_is_empty_and_none_where_there_is_no_list() -> None:
    emptied = did_document("did:ion:s", state(publicKeys=[], services=[], alsoKnownAs=[]), ION)
    assert emptied.keys() == {"@context", "id", "service"}
    assert emptied["service"] == []
    assert did_document("did:ion:s", state(publicKeys=[]), ION).keys() == {"@context", "id"}
    assert "service" not in did_document("did:elem:s", state(services=[]), METHODS["did:elem"])


def test_a_key_may_have_another_controller_and_be_written_in_multibase() -> None:
    made = {
        "id": "k",
        "type": "Ed25519VerificationKey2020",
        "controller": "did:example:another",
        "publicKeyMultibase": "z36d8",
    }
    (shown,) = did_document("did:ion:s", state(publicKeys=[made]), ION)["verificationMethod"]
    assert shown == made | {"id": "#k"}


@pytest.mark.parametrize("document", [{}, {"publicKeys": [], "services": [], "alsoKnownAs": []}])
def test_what_there_is_none_of_is_left_out(document: Any) -> None:
    assert did_document("did:orb:u:s", state(**document), ORB).keys() == {"@context", "id"}


def test_contexts_stand_in_the_order_of_the_keys_and_once() -> None:
    types = ["X25519KeyAgreementKey2019", "JsonWebKey2020", "X25519KeyAgreementKey2019", "Unheard"]
    keys = [public_key(f"k{place}", type=type_) for place, type_ in enumerate(types)]
    found = did_document("did:orb:u:s", state(publicKeys=keys), ORB)
    assert [context.rsplit("/", 2)[1] for context in found["@context"][1:]] == ["x25519-2019", "jws-2020"]


def test_a_purpose_that_is_listed_twice_counts_once() -> None:
    found = did_document(
        "did:orb:u:s", state(publicKeys=[public_key("a", purposes=["authentication"] * 2)]), ORB
    )
    assert found["authentication"] == ["did:orb:u:s#a"]


#: Base58 of the same key by another implementation's rule: 32 bytes, no code before them.
RAW = decode(ED["x"])


@pytest.mark.parametrize(
    ("made", "member"),
    [
        (public_key(type="Ed25519VerificationKey2018", publicKeyJwk=ED), "publicKeyBase58"),
        (public_key(type="Ed25519VerificationKey2020", publicKeyJwk=ED), "publicKeyMultibase"),
        (public_key(type="JsonWebKey2020", publicKeyJwk=ED), "publicKeyJwk"),
        # What is no such key, whatever it says, is shown as it came.
        (public_key(type="Ed25519VerificationKey2018", publicKeyJwk=key("ec").public), "publicKeyJwk"),
        (public_key(type="Ed25519VerificationKey2018", publicKeyJwk={**ED, "x": "AA"}), "publicKeyJwk"),
        (public_key(type="Ed25519VerificationKey2018", publicKeyJwk={**ED, "x": "a b"}), "publicKeyJwk"),
        (public_key(type="Ed25519VerificationKey2018", publicKeyJwk={**ED, "x": 5}), "publicKeyJwk"),
        ({"id": "k", "type": "Ed25519VerificationKey2018", "publicKeyBase58": "36d8"}, "publicKeyBase58"),
    ],
)
def test_a_key_is_shown_in_the_form_of_its_type(made: dict[str, Any], member: str) -> None:
    (shown,) = did_document("did:orb:u:s", state(publicKeys=[made]), ORB)["verificationMethod"]
    assert shown.keys() == {"id", "controller", "type", member}


@pytest.mark.parametrize("type_", ["Ed25519VerificationKey2018", "Ed25519VerificationKey2020"])
def test_elsewhere_a_key_is_shown_as_it_came(type_: str) -> None:
    made = public_key(type=type_, publicKeyJwk=ED)
    (shown,) = did_document("did:ion:s", state(publicKeys=[made]), ION)["verificationMethod"]
    assert shown["publicKeyJwk"] == ED
    assert shown.keys() == {"id", "controller", "type", "publicKeyJwk"}


def test_base58_is_of_the_bare_key() -> None:
    for type_, member, prefix in (
        ("Ed25519VerificationKey2018", "publicKeyBase58", ""),
        ("Ed25519VerificationKey2020", "publicKeyMultibase", "z"),
    ):
        made = public_key(type=type_, publicKeyJwk=ED)
        (shown,) = did_document("did:orb:u:s", state(publicKeys=[made]), ORB)["verificationMethod"]
        text = shown[member].removeprefix(prefix)
        number = 0
        for letter in text:
            number = number * 58 + "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".index(letter)
        assert number.to_bytes(32, "big") == RAW
