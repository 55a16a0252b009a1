from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import BadPatch
from penstock.sidetree.patches.json_pointer import added, found, removed, steps

#: RFC 6901 §5.
DOCUMENT: dict[str, Any] = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "m~n": 8,
    "deep": {"er": [{"est": "here"}]},
}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", DOCUMENT),
        ("/foo", ["bar", "baz"]),
        ("/foo/0", "bar"),
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/m~0n", 8),
        ("/deep/er/0/est", "here"),
    ],
)
def test_a_pointer_leads_to_what_stands_there(pointer: str, value: Any) -> None:
    assert found(DOCUMENT, pointer) == value


def test_tildes_are_undone_in_the_right_order() -> None:
    assert steps("/~01") == ["~1"]


@pytest.mark.parametrize("pointer", ["foo", None, 5, "#/foo"])
def test_what_is_no_pointer_leads_nowhere(pointer: Any) -> None:
    with pytest.raises(BadPatch, match="no JSON Pointer"):
        steps(pointer)


@pytest.mark.parametrize(
    "pointer", ["/unknown", "/foo/2", "/foo/-", "/foo/01", "/foo/-1", "/foo/x", "/foo/0/x", "/c%d/x"]
)
def test_a_way_that_ends_too_early_is_refused(pointer: str) -> None:
    with pytest.raises(BadPatch, match=r"nothing stands|no such entry"):
        found(DOCUMENT, pointer)
    with pytest.raises(BadPatch, match=r"nothing stands|no such entry"):
        removed(DOCUMENT, pointer)


def test_things_are_put_and_taken() -> None:
    first = document = {"list": [1, 3], "object": {}}
    for pointer, value in (("/list/1", 2), ("/list/-", 4), ("/list/4", 5), ("/object/x", "y")):
        document = added(document, pointer, value)
    assert document == {"list": [1, 2, 3, 4, 5], "object": {"x": "y"}}
    without, one = removed(document, "/list/0")
    without, letter = removed(without, "/object/x")
    assert (one, letter) == (1, "y")
    assert without == {"list": [2, 3, 4, 5], "object": {}}
    # Each is another, and those before it stay.
    assert document == {"list": [1, 2, 3, 4, 5], "object": {"x": "y"}}
    assert first == {"list": [1, 3], "object": {}}


@pytest.mark.parametrize("pointer", ["", "/list/9", "/list/x", "/text/x", "/unknown/x"])
def test_nothing_can_be_put_where_there_is_no_place(pointer: str) -> None:
    with pytest.raises(BadPatch, match=r"whole document|no such entry|nothing can stand|nothing stands"):
        added({"list": [], "text": "t"}, pointer, 1)
