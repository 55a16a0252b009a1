from __future__ import annotations

from typing import Any

import pytest

from penstock.did import base58
from penstock.did.credentials.linked import (
    HEADER,
    signed_by_jws,
    signed_statements,
    value_of_2020,
    value_of_jws,
)
from penstock.did.credentials.proofs import check, sign, with_proofs
from penstock.errors import BadCredential
from penstock.sidetree import base64url
from tests.did.credentials.helpers import AUTHOR, CREDENTIAL, ISSUED, WITNESS, NamedKeys, method

OPTIONS: dict[str, Any] = {
    "created": "2022-09-19T14:14:02.112971919Z",
    "domain": "https://orb.example.com",
    "proofPurpose": "assertionMethod",
    "verificationMethod": method(AUTHOR),
}


def of_2020(*, multibase: bool = True, **changes: Any) -> dict[str, Any]:
    """As a domain of Orb would sign it."""
    proof = {**OPTIONS, "type": "Ed25519Signature2020", **changes}
    signature = AUTHOR.sign(signed_statements(CREDENTIAL, proof))
    written = f"z{base58.encode(signature)}" if multibase else base64url.encode(signature)
    return {**proof, "proofValue": written}


def of_2018() -> dict[str, Any]:
    proof = {**OPTIONS, "type": "Ed25519Signature2018"}
    signature = AUTHOR.sign(HEADER.encode() + b"." + signed_statements(CREDENTIAL, proof))
    return {**proof, "jws": f"{HEADER}..{base64url.encode(signature)}"}


@pytest.mark.parametrize("proof", [of_2020(), of_2020(multibase=False), of_2018()])
def test_a_proof_of_orbs_holds_alone_and_beside_ours(proof: dict[str, Any]) -> None:
    assert check(with_proofs(CREDENTIAL, [proof]), NamedKeys()) == [proof]
    ours = sign(CREDENTIAL, WITNESS, method=method(WITNESS), at=ISSUED)
    # Contexts that come later explain nothing else.
    both = with_proofs(CREDENTIAL, [proof, ours], contexts=["https://w3id.org/security/jws/v1"])
    assert check(both, NamedKeys()) == [proof, ours]


@pytest.mark.parametrize("proof", [of_2020(), of_2018()])
@pytest.mark.parametrize(
    "changed",
    [
        {"id": "https://orb.example.com/vc/2"},
        {"issuer": "https://liar.example.com"},
        {"issuanceDate": "2022-09-19T14:14:02Z"},
        {"credentialSubject": {**CREDENTIAL["credentialSubject"], "href": "hl:uEiAnother"}},
    ],
)
def test_another_credential_is_not_the_one_that_was_signed(
    proof: dict[str, Any], changed: dict[str, Any]
) -> None:
    with pytest.raises(BadCredential) as caught:
        check(with_proofs({**CREDENTIAL, **changed}, [proof]), NamedKeys())
    assert caught.value.rule == "signature"


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"created": "2022-09-19T14:14:03Z"}, "signature"),
        ({"domain": "https://liar.example.com"}, "signature"),
        ({"verificationMethod": method(WITNESS)}, "key"),
        ({"proofPurpose": "authentication"}, "purpose"),
        ({"proofValue": ""}, "signature"),
        ({"proofValue": "z"}, "signature"),
        ({"proofValue": None}, "signature"),
        ({"type": "Ed25519Signature2018"}, "signature"),
        ({"nonce": "unsigned"}, "suite"),
    ],
)
def test_a_forged_proof_is_refused_and_one_nobody_can_judge_is_told_apart(
    changed: dict[str, Any], rule: str
) -> None:
    with pytest.raises(BadCredential) as caught:
        check(with_proofs(CREDENTIAL, [{**of_2020(), **changed}]), NamedKeys())
    assert caught.value.rule == rule


def test_a_member_that_no_context_explains_cannot_ride_along() -> None:
    with pytest.raises(BadCredential) as caught:
        check(with_proofs({**CREDENTIAL, "more": 1}, [of_2020()]), NamedKeys())
    assert caught.value.rule == "suite"


def test_a_signature_in_base64url_may_begin_with_the_sign_of_base_58() -> None:
    signature = b"\xcf" + bytes(63)
    written = base64url.encode(signature)
    assert written.startswith("z")
    assert value_of_2020({"proofValue": written}) == signature
    assert value_of_2020({"proofValue": f"z{base58.encode(signature)}"}) == signature


@pytest.mark.parametrize(
    "jws", [None, 5, "", "a.b", f"{HEADER}.payload.AAAA", "e30..AAAA", f"{HEADER}..A+A", f"{HEADER}..A"]
)
def test_only_the_one_form_of_a_jws_is_read(jws: Any) -> None:
    with pytest.raises(BadCredential) as caught:
        value_of_jws({"jws": jws})
    assert caught.value.rule == "signature"


def test_the_header_of_a_jws_is_signed() -> None:
    proof = {**OPTIONS, "type": "Ed25519Signature2018"}
    expected = HEADER.encode() + b"." + signed_statements(CREDENTIAL, proof)
    assert signed_by_jws(CREDENTIAL, proof) == expected
    assert base64url.decode(HEADER) == b'{"alg":"EdDSA","b64":false,"crit":["b64"]}'
