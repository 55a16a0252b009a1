from __future__ import annotations

from typing import Any

import pytest

from penstock.did.credentials.statements import UNKNOWN_SUITE, credential_statements, proof_statements
from penstock.errors import BadCredential

ANCHORS = "https://w3id.org/activityanchors/v1"
CREDENTIAL: dict[str, Any] = {
    "@context": [
        "https://www.w3.org/2018/credentials/v1",
        ANCHORS,
        "https://w3id.org/security/suites/ed25519-2020/v1",
    ],
    "id": "https://orb.example.com/vc/1",
    "type": ["VerifiableCredential", "AnchorCredential"],
    "issuer": "https://orb.example.com",
    "issuanceDate": "2022-09-19T14:14:02.112016149Z",
    "credentialSubject": {
        "type": ["AnchorLink"],
        "anchor": "hl:uEiCore",
        "href": "hl:uEiOriginal",
        "profile": "https://w3id.org/orb#v0",
        "rel": "linkset",
    },
}
PROOF: dict[str, Any] = {
    "type": "Ed25519Signature2020",
    "created": "2022-09-19T14:14:02.112971919Z",
    "domain": "https://orb.example.com",
    "proofPurpose": "assertionMethod",
    "proofValue": "z…",
    "verificationMethod": "did:web:orb.example.com#key",
}

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
DATE = "http://www.w3.org/2001/XMLSchema#dateTime"
VC = "https://www.w3.org/2018/credentials#"
ID = "<https://orb.example.com/vc/1>"


def told(*, anchor: bool, subject: str) -> str:
    kinds = ["https://w3id.org/activityanchors#AnchorCredential"] if anchor else []
    return "".join(
        [
            *(f"{ID} <{RDF}> <{kind}> .\n" for kind in (*kinds, f"{VC}VerifiableCredential")),
            f"{ID} <{VC}credentialSubject> {subject} .\n",
            f'{ID} <{VC}issuanceDate> "2022-09-19T14:14:02.112016149Z"^^<{DATE}> .\n',
            f"{ID} <{VC}issuer> <https://orb.example.com> .\n",
        ]
    )


LINK = f"""\
_:c14n0 <{RDF}> <https://w3id.org/activityanchors#AnchorLink> .
_:c14n0 <https://w3id.org/activityanchors#anchor> "hl:uEiCore" .
_:c14n0 <https://w3id.org/activityanchors#href> "hl:uEiOriginal" .
_:c14n0 <https://w3id.org/activityanchors#profile> "https://w3id.org/orb#v0" .
_:c14n0 <https://w3id.org/activityanchors#rel> "linkset" .
"""


def test_a_credential_of_orb_1_0_has_one_node_without_a_name() -> None:
    expected = told(anchor=True, subject="_:c14n0") + LINK
    assert credential_statements(CREDENTIAL).decode() == expected
    turned = {**CREDENTIAL, "type": CREDENTIAL["type"][::-1], "proof": [PROOF]}
    assert credential_statements(turned).decode() == expected


def test_in_older_ones_the_anchor_is_all_that_is_told_of_the_subject() -> None:
    named = {"id": "hl:uEiOriginal", "anchor": "hl:uEiCore", "profile": "https://w3id.org/orb#v0"}
    found = credential_statements({**CREDENTIAL, "credentialSubject": named}).decode()
    assert found == told(anchor=True, subject="<hl:uEiOriginal>")
    oldest = {
        **CREDENTIAL,
        "@context": "https://www.w3.org/2018/credentials/v1",
        "type": "VerifiableCredential",
        "credentialSubject": "hl:uEiOriginal",
    }
    assert credential_statements(oldest).decode() == told(anchor=False, subject="<hl:uEiOriginal>")


def test_a_proof_has_no_name_and_may_have_a_domain() -> None:
    lines = [
        f'_:c14n0 <http://purl.org/dc/terms/created> "2022-09-19T14:14:02.112971919Z"^^<{DATE}> .',
        f"_:c14n0 <{RDF}> <https://w3id.org/security#Ed25519Signature2020> .",
        '_:c14n0 <https://w3id.org/security#domain> "https://orb.example.com" .',
        "_:c14n0 <https://w3id.org/security#proofPurpose> <https://w3id.org/security#assertionMethod> .",
        "_:c14n0 <https://w3id.org/security#verificationMethod> <did:web:orb.example.com#key> .",
    ]
    assert proof_statements(PROOF).decode().splitlines() == lines
    without = {name: value for name, value in PROOF.items() if name not in {"domain", "proofValue"}}
    del lines[2]
    assert proof_statements({**without, "jws": "a..b"}).decode().splitlines() == lines


def subject(**changes: Any) -> dict[str, Any]:
    return {"credentialSubject": {**CREDENTIAL["credentialSubject"], **changes}}


@pytest.mark.parametrize(
    "changed",
    [
        # What JSON-LD would leave out of the signature, or take for something else.
        {"more": 1},
        {"issuer": {"id": "https://orb.example.com", "name": "Orb"}},
        {"issuer": "orb.example.com"},
        {"issuer": "type:https"},
        {"issuer": "https://orb.example.com> <x:y> <x:z> .\n<x:a"},
        {"id": None},
        {"id": "https://orb.example.com/a b"},
        {"issuanceDate": 'now" .\n'},
        {"issuanceDate": 5},
        {"type": ["VerifiableCredential", "Unheard"]},
        {"type": [5]},
        {"@context": [*CREDENTIAL["@context"], "https://liar.example.com/v1"]},
        {"@context": [*CREDENTIAL["@context"], {"issuer": "https://liar.example.com"}]},
        {"@context": [each for each in CREDENTIAL["@context"] if each != ANCHORS]},
        {"credentialSubject": []},
        {"credentialSubject": {}},
        {"credentialSubject": ["hl:uEiA", "hl:uEiB"]},
        {"credentialSubject": {"id": "hl:uEiOriginal", "more": 1}},
        subject(type="Unheard"),
        subject(id="hl:uEiOriginal"),
        subject(rel=["linkset"]),
        subject(href='a" .\n'),
        subject(href="a\\u0022"),
    ],
)
def test_whatever_is_not_as_orb_writes_it_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(BadCredential, match="not as Orb has it") as caught:
        credential_statements({**CREDENTIAL, **changed})
    assert caught.value.rule == UNKNOWN_SUITE


def test_an_anchor_link_needs_the_context_that_explains_it() -> None:
    bare = {**CREDENTIAL, "@context": CREDENTIAL["@context"][:1], "type": "VerifiableCredential"}
    with pytest.raises(BadCredential, match="contexts"):
        credential_statements(bare)


@pytest.mark.parametrize(
    "changed",
    [
        {"nonce": "unsigned"},
        {"id": "urn:unsigned"},
        {"@context": "https://liar.example.com"},
        {"proofPurpose": "authentication"},
        {"verificationMethod": "key"},
        {"domain": 5},
        {"created": None},
    ],
)
def test_a_proof_that_says_more_than_is_signed_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(BadCredential, match="not as Orb has it") as caught:
        proof_statements({**PROOF, **changed})
    assert caught.value.rule == UNKNOWN_SUITE
