from __future__ import annotations

import pytest

from penstock.did.credentials import check, check_proof
from tests.did.anchoring.helpers import A, B, PaperKeys


@pytest.mark.parametrize(
    ("iri", "expected"),
    [(A.service, True), (A.base, True), (f"{A.base}/", True), (B.service, False), ("", False)],
)
def test_a_domain_knows_itself(iri: str, *, expected: bool) -> None:
    assert A.is_me(iri) is expected


def test_an_activity_about_the_same_has_the_same_name() -> None:
    name = A.activity_name("offer", "hl:x 1")
    assert name == A.activity_name("offer", "hl:x 1")
    others = {A.activity_name("offer", "hl:x 2"), A.activity_name("create", "hl:x 1")}
    assert name.startswith(f"{A.service}/activities/offer-")
    assert name not in others | {B.activity_name("offer", "hl:x 1")}


def test_a_credential_is_signed_and_others_can_sign_it_too() -> None:
    credential = A.credential("hl:uEiX", "hl:uEiY", at=1_700_000_000.0)
    check(credential, PaperKeys())
    check_proof(credential, B.proof(credential, at=1_700_000_001.0), PaperKeys())
    assert credential["id"] == "https://a.example/vc/uEiX"
    assert A.followers == "https://a.example/services/orb/followers"
