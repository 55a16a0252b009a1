"""x-match: how the criteria of one registration combine, and which entries are criteria."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest

from penstock.errors import BadPattern
from penstock.wiring.proxies.fanout import Fanout
from penstock.wiring.proxies.modes import split_mode

#: Any proxy will do: only its way to refuse is used.
PROXY = Fanout("any one")

CASES: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({}, "all", {}),
    ({"a": 1}, "all", {"a": 1}),
    ({"x-match": "all", "a": 1, "b": None}, "all", {"a": 1, "b": None}),
    ({"a": 1, "x-match": "any"}, "any", {"a": 1}),
    ({"x-match": "all", "x-a": 1, "b": 2}, "all", {"b": 2}),  # brokers write x-: not compared
    ({"x-match": "any", "x-a": 1}, "any", {}),
    ({"x-match": "all-with-x", "x-a": 1, "b": 2}, "all", {"x-a": 1, "b": 2}),
    ({"x-match": "any-with-x", "x-a": 1}, "any", {"x-a": 1}),
    ({"X-a": 1, "xa": 2}, "all", {"X-a": 1, "xa": 2}),  # only exactly x- is special
]


@pytest.mark.parametrize(("pattern", "mode", "criteria"), CASES)
def test_a_mapping_splits_into_mode_and_criteria(
    pattern: dict[str, Any], mode: str, criteria: dict[str, Any]
) -> None:
    before = dict(pattern)
    assert split_mode(PROXY, pattern) == (mode, criteria)
    assert split_mode(PROXY, MappingProxyType(pattern)) == (mode, criteria)
    assert pattern == before


@pytest.mark.parametrize("wanted", ["some", "", "ALL", None, 1, ["all"]])
def test_another_mode_is_refused_with_those_there_are(wanted: Any) -> None:
    with pytest.raises(BadPattern, match="x-match is one of all, any, all-with-x, any-with-x"):
        split_mode(PROXY, {"x-match": wanted})


@pytest.mark.parametrize("pattern", [None, "a", 1, [("a", 1)], {1: "a"}, {"a": 1, b"b": 2}])
def test_what_is_no_mapping_of_names_is_refused(pattern: Any) -> None:
    with pytest.raises(
        BadPattern, match=r"FANOUT proxy 'any one' cannot register .* a mapping of property names"
    ):
        split_mode(PROXY, pattern)
