from __future__ import annotations

import pickle
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.did.anchors.anchor import Anchor
from penstock.did.anchors.data_uri import JSON, content_of, data_uri
from penstock.did.cas.hashes import resource_hash
from penstock.did.cas.hashlink import HashLink
from penstock.errors import BadAnchor, BadCredential, RuleBroken
from penstock.sidetree.canonical import canonical, parse
from tests.did.anchors.helpers import (
    CREATED,
    ISSUED,
    LINKSET,
    PAYLOAD,
    SERVICE,
    UPDATED,
    link,
    suffix,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Change = Callable[[Any], object]


def opened(part: str) -> Any:
    return parse(content_of(LINKSET["linkset"][0][part][0]["href"], limit=100_000))


def changed(part: str, change: Change, *, forge: bool = False) -> dict[str, Any]:
    """The linkset with one of its parts changed; a forger makes the hashes fit again."""
    linkset = deepcopy(LINKSET)
    if part == "outer":
        change(linkset["linkset"][0])
        return linkset
    document = opened(part)
    change(document["linkset"][0] if "linkset" in document else document)
    linkset["linkset"][0][part][0]["href"] = data_uri(canonical(document), JSON)
    if forge:
        anchor = HashLink.of(canonical(document)).bare
        linkset["linkset"][0]["anchor"] = anchor
        for other, path in (
            ("related", ["linkset", 0, "anchor"]),
            ("replies", ["credentialSubject", "href"]),
        ):
            inside = opened(other)
            at = inside
            for step in path[:-1]:
                at = at[step]
            at[path[-1]] = anchor
            linkset["linkset"][0][other][0]["href"] = data_uri(canonical(inside), JSON)
    return linkset


def put(**members: Any) -> Change:
    return lambda document: document.update(members)


def test_what_was_built_is_what_is_observed() -> None:
    anchor = Anchor.parse(canonical(LINKSET))
    assert anchor.uri == LINKSET["linkset"][0]["anchor"]
    assert anchor.author == SERVICE
    assert anchor.payload.previous == tuple(PAYLOAD.previous)
    assert anchor.payload.core_index == PAYLOAD.core_index
    assert anchor.payload.anchor_string == f"3.{PAYLOAD.core_index}"
    assert anchor.parents == (link("anchor 1"),)
    assert anchor.credential.issued_at == ISSUED
    assert anchor.hash == resource_hash(canonical(LINKSET))


def older(outer: dict[str, Any]) -> None:
    outer.update(author=outer["author"][0]["href"], profile=outer["profile"][0]["href"])


def older_original(original: dict[str, Any]) -> None:
    older(original)
    for item in original["item"]:
        if "previous" in item:
            item["previous"] = item["previous"][0]


def test_the_shape_of_the_seeds_date_is_read_too() -> None:
    linkset = changed("original", older_original, forge=True)
    older(linkset["linkset"][0])
    related = parse(content_of(linkset["linkset"][0]["related"][0]["href"], limit=100_000))
    related["linkset"][0]["profile"] = "https://w3id.org/orb#v0"
    linkset["linkset"][0]["related"][0]["href"] = data_uri(canonical(related))
    credential = parse(content_of(linkset["linkset"][0]["replies"][0]["href"], limit=100_000))
    credential["credentialSubject"] = credential["credentialSubject"]["href"]
    linkset["linkset"][0]["replies"][0]["href"] = data_uri(canonical(credential))

    anchor = Anchor.read(linkset)

    assert anchor.payload.previous == tuple(PAYLOAD.previous)
    assert anchor.payload.origin == SERVICE


def test_the_author_is_who_was_signed_whoever_is_named_outside() -> None:
    anchor = Anchor.read(changed("outer", put(author=[{"href": "https://another.example"}])))

    assert anchor.author == anchor.payload.origin == SERVICE


HINTED = str(HashLink.to(HashLink.parse(LINKSET["linkset"][0]["anchor"]).hash, ["https://x.example"]))

RULES: list[tuple[str, str, Change, bool, str]] = [
    ("no anchor", "outer", put(anchor=None), False, "anchor"),
    ("an anchor of another scheme", "outer", put(anchor="https://a.example"), False, "anchor"),
    ("an anchor with hints", "outer", put(anchor=HINTED), False, "original-hash"),
    ("no author", "outer", put(author=[]), False, "author"),
    ("no profile", "outer", put(profile=[]), False, "profile"),
    ("another profile", "outer", put(profile=[{"href": "x"}]), False, "profile-differs"),
    ("no original", "outer", put(original=[]), False, "original"),
    ("no related", "outer", put(related=[]), False, "related"),
    ("no replies", "outer", put(replies=[]), False, "replies"),
    (
        "an original by reference",
        "outer",
        lambda it: it["original"][0].update(href="https://x"),
        False,
        "original",
    ),
    ("an original of no type", "outer", lambda it: it["original"][0].pop("type"), False, "original-type"),
    (
        "a related of another type",
        "outer",
        lambda it: it["related"][0].update(type="x"),
        False,
        "related-type",
    ),
    ("replies of another type", "outer", lambda it: it["replies"][0].update(type="x"), False, "replies-type"),
    ("a changed original", "original", put(more=1), False, "original-hash"),
    ("an original without author", "original", put(author=[]), True, "author"),
    ("an original without profile", "original", put(profile=[]), True, "profile"),
    ("no core index", "original", put(anchor="x"), True, "anchor"),
    ("another core index", "original", put(anchor=HashLink.of(b"x").bare), True, "via"),
    ("no items", "original", put(item=[]), True, "item"),
    ("an item that is no DID", "original", put(item=[{"href": "did:orb:uAAA:x"}]), True, "item"),
    ("an item of another method", "original", put(item=[{"href": f"did:ion:{CREATED}"}]), True, "item"),
    ("a DID twice", "original", put(item=[{"href": f"did:orb:uAAA:{CREATED}"}] * 2), True, "item-twice"),
    (
        "a previous anchor that is nowhere",
        "original",
        put(item=[{"href": f"did:orb:x:{UPDATED}", "previous": [HashLink.of(b"?").bare]}]),
        True,
        "previous",
    ),
    (
        "a previous anchor that is none",
        "original",
        put(item=[{"href": f"did:orb:x:{suffix('x')}", "previous": ["x"]}]),
        True,
        "previous",
    ),
    ("a related of another anchor", "related", put(anchor=HashLink.of(b"x").bare), False, "related-anchor"),
    ("no way to the core index", "related", put(via=[]), False, "via"),
    ("a way that is no hashlink", "related", put(via=[{"href": "https://x"}]), False, "via"),
    ("a way to another core index", "related", put(via=[{"href": link("x")}]), False, "via"),
    ("a parent that is no hashlink", "related", put(up=[{"href": "https://x"}]), False, "up"),
    ("no way to a previous anchor", "related", put(up=[]), False, "previous"),
    (
        "a credential of another anchor",
        "replies",
        lambda it: it["credentialSubject"].update(href="hl:x"),
        False,
        "subject-href",
    ),
    (
        "a credential of another core index",
        "replies",
        lambda it: it["credentialSubject"].update(anchor="hl:x"),
        False,
        "subject-anchor",
    ),
    (
        "a credential of another profile",
        "replies",
        lambda it: it["credentialSubject"].update(profile="x"),
        False,
        "subject-profile",
    ),
]


@pytest.mark.parametrize(
    ("part", "change", "forge", "rule"), [row[1:] for row in RULES], ids=[row[0] for row in RULES]
)
def test_every_rule_is_looked_at_and_told_by_its_name(
    part: str,
    change: Change,
    forge: bool,  # noqa: FBT001  a column of the table
    rule: str,
) -> None:
    with pytest.raises(BadAnchor) as caught:
        Anchor.read(changed(part, change, forge=forge))
    assert caught.value.rule == rule


def test_an_unknown_profile_is_refused_even_if_all_say_the_same() -> None:
    linkset = changed("original", put(profile=[{"href": "https://w3id.org/orb#v9"}]), forge=True)
    linkset["linkset"][0]["profile"] = [{"href": "https://w3id.org/orb#v9"}]
    credential = parse(content_of(linkset["linkset"][0]["replies"][0]["href"], limit=100_000))
    credential["credentialSubject"]["profile"] = "https://w3id.org/orb#v9"
    linkset["linkset"][0]["replies"][0]["href"] = data_uri(canonical(credential))
    with pytest.raises(BadAnchor, match="is not known"):
        Anchor.read(linkset)


def test_what_is_no_credential_is_told_by_the_credentials_rule() -> None:
    with pytest.raises(BadCredential) as caught:
        Anchor.read(changed("replies", put(issuer="")))
    assert caught.value.rule == "issuer"


def test_a_part_that_inflates_without_end_is_refused() -> None:
    linkset = deepcopy(LINKSET)
    linkset["linkset"][0]["related"][0]["href"] = data_uri(b" " * 20_000_000)
    with pytest.raises(BadAnchor, match="more than") as caught:
        Anchor.read(linkset)
    assert caught.value.rule == "related"
    with pytest.raises(BadAnchor, match="more than the 10 bytes"):
        Anchor.read(LINKSET, part_limit=10)


def test_what_is_no_json_is_no_anchor() -> None:
    with pytest.raises(BadAnchor) as caught:
        Anchor.parse(b"hl:")
    assert caught.value.rule == "json"


def test_its_errors_travel_from_executors_to_the_driver() -> None:
    with pytest.raises(RuleBroken) as caught:
        Anchor.parse(b"[]")
    sent = pickle.loads(pickle.dumps(caught.value))  # noqa: S301  made a line ago
    assert (type(sent), sent.rule, str(sent)) == (BadAnchor, "linkset", str(caught.value))


MEMBERS = [
    "linkset",
    "anchor",
    "author",
    "profile",
    "item",
    "original",
    "related",
    "replies",
    "href",
    "up",
    "via",
]
VALUES = (
    st.none()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["hl:x", "data:application/json,%7B%7D"])
)
ANYTHING = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=4),
    max_leaves=12,
)


@given(ANYTHING)
def test_any_json_is_an_anchor_or_refused(document: Any) -> None:
    for each in (document, {"linkset": [document]}):
        with pytest.raises(RuleBroken):
            Anchor.read(each)
