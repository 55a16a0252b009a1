from __future__ import annotations

from typing import Any

import pytest

from penstock.did.credentials.credential import PROFILE, AnchorCredential
from penstock.errors import BadCredential
from penstock.sidetree.canonical import canonical
from tests.did.credentials.helpers import CREDENTIAL, ISSUED


def test_what_is_built_is_read_back() -> None:
    read = AnchorCredential.parse(canonical(CREDENTIAL))
    assert read == AnchorCredential(
        name="https://orb.example.com/vc/1",
        issuer="https://orb.example.com",
        issued_at=ISSUED,
        href="hl:uEiOriginal",
        core_index="hl:uEiCoreIndex",
        profile=PROFILE,
        document=CREDENTIAL,
    )


def test_the_older_shape_has_the_anchor_alone_as_its_subject() -> None:
    older = {
        **CREDENTIAL,
        "@context": "https://www.w3.org/2018/credentials/v1",
        "type": "VerifiableCredential",
        "credentialSubject": "hl:uEiOriginal",
        "issuer": {"id": "https://orb.example.com", "name": "Orb"},
    }
    read = AnchorCredential.read(older)
    assert (read.href, read.core_index, read.profile) == ("hl:uEiOriginal", "", PROFILE)
    assert read.issuer == "https://orb.example.com"


def test_between_the_two_the_anchor_was_the_subjects_id() -> None:
    subject = {"id": "hl:uEiOriginal", "anchor": "hl:uEiCoreIndex", "profile": PROFILE}
    read = AnchorCredential.read({**CREDENTIAL, "credentialSubject": subject})
    assert (read.href, read.core_index) == ("hl:uEiOriginal", "hl:uEiCoreIndex")


def test_a_list_of_one_subject_is_that_subject() -> None:
    listed = {**CREDENTIAL, "credentialSubject": [CREDENTIAL["credentialSubject"]]}
    assert AnchorCredential.read(listed).href == "hl:uEiOriginal"


def without(name: str) -> dict[str, Any]:
    return {**CREDENTIAL, "credentialSubject": {**CREDENTIAL["credentialSubject"], name: None}}


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        ({**CREDENTIAL, "@context": []}, "context"),
        ({**CREDENTIAL, "@context": ["https://w3id.org/activityanchors/v1"]}, "context"),
        ({**CREDENTIAL, "type": ["AnchorCredential"]}, "type"),
        ({**CREDENTIAL, "id": None}, "id"),
        ({**CREDENTIAL, "id": ""}, "id"),
        ({**CREDENTIAL, "issuer": {}}, "issuer"),
        ({**CREDENTIAL, "issuanceDate": "2023"}, "issuanceDate"),
        ({**CREDENTIAL, "credentialSubject": None}, "subject"),
        ({**CREDENTIAL, "credentialSubject": []}, "subject"),
        ({**CREDENTIAL, "credentialSubject": ""}, "subject"),
        (without("href"), "subject"),
        (without("anchor"), "subject"),
        (without("profile"), "subject"),
        (without("rel"), "subject"),
        ({**CREDENTIAL, "credentialSubject": {"rel": "item"}}, "rel"),
    ],
)
def test_what_is_no_credential_of_an_anchor_is_refused_with_its_reason(
    document: dict[str, Any], rule: str
) -> None:
    with pytest.raises(BadCredential) as caught:
        AnchorCredential.read(document)
    assert caught.value.rule == rule


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"id":1,"id":2}'])
def test_what_is_no_json_object_is_no_credential(data: bytes) -> None:
    with pytest.raises(BadCredential) as caught:
        AnchorCredential.parse(data)
    assert caught.value.rule == "json"
