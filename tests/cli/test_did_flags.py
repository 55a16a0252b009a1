from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from penstock.cli.did_flags import read_changes, read_key, read_service
from penstock.errors import BadSetting
from tests.sidetree.lives import key, public_key

if TYPE_CHECKING:
    from pathlib import Path


def test_a_key_is_made_and_its_private_half_kept() -> None:
    made = read_key("main", "EdDSA")
    assert (made.id, list(made.purposes)) == ("main", ["authentication", "assertionMethod"])
    assert made.private
    assert made.private["crv"] == "Ed25519"
    assert made.public.keys() == {"kty", "crv", "x"}
    assert read_key("agree:keyAgreement", "ES256").purposes == ("keyAgreement",)


def test_a_public_key_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "key@home.json"
    file.write_text(json.dumps(key("theirs").public))
    found = read_key(f"theirs:authentication@{file}", "ES256")
    assert (found.public, found.private) == (key("theirs").public, None)


@pytest.mark.parametrize("text", ["", ":authentication", "main:eating", "main@/nowhere", "main:"])
def test_what_is_no_key_is_told(text: str) -> None:
    if text == "main:":
        assert read_key(text, "ES256").id == "main"
        return
    with pytest.raises(BadSetting):
        read_key(text, "ES256")


def test_a_private_key_does_not_go_into_a_document(tmp_path: Path) -> None:
    file = tmp_path / "key.json"
    file.write_text(json.dumps(key("mine").jwk()))
    with pytest.raises(BadSetting, match="no private one"):
        read_key(f"mine@{file}", "ES256")


def test_a_service_has_three_parts() -> None:
    assert read_service("site:LinkedDomains:https://example.com:8443/x") == {
        "id": "site",
        "type": "LinkedDomains",
        "serviceEndpoint": "https://example.com:8443/x",
    }
    for text in ("site", "site:LinkedDomains", "site::https://example.com"):
        with pytest.raises(BadSetting, match="ID:TYPE:URL"):
            read_service(text)


def test_changes_come_from_flags_and_files(tmp_path: Path) -> None:
    document, patches = tmp_path / "document.json", tmp_path / "patches.json"
    document.write_text(json.dumps({"publicKeys": [public_key()]}))
    patches.write_text(json.dumps([{"action": "remove-services", "ids": ["old"]}]))
    changes = read_changes("ES256", also_known_as=["https://a"], document=document, patches=patches)
    actions = [patch["action"] for patch in changes.all_patches()]
    assert actions == ["add-public-keys", "add-also-known-as", "remove-services"]


def test_who_asks_for_nothing_gets_a_key_if_one_is_needed() -> None:
    assert not read_changes("ES256")
    assert [each.id for each in read_changes("ES256", default_key="main").keys] == ["main"]
    assert not read_changes("ES256", also_known_as=["https://a"], default_key="main").keys


@pytest.mark.parametrize("text", ["[]", "{", "\udcff"])
def test_a_document_is_an_object_in_json(tmp_path: Path, text: str) -> None:
    file = tmp_path / "document.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadSetting, match="JSON"):
        read_changes("ES256", document=file)
