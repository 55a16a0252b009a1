from __future__ import annotations

from hashlib import sha384
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP384R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA384
from hypothesis import given
from hypothesis import strategies as st

from penstock.did.credentials.keys import PublicKey
from penstock.did.credentials.methods import did_key
from penstock.did.credentials.proofs import (
    check,
    check_proof,
    holding,
    hosts_of,
    is_timely,
    outcomes,
    proofs_of,
    sign,
    with_proofs,
)
from penstock.did.credentials.suites import written_value
from penstock.errors import BadCredential, Unavailable
from penstock.sidetree.canonical import canonical
from tests.did.credentials.helpers import AUTHOR, CREDENTIAL, ISSUED, WITNESS, NamedKeys, method

BY_AUTHOR = sign(CREDENTIAL, AUTHOR, method=method(AUTHOR), at=ISSUED, domain="https://orb.example.com")
BY_WITNESS = sign(CREDENTIAL, WITNESS, method=method(WITNESS), at=ISSUED + 1)
SIGNED = with_proofs(CREDENTIAL, [BY_AUTHOR, BY_WITNESS])


def test_author_and_witness_vouch_each_for_itself() -> None:
    check(SIGNED, NamedKeys())
    assert BY_AUTHOR["cryptosuite"] == "eddsa-jcs-2022"
    assert BY_AUTHOR["domain"] == "https://orb.example.com"
    assert BY_AUTHOR["created"] == "2023-11-14T22:13:20.000000Z"
    assert BY_WITNESS["cryptosuite"] == "ecdsa-jcs-2019"
    assert "domain" not in BY_WITNESS


def test_who_signs_with_p_384_vouches_as_well() -> None:
    # No domain of ours does, but the suite has it: hashes and signature are those of ES384.
    theirs = generate_private_key(SECP384R1())
    name = did_key(PublicKey.wrapping(theirs.public_key()))
    options = {name: said for name, said in BY_WITNESS.items() if name != "proofValue"}
    options["verificationMethod"] = name
    signed = b"".join(sha384(canonical(part)).digest() for part in (options, CREDENTIAL))
    numbers = decode_dss_signature(theirs.sign(signed, ECDSA(SHA384())))
    signature = b"".join(number.to_bytes(48, "big") for number in numbers)
    proof = {**options, "proofValue": written_value(signature)}
    check_proof(CREDENTIAL, proof, NamedKeys())
    for forged in (signature[:-1], signature[16:80], bytes(96)):
        with pytest.raises(BadCredential) as caught:
            check_proof(CREDENTIAL, {**proof, "proofValue": written_value(forged)}, NamedKeys())
        assert caught.value.rule == "signature"


@given(
    st.permutations([BY_AUTHOR, BY_WITNESS, sign(CREDENTIAL, AUTHOR, method=method(AUTHOR), at=ISSUED + 2)])
)
def test_the_order_in_which_proofs_are_added_does_not_matter(proofs: list[dict[str, Any]]) -> None:
    signed: dict[str, Any] = CREDENTIAL
    for number, proof in enumerate(proofs):
        # Whoever brings a proof may bring what explains it.
        signed = with_proofs(signed, [proof], contexts=[f"https://suite.example/{number}"])
        check(signed, NamedKeys())
    assert len(proofs_of(signed)) == 3


def test_a_proof_is_added_once_and_nothing_is_changed_in_place() -> None:
    assert with_proofs(SIGNED, [BY_WITNESS]) == SIGNED
    assert proofs_of(CREDENTIAL) == []
    assert with_proofs({**CREDENTIAL, "proof": BY_AUTHOR}, [BY_WITNESS]) == SIGNED


def test_signing_is_deterministic() -> None:
    assert sign(SIGNED, WITNESS, method=method(WITNESS), at=ISSUED + 1) == BY_WITNESS


CHANGES: list[tuple[str, dict[str, Any], str]] = [
    ("another credential", {"id": "https://orb.example.com/vc/2"}, "signature"),
    ("a member more", {"more": 1}, "signature"),
    ("another first context", {"@context": ["x", *CREDENTIAL["@context"]]}, "context"),
    ("no contexts", {"@context": None}, "context"),
    ("a number without a canonical form", {"id": float("nan")}, "json"),
]


@pytest.mark.parametrize(("changed", "rule"), [change[1:] for change in CHANGES], ids=[c[0] for c in CHANGES])
def test_a_changed_credential_is_not_the_one_that_was_signed(changed: dict[str, Any], rule: str) -> None:
    with pytest.raises(BadCredential) as caught:
        check({**SIGNED, **changed}, NamedKeys())
    assert caught.value.rule == rule


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"created": "2023-11-14T22:13:21Z"}, "signature"),
        ({"domain": "https://liar.example.com"}, "signature"),
        ({"verificationMethod": method(WITNESS)}, "key"),
        ({"proofValue": BY_WITNESS["proofValue"]}, "signature"),
        ({"proofValue": "z1"}, "signature"),
        ({"proofValue": None}, "signature"),
        ({"cryptosuite": "ecdsa-jcs-2019"}, "key"),
        ({"cryptosuite": "eddsa-rdfc-2022"}, "suite"),
        ({"type": "JsonWebSignature2020"}, "suite"),
        ({"proofPurpose": "authentication"}, "purpose"),
        ({"previousProof": "urn:x"}, "chain"),
        ({"created": "yesterday"}, "created"),
        ({"created": None}, "created"),
        ({"verificationMethod": None}, "method"),
        ({"verificationMethod": "did:key:x#y"}, "method"),
    ],
)
def test_a_forged_proof_is_refused_with_its_reason(changed: dict[str, Any], rule: str) -> None:
    with pytest.raises(BadCredential) as caught:
        check_proof(CREDENTIAL, {**BY_AUTHOR, **changed}, NamedKeys())
    assert caught.value.rule == rule


def test_one_forged_proof_does_not_hide_that_others_hold() -> None:
    forged = {**BY_AUTHOR, "created": "2023-11-14T22:13:21Z"}
    found = outcomes(with_proofs(CREDENTIAL, [forged, BY_WITNESS]), NamedKeys())
    assert [outcome.error is None for outcome in found] == [False, True]
    with pytest.raises(BadCredential, match="not of this credential"):
        check(with_proofs(CREDENTIAL, [BY_WITNESS, forged]), NamedKeys())


def test_a_proof_of_an_unknown_suite_counts_for_nothing_and_spoils_nothing() -> None:
    foreign = {**BY_AUTHOR, "type": "JsonWebSignature2020", "proofValue": "?"}
    assert check(with_proofs(CREDENTIAL, [foreign, BY_WITNESS]), NamedKeys()) == [BY_WITNESS]
    assert holding(with_proofs(CREDENTIAL, [foreign]), NamedKeys()) == []
    with pytest.raises(BadCredential, match="can be checked here") as caught:
        check(with_proofs(CREDENTIAL, [foreign]), NamedKeys())
    assert caught.value.rule == "suite"


def test_a_key_that_cannot_be_fetched_leaves_it_open() -> None:
    far = {**BY_AUTHOR, "verificationMethod": "did:web:far.example.com#main"}
    with pytest.raises(Unavailable):
        check(with_proofs(CREDENTIAL, [far]), NamedKeys())


def test_no_key_is_fetched_for_a_proof_that_cannot_hold() -> None:
    keys = NamedKeys()
    with pytest.raises(BadCredential):
        check_proof(CREDENTIAL, {**BY_AUTHOR, "proofValue": "?"}, keys)
    assert keys.asked == []


@pytest.mark.parametrize("proofs", [[], 7, ["x"], [BY_AUTHOR] * 101])
def test_without_proofs_that_can_be_looked_at_nothing_is_vouched_for(proofs: Any) -> None:
    with pytest.raises(BadCredential) as caught:
        check({**CREDENTIAL, "proof": proofs}, NamedKeys())
    assert caught.value.rule == "proof"


def test_the_domains_that_vouch_are_told_by_their_keys() -> None:
    methods = ["did:web:a.example#main", "did:web:b.example:services:orb#main", method(AUTHOR), None]
    proofs = [{**BY_AUTHOR, "verificationMethod": each} for each in methods]
    assert hosts_of({**CREDENTIAL, "proof": proofs}) == {"a.example", "b.example"}


@pytest.mark.parametrize(
    ("created", "expected"),
    [
        ("2023-11-14T22:12:19Z", False),
        ("2023-11-14T22:12:20Z", True),  # a minute before the credential: clocks differ
        ("2023-11-14T22:13:20Z", True),
        ("2023-11-14T22:24:20Z", True),
        ("2023-11-14T22:24:21Z", False),
    ],
)
def test_a_proof_is_made_after_the_credential_and_before_the_offer_ends(created: str, expected: bool) -> None:  # noqa: FBT001  a column of the table
    proof = {**BY_AUTHOR, "created": created}
    assert is_timely(proof, issued_at=ISSUED, ends_at=ISSUED + 600, skew=60) is expected
