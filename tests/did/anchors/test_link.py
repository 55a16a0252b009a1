from __future__ import annotations

from typing import Any

import pytest

from penstock.did.anchors.link import Item, Link, Target
from penstock.errors import BadAnchor
from penstock.sidetree.canonical import canonical

FULL = Link(
    anchor="hl:a",
    author="https://a.example",
    profile="https://w3id.org/orb#v0",
    items=(Item("did:orb:uAAA:x"), Item("did:orb:y:z", "hl:y")),
    original=Target("data:,1", "application/linkset+json"),
    related=Target("data:,2", "application/linkset+json"),
    replies=Target("data:,3", "application/ld+json"),
    up=("hl:b", "hl:c"),
    via="hl:d",
)
WRITTEN = {
    "linkset": [
        {
            "anchor": "hl:a",
            "author": [{"href": "https://a.example"}],
            "profile": [{"href": "https://w3id.org/orb#v0"}],
            "item": [{"href": "did:orb:uAAA:x"}, {"href": "did:orb:y:z", "previous": ["hl:y"]}],
            "original": [{"href": "data:,1", "type": "application/linkset+json"}],
            "related": [{"href": "data:,2", "type": "application/linkset+json"}],
            "replies": [{"href": "data:,3", "type": "application/ld+json"}],
            "up": [{"href": "hl:b"}, {"href": "hl:c"}],
            "via": [{"href": "hl:d"}],
        }
    ]
}


def test_a_link_is_written_in_the_shape_of_the_rfc_and_read_back() -> None:
    assert FULL.linkset() == WRITTEN
    assert Link.parse(canonical(WRITTEN), "it") == FULL


def test_relations_that_are_not_there_are_not_written() -> None:
    link = Link(anchor="hl:a", profile="p")
    assert link.linkset() == {"linkset": [{"anchor": "hl:a", "profile": [{"href": "p"}]}]}
    assert Link.read(link.linkset(), "it") == link


def changed(**members: Any) -> dict[str, Any]:
    return {"linkset": [{**WRITTEN["linkset"][0], **members}]}


def test_the_older_shape_has_plain_texts() -> None:
    older = changed(
        author="https://a.example",
        profile="https://w3id.org/orb#v0",
        item=[{"href": "did:orb:uAAA:x"}, {"href": "did:orb:y:z", "previous": "hl:y"}],
    )
    assert Link.read(older, "it") == FULL


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        (None, "linkset"),
        ([], "linkset"),
        ({}, "linkset"),
        ({"linkset": {}}, "linkset"),
        ({"linkset": []}, "linkset"),
        ({"linkset": [7]}, "linkset"),
        ({"linkset": WRITTEN["linkset"] * 2}, "linkset"),
        (changed(anchor=None), "anchor"),
        (changed(anchor=""), "anchor"),
        (changed(anchor=["hl:a"]), "anchor"),
        (changed(author=7), "author"),
        (changed(author=["x"]), "author"),
        (changed(author=[{"href": "a"}, {"href": "b"}]), "author"),
        (changed(profile=[{"href": ""}]), "profile"),
        (changed(profile=[{}]), "profile"),
        (changed(original=[{"href": "x", "type": 7}]), "original"),
        (changed(related={"href": "x"}), "related"),
        (changed(replies=[{"href": "x"}, {"href": "y"}]), "replies"),
        (changed(up=[7]), "up"),
        (changed(via=[{"href": "a"}, {"href": "b"}]), "via"),
        (changed(item={}), "item"),
        (changed(item=["did:orb:x"]), "item"),
        (changed(item=[{}]), "item"),
        (changed(item=[{"href": "x", "previous": ["a", "b"]}]), "item"),
        (changed(item=[{"href": "x", "previous": 7}]), "item"),
    ],
)
def test_what_is_in_no_known_shape_is_refused_with_its_rule(document: Any, rule: str) -> None:
    with pytest.raises(BadAnchor) as caught:
        Link.read(document, "it")
    assert caught.value.rule == rule


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(BadAnchor, match="it cannot be read") as caught:
        Link.parse(b"{", "it")
    assert caught.value.rule == "json"
