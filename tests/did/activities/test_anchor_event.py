from __future__ import annotations

from typing import Any

import pytest

from penstock.did.activities.anchor_event import (
    AnchorEvent,
    announce,
    announced,
    create,
    created,
    like,
    liked,
    unlike,
    unliked,
)
from penstock.did.activities.names import PUBLIC
from penstock.did.cas.hashlink import HashLink
from penstock.errors import BadActivity
from tests.did.activities.helpers import AT, LINKSET, NAME, URL, A, B, C, changed, told

FULL = AnchorEvent(url=URL, linkset=LINKSET)
BARE = AnchorEvent(url=URL)
COPY = AnchorEvent(url=HashLink.to(URL.hash, ["https://b.example/cas/x"]))

CREATE = create(name=NAME, actor=A, to=[f"{A}/followers", PUBLIC], event=FULL, at=AT)
ANNOUNCE = announce(name=NAME, actor=B, to=[f"{B}/followers", PUBLIC], events=[BARE, FULL], at=AT)
LIKE = like(name=NAME, actor=B, to=[A, PUBLIC], liked=BARE, copy=COPY, at=AT)


def test_an_author_tells_of_its_anchor() -> None:
    assert CREATE["object"] == {
        "@context": "https://w3id.org/activityanchors/v1",
        "type": "AnchorEvent",
        "url": str(URL),
        "object": LINKSET,
    }
    assert created(told(CREATE)) == FULL


def test_others_pass_it_on() -> None:
    assert ANNOUNCE["object"]["type"] == "Collection"
    assert ANNOUNCE["object"]["totalItems"] == 2
    assert announced(told(ANNOUNCE)) == [BARE, FULL]
    ordered = {"type": "OrderedCollection", "orderedItems": [BARE.document()]}
    assert announced(told({**ANNOUNCE, "object": ordered})) == [BARE]


def test_who_has_observed_it_tells_where_its_copy_is() -> None:
    assert liked(told(LIKE)) == (BARE, COPY)
    assert "result" not in (without := like(name=NAME, actor=B, to=[A], liked=BARE, at=AT))
    assert liked(told(without)) == (BARE, None)


def test_several_links_to_a_copy_are_one_and_what_leads_elsewhere_is_passed_over() -> None:
    hints = ["https://b.example/cas/x", "ipfs://x"]
    links = [str(HashLink.to(URL.hash, [hint])) for hint in hints]
    other = str(HashLink.of(b"another"))
    _, copy = liked(told(changed(LIKE, "result.url", [other, links[0], "x", links[1]])))
    assert copy == AnchorEvent(url=HashLink.to(URL.hash, hints))
    for urls in ([], [other, "x"]):
        with pytest.raises(BadActivity):
            liked(told(changed(LIKE, "result.url", urls)))


def test_several_links_have_no_more_hints_than_one_may_have() -> None:
    hints = ["https://b.example/" + letter * 2000 for letter in "xyz"]
    hints.append("ipfs://x")
    links = [str(HashLink.to(URL.hash, [hint])) for hint in hints]
    _, copy = liked(told(changed(LIKE, "result.url", links)))
    assert copy is not None
    assert HashLink.parse(str(copy.url)).links == (hints[0], hints[3])


def test_a_like_can_be_taken_back_by_who_gave_it() -> None:
    assert unliked(told(unlike(name="x", actor=B, undone=LIKE))) == BARE
    with pytest.raises(BadActivity) as caught:
        unliked(told(unlike(name="x", actor=C, undone=LIKE)))
    assert caught.value.rule == "actor"


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        ("type", "Like", "type"),
        ("object", None, "no-object"),
        ("object", "hl:x", "shape"),
        ("object.type", "Note", "object-type"),
        ("object.type", None, "no-type"),
        ("object.url", None, "no-url"),
        ("object.url", [str(URL), str(URL)], "url"),
        ("object.url", "https://a.example", "url"),
        ("object.url", HashLink.of(b"other").bare, "url-hash"),
        ("object.object", {"linkset": []}, "url-hash"),
        ("object.object", "x", "bad-object"),
    ],
)
def test_an_event_that_is_none_is_refused_with_its_rule(path: str, value: Any, rule: str) -> None:
    with pytest.raises(BadActivity) as caught:
        created(told(changed(CREATE, path, value)))
    assert caught.value.rule == rule


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        ("object.type", "Set", "object-type"),
        ("object.items", [7], "shape"),
        ("object.items.0.url", "x", "url"),
    ],
)
def test_an_announcement_of_something_else_is_refused(path: str, value: Any, rule: str) -> None:
    with pytest.raises(BadActivity) as caught:
        announced(told(changed(ANNOUNCE, path, value)))
    assert caught.value.rule == rule


def test_a_like_of_something_else_is_refused() -> None:
    with pytest.raises(BadActivity):
        liked(told(changed(LIKE, "result", "x")))
    with pytest.raises(BadActivity):
        liked(told(CREATE))
