from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from penstock.did.activities.actor import COLLECTIONS, Actor, KeyDocument, owner_of, service
from penstock.did.credentials.keys import P_256, SigningKey
from penstock.errors import BadActivity, BadHttpSignature
from penstock.sidetree.canonical import canonical
from tests.did.activities.helpers import A, B, changed

KEY = KeyDocument(name=f"{A}/keys/main-key", owner=A, key=SigningKey.generate(P_256).public)
SERVICE = service(A, KEY)


def read(document: Any) -> Actor:
    return Actor.parse(canonical(document))


def test_a_service_shows_its_key_and_its_collections() -> None:
    assert SERVICE["type"] == "Service"
    assert SERVICE["witnessing"] == f"{A}/witnessing"
    actor = read(SERVICE)
    assert (actor.name, actor.key_name, actor.key) == (A, KEY.name, KEY)
    assert actor.places == {name: f"{A}/{name}" for name in COLLECTIONS}


def test_a_service_that_is_named_by_a_did_has_its_collections_at_a_url() -> None:
    did = "did:web:a.example:services:orb"
    actor = read(service(did, replace(KEY, owner=did), at=A))
    assert (actor.name, actor.places["inbox"]) == (did, f"{A}/inbox")


def test_a_key_may_stand_elsewhere() -> None:
    actor = read({**SERVICE, "publicKey": KEY.name})
    assert (actor.key_name, actor.key) == (KEY.name, None)
    assert KeyDocument.parse(canonical(KEY.document())) == KEY


def test_a_service_with_a_key_of_another_kind_is_a_service() -> None:
    shown = changed(SERVICE, "publicKey.publicKeyPem", "PEM")
    actor = read(shown)
    assert (actor.key_name, actor.key, actor.places["inbox"]) == (KEY.name, None, f"{A}/inbox")
    with pytest.raises(BadActivity) as caught:
        KeyDocument.parse(canonical(shown["publicKey"]))
    assert caught.value.rule == "publicKeyPem"


def test_a_key_is_whose_it_says_only_if_they_say_so_too() -> None:
    assert owner_of(KEY, read(SERVICE)) == A
    for liar in (replace(KEY, name=f"{B}/keys/main-key"), replace(KEY, owner=B)):
        with pytest.raises(BadHttpSignature) as caught:
            owner_of(liar, read(SERVICE))
        assert caught.value.rule == "owner"


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        ("id", None, "no-id"),
        ("type", "Person", "type"),
        ("inbox", None, "no-inbox"),
        ("inbox", 7, "bad-inbox"),
        ("publicKey", None, "no-publicKey"),
        ("publicKey", 7, "bad-publicKey"),
        ("publicKey.id", None, "bad-publicKey"),
        ("publicKey.owner", None, "no-owner"),
    ],
)
def test_what_is_no_service_is_refused_with_its_rule(path: str, value: Any, rule: str) -> None:
    with pytest.raises(BadActivity) as caught:
        read(changed(SERVICE, path, value))
    assert caught.value.rule == rule
