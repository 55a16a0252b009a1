"""What is wrong with entries stands in test_reading."""

from __future__ import annotations

import pytest

from penstock.errors import BadBatchFile, InvalidOperation
from penstock.sidetree.files.compression import compressed
from penstock.sidetree.files.entries import Reference, address, content, each, lists, references
from penstock.sidetree.multihash import hashed
from penstock.sidetree.protocol import ORB


def test_content_is_what_was_compressed() -> None:
    assert content(compressed(b'{"a":1}'), "file", 100, ORB) == {"a": 1}
    with pytest.raises(BadBatchFile, match=r"^file: no JSON"):
        content(compressed(b"{"), "file", 100, ORB)
    with pytest.raises(BadBatchFile, match=r"^file: it is no gzip"):
        content(b"{}", "file", 100, ORB)


def test_a_list_that_is_missing_is_empty() -> None:
    assert lists({"a": [1]}, "file", frozenset({"a", "b"})) == {"a": [1], "b": []}


def test_an_address_has_its_limit() -> None:
    assert address("u" * 500, "file", "it", ORB) == "u" * 500
    with pytest.raises(BadBatchFile, match=r"^file: it must be an address of at most 500"):
        address("u" * 501, "file", "it", ORB)


def test_the_first_bad_entry_is_named_by_its_place() -> None:
    def read(entry: int) -> int:
        if entry > 1:
            raise InvalidOperation(f"{entry} is too much")
        return entry

    assert each([0, 1], "file", "thing", read) == [0, 1]
    with pytest.raises(BadBatchFile, match=r"^file: thing 2: 5 is too much"):
        each([0, 1, 5, 7], "file", "thing", read)


def test_references_are_suffix_and_reveal_value() -> None:
    entry = {"didSuffix": hashed(1), "revealValue": hashed(2)}
    assert references([entry], "file", "update", ORB) == [Reference(hashed(1), hashed(2))]
