from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import BadPatch
from penstock.sidetree.patches.values import (
    check_id,
    check_unique,
    entries,
    merged,
    without,
)
from penstock.sidetree.protocol import ORB, SIDETREE


@pytest.mark.parametrize("value", ["a", "Key_1-x", "z" * 50])
def test_an_id_is_short_and_plain(value: str) -> None:
    assert check_id(value, "a key") == value


@pytest.mark.parametrize("value", ["", "z" * 51, "a b", "#a", "ä", "a\n", None, 5, ["a"]])
def test_nothing_else_is_an_id(value: Any) -> None:
    with pytest.raises(BadPatch, match="the id of a key"):
        check_id(value, "a key")


def test_each_may_stand_once() -> None:
    check_unique(["a", "b"], "the thing")
    with pytest.raises(BadPatch, match="the thing 'b' stands twice"):
        check_unique(["a", "b", "c", "b"], "the thing")


def test_whether_a_list_may_be_empty_is_the_protocols_business() -> None:
    assert entries([1], "things", ORB) == [1]
    assert entries([], "things", SIDETREE) == []
    with pytest.raises(BadPatch, match="things must list something"):
        entries([], "things", ORB)
    with pytest.raises(BadPatch, match="things must be a list"):
        entries({}, "things", SIDETREE)


def test_who_comes_takes_the_place_of_its_namesake() -> None:
    present = [{"id": "a", "n": 1}, {"id": "b", "n": 2}]
    assert merged(present, [{"id": "c"}, {"id": "a", "n": 3}]) == [
        {"id": "a", "n": 3},
        {"id": "b", "n": 2},
        {"id": "c"},
    ]
    assert without(present, ["b", "unknown"]) == [{"id": "a", "n": 1}]
    assert present == [{"id": "a", "n": 1}, {"id": "b", "n": 2}]
