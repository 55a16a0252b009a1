from __future__ import annotations

import pytest

from penstock.did.client.changes import Changes, DocumentKey
from penstock.errors import BadPatch
from penstock.sidetree.patches import check_patch
from penstock.sidetree.protocol import ORB
from tests.sidetree.lives import key, public_key, service

KEY = DocumentKey(id="main", public=key("main").public, private=key("main").jwk())


def test_what_goes_goes_before_what_comes() -> None:
    changes = Changes(
        keys=[KEY],
        services=[service("site")],
        also_known_as=["https://example.com/alice"],
        remove_keys=["main"],
        remove_services=["old"],
        remove_also_known_as=["https://example.com/al"],
        document={"services": [service("files")]},
        patches=[{"action": "ietf-json-patch", "patches": []}],
    )
    assert [patch["action"] for patch in changes.all_patches()] == [
        "remove-public-keys",
        "remove-services",
        "remove-also-known-as",
        "add-services",
        "add-public-keys",
        "add-services",
        "add-also-known-as",
        "ietf-json-patch",
    ]
    for patch in changes.all_patches()[:-1]:
        check_patch(patch, ORB)


def test_nothing_to_change_is_no_change() -> None:
    assert not Changes()
    assert not Changes().all_patches()
    assert Changes(remove_keys=["x"])


def test_a_document_has_parts_that_are_known() -> None:
    assert Changes(document={"publicKeys": [public_key()]}).all_patches()[0]["action"] == "add-public-keys"
    with pytest.raises(BadPatch, match="verificationMethod"):
        Changes(document={"verificationMethod": []}).all_patches()


def test_private_keys_stay_with_the_holder() -> None:
    borrowed = DocumentKey(id="theirs", public=key("theirs").public, purposes=())
    changes = Changes(keys=[KEY, borrowed])
    assert changes.private_keys() == {"main": key("main").jwk()}
    assert "d" not in changes.all_patches()[0]["publicKeys"][0]["publicKeyJwk"]
    assert "purposes" not in changes.all_patches()[0]["publicKeys"][1]
    assert key("main").jwk()["d"] not in repr(KEY)
