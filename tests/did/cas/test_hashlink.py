from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.did.cas import cbor
from penstock.did.cas.hashes import resource_hash
from penstock.did.cas.hashlink import HashLink
from penstock.errors import BadHashLink
from penstock.sidetree.base64url import encode

NAME = resource_hash(b"content")
LINK = f"https://orb.example.com/cas/{NAME}"


def with_metadata(value: object) -> str:
    return f"hl:{NAME}:u{encode(cbor.dumps(value))}"


def test_without_links_it_is_prefix_and_hash() -> None:
    link = HashLink.of(b"content")
    assert str(link) == link.bare == f"hl:{NAME}"
    assert link.links == ()


def test_links_travel_as_cbor_under_the_key_15() -> None:
    link = HashLink.of(b"content", [LINK])
    # a1: a map of one; 0f: the key; 81: a list of one; 78 4b: a text of 75 bytes
    assert len(LINK) == 75
    assert link.metadata == "u" + encode(bytes.fromhex("a10f81784b") + LINK.encode())
    assert str(link) == f"hl:{NAME}:{link.metadata}"
    assert link.bare == f"hl:{NAME}"


@given(st.binary(min_size=1), st.lists(st.text(min_size=1, max_size=60), max_size=5))
def test_what_is_built_is_read_back(data: bytes, links: list[str]) -> None:
    link = HashLink.of(data, links)
    assert HashLink.parse(str(link)) == link
    assert link.links == tuple(links)


def test_metadata_of_others_are_kept_as_they_are() -> None:
    # A content type (0x0e) beside the links, and the keys in another order than ours would be.
    theirs = with_metadata({0x0F: [LINK], 0x0E: "application/json"})
    assert str(HashLink.parse(theirs)) == theirs
    assert HashLink.parse(theirs).links == (LINK,)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "begins with 'hl:'"),
        (NAME, "begins with 'hl:'"),
        (f"HL:{NAME}", "begins with 'hl:'"),
        ("hl:", "resource hash"),
        ("hl:uAAA", "resource hash"),
        (f"hl:{NAME}:", "begin with 'u'"),
        (f"hl:{NAME}:x", "begin with 'u'"),
        (f"hl:{NAME}:u!", "cannot be read"),
        (f"hl:{NAME}:uoA:uoA", "cannot be read"),
        (f"hl:{NAME}:uoA", "no links"),
        (with_metadata([LINK]), "no links"),
        (with_metadata({0x0F: LINK}), "no links"),
        (with_metadata({0x0F: [1]}), "no links"),
        (f"hl:{NAME}:u{'A' * 5000}", "too long"),
    ],
)
def test_what_is_no_hashlink_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(BadHashLink, match=reason):
        HashLink.parse(text)


@given(st.sampled_from(["", "hl:", f"hl:{NAME}", f"hl:{NAME}:u"]), st.text(max_size=60))
def test_any_text_is_a_hashlink_or_refused(beginning: str, rest: str) -> None:
    try:
        link = HashLink.parse(beginning + rest)
    except BadHashLink:
        return
    assert str(link) == beginning + rest
