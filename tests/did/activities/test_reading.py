from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.activities.reading import Reader
from penstock.errors import BadActivity

if TYPE_CHECKING:
    from collections.abc import Callable

IT = Reader(
    {
        "text": "a",
        "empty": "",
        "none": None,
        "texts": ["a", "b"],
        "number": 7,
        "negative": -1,
        "yes": True,
        "object": {"id": "x"},
        "objects": [{"id": "x"}, {"id": "y"}],
        "instant": "1970-01-01T00:00:07Z",
    },
    "it",
)


def test_each_member_is_read_by_its_kind() -> None:
    assert IT.text("text") == "a"
    assert IT.text("empty", "") == ""
    assert IT.texts("texts") == ("a", "b")
    assert IT.texts("text") == ("a",)
    assert IT.iri("text") == "a"
    assert IT.iri("object") == "x"
    assert IT.whole("number") == 7
    assert IT.instant("instant") == 7.0
    assert IT.mapping("object") == {"id": "x"}
    assert IT.reader("object").text("id") == "x"
    assert [each.text("id") for each in IT.readers("objects")] == ["x", "y"]
    assert [each.text("id") for each in IT.readers("object")] == ["x"]


def test_what_is_missing_or_null_has_its_default() -> None:
    assert IT.text("none", "b") == IT.text("missing", "b") == "b"
    assert IT.texts("missing", ()) == ()
    assert IT.instant("missing", None) is None
    assert IT.mapping("missing", {}) == {}
    assert IT.whole("missing", 0) == 0
    assert IT.readers("missing") == []


NUL = Reader({"id": "a\0", "to": ["a", "\0"], "object": {"id": "\0b"}}, "it")

CASES: list[tuple[Callable[[], Any], str]] = [
    (lambda: IT.text("missing"), "no-missing"),
    (lambda: IT.text("none"), "no-none"),
    (lambda: IT.text("empty"), "bad-empty"),
    (lambda: IT.text("number"), "bad-number"),
    (lambda: NUL.text("id"), "bad-id"),
    (lambda: NUL.texts("to"), "bad-to"),
    (lambda: NUL.iri("object"), "bad-object"),
    (lambda: IT.texts("number"), "bad-number"),
    (lambda: IT.texts("objects"), "bad-objects"),
    (lambda: IT.iri("number"), "bad-number"),
    (lambda: IT.iri("objects"), "bad-objects"),
    (lambda: IT.whole("text"), "bad-text"),
    (lambda: IT.whole("negative"), "bad-negative"),
    (lambda: IT.whole("yes"), "bad-yes"),
    (lambda: IT.instant("text"), "bad-text"),
    (lambda: IT.instant("number"), "bad-number"),
    (lambda: IT.mapping("text"), "bad-text"),
    (lambda: IT.reader("text"), "shape"),
    (lambda: IT.readers("texts"), "shape"),
    (lambda: Reader([], "it"), "shape"),
    (lambda: Reader.of(b"[]", "it"), "shape"),
    (lambda: Reader.of(b"{", "it"), "json"),
    (lambda: Reader.of(b'{"a":1,"a":2}', "it"), "json"),
]


@pytest.mark.parametrize(("read", "rule"), CASES)
def test_what_does_not_fit_is_named(read: Callable[[], Any], rule: str) -> None:
    with pytest.raises(BadActivity, match=r"\bit\b") as caught:
        read()
    assert caught.value.rule == rule
