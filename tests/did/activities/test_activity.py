from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.did.activities.activity import Activity, activity
from penstock.did.activities.anchor_event import announced, created, liked, unliked
from penstock.did.activities.offer import Offer, Receipt
from penstock.did.activities.relation import answered, asked, undone
from penstock.errors import BadActivity
from tests.did.activities.helpers import AT, NAME, A, B, changed, told

FOLLOW = activity("Follow", name=NAME, actor=A, to=[B], about=B, at=AT, target=None)


def test_an_activity_says_who_did_what_to_whom() -> None:
    assert FOLLOW == {
        "@context": "https://www.w3.org/ns/activitystreams",
        "id": NAME,
        "type": "Follow",
        "actor": A,
        "to": [B],
        "object": B,
        "published": "2023-11-14T22:13:20.000000Z",
    }


def test_what_is_posted_is_read() -> None:
    read = told(FOLLOW)
    assert (read.name, read.type, read.actor, read.to) == (NAME, "Follow", A, (B,))
    assert read.document == FOLLOW


def test_one_value_may_stand_for_a_list_and_an_object_for_its_name() -> None:
    read = Activity.read(
        {**FOLLOW, "to": B, "type": ["Follow", "Wish"], "actor": {"id": A, "type": "Service"}}
    )
    assert (read.type, read.actor, read.to) == ("Follow", A, (B,))
    assert Activity.read(changed(FOLLOW, "to", None)).to == ()


def test_an_activity_may_be_about_another() -> None:
    undo = activity("Undo", name="x", actor=A, to=[B], about=FOLLOW)
    assert told(undo).inner.name == NAME
    with pytest.raises(BadActivity):
        _ = told(FOLLOW).inner


def test_another_kind_than_was_meant_is_told() -> None:
    told(FOLLOW).demand("Follow", "Invite")
    with pytest.raises(BadActivity, match="Follow, where Like or Undo is meant") as caught:
        told(FOLLOW).demand("Like", "Undo")
    assert caught.value.rule == "type"


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        ("id", None, "no-id"),
        ("id", "", "bad-id"),
        ("type", None, "no-type"),
        ("type", "Dance", "type"),
        ("type", ["Follow", "Like"], "type"),
        ("type", {}, "bad-type"),
        ("actor", None, "no-actor"),
        ("actor", ["x"], "bad-actor"),
        ("to", [7], "bad-to"),
        ("id", "https://a.example/" + "x" * 512, "id"),
        ("actor", "https://a.example/" + "x" * 512, "actor"),
    ],
)
def test_what_is_no_activity_is_refused_with_its_rule(path: str, value: Any, rule: str) -> None:
    with pytest.raises(BadActivity) as caught:
        told(changed(FOLLOW, path, value))
    assert caught.value.rule == rule


@pytest.mark.parametrize("data", [b"", b"null", b"[]", b"{}"])
def test_bytes_that_are_no_activity_are_refused(data: bytes) -> None:
    with pytest.raises(BadActivity):
        Activity.parse(data)


MEMBERS = [
    "id",
    "type",
    "actor",
    "to",
    "object",
    "target",
    "result",
    "url",
    "items",
    "inReplyTo",
    "attachment",
]
WORDS = ["Offer", "Accept", "Create", "Follow", "Like", "Undo", "AnchorEvent", "Collection", "AnchorReceipt"]
ANYTHING = st.recursive(
    st.none() | st.integers() | st.text(max_size=5) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=6),
    max_leaves=15,
)


@given(st.sampled_from(WORDS), ANYTHING, ANYTHING)
def test_any_json_is_an_activity_or_refused(kind: str, about: Any, result: Any) -> None:
    document = {"id": "x", "type": kind, "actor": A, "object": about, "result": result, "target": result}
    for read in (Offer.of, Receipt.of, created, announced, liked, unliked, asked, answered, undone):
        with suppress(BadActivity):
            read(Activity.read(document))
