from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import BadPatch
from penstock.sidetree.patches.also_known_as import ADD, REMOVE, names
from penstock.sidetree.protocol import ORB


def test_names_come_once_and_go() -> None:
    first = ADD.apply({}, ["https://a.example", "https://b.example"])
    second = ADD.apply(first, ["https://c.example", "https://a.example"])
    assert second == {"alsoKnownAs": ["https://a.example", "https://b.example", "https://c.example"]}
    assert REMOVE.apply(second, ["https://b.example", "urn:unknown"]) == {
        "alsoKnownAs": ["https://a.example", "https://c.example"]
    }
    assert REMOVE.apply({}, ["urn:x"]) == {"alsoKnownAs": []}


def test_a_name_may_do_without_a_scheme_as_in_orb() -> None:
    ADD.check(["testURI", "did:web:a.example", "", "/a%20b", "/a%2520b"], ORB)


@pytest.mark.parametrize("present", [None, "text", {"a": 1}, [5, None]])
def test_whatever_a_json_patch_left_there_does_no_harm(present: Any) -> None:
    assert names({"alsoKnownAs": present}) == []
    assert ADD.apply({"alsoKnownAs": present}, ["urn:x"]) == {"alsoKnownAs": ["urn:x"]}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "must be a list"),
        ([], "must list something"),
        (["no uri:"], "must be a URI"),
        ([5], "must be a URI"),
        (["a:80/b", "//a:port"], "not '//a:port'"),
        (["urn:a", "urn:a"], "'urn:a' stands twice"),
        (["urn:a b", "URN:a b#"], "'urn:a b' stands twice"),
    ],
)
def test_names_are_different_uris(value: Any, reason: str) -> None:
    for action in (ADD, REMOVE):
        with pytest.raises(BadPatch, match=reason):
            action.check(value, ORB)
