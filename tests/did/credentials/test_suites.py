from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from penstock.did.credentials.keys import ED25519, P_256, P_384
from penstock.did.credentials.suites import (
    SUITES,
    signed_bytes,
    suite_for,
    suite_of,
    value_of,
    written_value,
)
from penstock.errors import BadCredential

DOCUMENT = {"@context": ["a", "b"], "id": "x", "proof": [{"proofValue": "z"}]}
OPTIONS = {"type": "DataIntegrityProof", "cryptosuite": "eddsa-jcs-2022", "created": "now"}


def test_the_hash_of_the_options_stands_before_that_of_the_document() -> None:
    options = b'{"created":"now","cryptosuite":"eddsa-jcs-2022","type":"DataIntegrityProof"}'
    document = b'{"@context":["a","b"],"id":"x"}'
    expected = sha256(options).digest() + sha256(document).digest()
    assert signed_bytes(DOCUMENT, {**OPTIONS, "proofValue": "z"}) == expected


def test_contexts_that_came_later_do_not_count() -> None:
    proof = {**OPTIONS, "@context": ["a", "b"]}
    later = {**DOCUMENT, "@context": ["a", "b", "c"]}
    assert signed_bytes(later, proof) == signed_bytes(DOCUMENT, proof)
    assert signed_bytes(later, OPTIONS) != signed_bytes(DOCUMENT, OPTIONS)


@pytest.mark.parametrize("contexts", [["b"], ["a", "b", "c"], ["b", "a"], "b", [["a", "b"]]])
def test_a_proof_for_other_contexts_is_refused(contexts: Any) -> None:
    with pytest.raises(BadCredential) as caught:
        signed_bytes(DOCUMENT, {**OPTIONS, "@context": contexts})
    assert caught.value.rule == "context"


def test_a_kind_of_key_has_its_suite() -> None:
    assert suite_for(ED25519) == suite_of(OPTIONS) == SUITES["eddsa-jcs-2022"]
    assert suite_for(P_256) == suite_for(P_384) == SUITES["ecdsa-jcs-2019"]


@pytest.mark.parametrize(
    "proof",
    [
        {},
        {"type": "BbsBlsSignature2020"},
        {"type": ["Ed25519Signature2020"]},
        {"type": "DataIntegrityProof", "cryptosuite": "Ed25519Signature2020"},
        {"type": "eddsa-jcs-2022"},
        {"type": "DataIntegrityProof"},
        {"type": "DataIntegrityProof", "cryptosuite": "eddsa-rdfc-2022"},
        {"type": "DataIntegrityProof", "cryptosuite": ["eddsa-jcs-2022"]},
        {"type": "JsonWebSignature2020", "cryptosuite": "eddsa-jcs-2022"},
    ],
)
def test_another_suite_is_told_apart_from_a_wrong_signature(proof: dict[str, Any]) -> None:
    with pytest.raises(BadCredential, match="cannot be checked") as caught:
        suite_of(proof)
    assert caught.value.rule == "suite"


def test_a_signature_is_written_in_base_58() -> None:
    signature = bytes(range(64))
    assert value_of({"proofValue": written_value(signature)}) == signature


@pytest.mark.parametrize("value", [None, 7, "", "u4Fk", "z0OIl", "z" + "1" * 600])
def test_a_signature_that_cannot_be_read_is_refused(value: Any) -> None:
    with pytest.raises(BadCredential) as caught:
        value_of({"proofValue": value})
    assert caught.value.rule == "signature"
