from __future__ import annotations

from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.files.joining import joined


def test_parts_make_an_object_in_canonical_form() -> None:
    made = joined({"b": [b"1", b'"x"'], "a": canonical({"z": 1}), "c": [], "d": b""})
    assert made == canonical({"a": {"z": 1}, "b": [1, "x"]})
    assert parse(made)["b"] == [1, "x"]


def test_nothing_makes_nothing() -> None:
    assert joined({"a": [], "b": b""}) == b""
