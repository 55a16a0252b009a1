from __future__ import annotations

from typing import Any

import pytest

from penstock.did.activities import follow, invite, names, undo
from penstock.did.federation.wishes import Wish, read_wish
from penstock.errors import BadActivity
from penstock.sidetree.canonical import canonical
from tests.did.federation.helpers import A, B

FOLLOW = follow(name=A.activity("1"), actor=A.service, target=B.service)
INVITE = invite(name=A.activity("1"), actor=A.service, target=B.service)


def read(activity: Any) -> Wish:
    return read_wish(canonical(activity), A)


@pytest.mark.parametrize("asking", [FOLLOW, INVITE])
def test_who_is_asked_for_what_is_read(asking: dict[str, Any]) -> None:
    assert read(asking) == Wish(type=asking["type"], name=A.activity("1"), target=B.service)


def test_what_has_no_name_is_given_one() -> None:
    nameless = {**FOLLOW}
    del nameless["id"]
    found, again = read(nameless), read(nameless)
    assert found.name.startswith(A.activity(""))
    assert found.name != again.name


def test_a_service_may_be_a_did_web() -> None:
    # As Orb's command line writes it: to a URL, about the DID that is found there.
    found = read(FOLLOW | {"object": "did:web:b.example:services:orb", "to": B.service})
    assert found.target == "did:web:b.example:services:orb"


def test_a_domain_as_such_means_its_service() -> None:
    assert read(FOLLOW | {"object": B.base}).target == B.service


@pytest.mark.parametrize("undone", [FOLLOW, FOLLOW["id"]])
def test_an_undo_names_what_is_undone(undone: Any) -> None:
    told = undo(name=A.activity("2"), actor=A.service, undone=FOLLOW) | {"object": undone}
    found = read(told)
    assert (found.type, found.target) == (names.UNDO, A.activity("1"))


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"type": "Create"}, "type"),
        ({"type": "Accept"}, "type"),
        ({"type": "Shout"}, "type"),
        ({"actor": B.service}, "actor"),
        ({"actor": None}, "no-actor"),
        ({"object": None}, "no-object"),
        ({"object": "b.example"}, "service"),
        ({"object": "file:///etc/passwd"}, "service"),
        ({"object": "https://"}, "service"),
        ({"id": B.activity("1")}, "id"),
        ({"id": A.activity("x" * 600)}, "id"),
        ({"id": 1}, "bad-id"),
        ({"type": "Undo", "object": {"type": "Follow"}}, "bad-object"),
    ],
)
def test_what_is_no_wish_of_this_service_is_refused(changed: dict[str, Any], rule: str) -> None:
    with pytest.raises(BadActivity) as caught:
        read(FOLLOW | changed)
    assert caught.value.rule == rule


def test_who_is_invited_is_invited_to_witness() -> None:
    with pytest.raises(BadActivity, match="not to witnessing"):
        read(INVITE | {"object": "https://a.example/party"})


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b"[" * 60_000])
def test_what_is_no_json_object_is_refused(data: bytes) -> None:
    with pytest.raises(BadActivity):
        read_wish(data, A)
