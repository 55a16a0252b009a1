from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import BadPatch, InvalidOperation
from penstock.sidetree.multihash import hashed
from penstock.sidetree.shapes import encoded_hash, instant, members


@pytest.mark.parametrize("value", [{"a": 1}, {"a": 1, "b": 2}])
def test_an_object_with_what_it_may_have_is_taken(value: dict[str, int]) -> None:
    assert members(value, "a thing", {"a"}, {"b"}) is value


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "a thing must be an object"),
        ([], "a thing must be an object"),
        ({}, "a thing has no 'a'"),
        ({"b": 1}, "a thing has no 'a'"),
        ({"a": 1, "c": 2}, "a thing has no member 'c'"),
    ],
)
def test_an_object_with_less_or_more_is_refused(value: Any, reason: str) -> None:
    with pytest.raises(InvalidOperation, match=reason):
        members(value, "a thing", {"a"}, {"b"})
    with pytest.raises(BadPatch, match=reason):
        members(value, "a thing", {"a"}, {"b"}, error=BadPatch)


def test_a_hash_has_a_length_and_a_form() -> None:
    right = hashed("x")
    assert encoded_hash(right, "it", 100) == right
    for value in (None, 5, "", right + "A", "A" * 46):
        with pytest.raises(InvalidOperation, match="it "):
            encoded_hash(value, "it", 100)
    with pytest.raises(InvalidOperation, match="at most 45 letters"):
        encoded_hash(right, "it", 45)


def test_an_instant_is_a_whole_number_and_zero_is_none() -> None:
    assert [instant(value, "it") for value in (None, 0, 5, -5, 2**63 - 1)] == [None, None, 5, -5, 2**63 - 1]
    wrong: tuple[Any, ...] = (True, 1.5, "5", [], 2**63, -(2**63))
    for value in wrong:
        with pytest.raises(InvalidOperation, match="whole number"):
            instant(value, "it")
