"""A statement as a whole."""

from __future__ import annotations

import pytest

from penstock.errors import BadPattern, BadSelector
from penstock.wiring import selector
from penstock.wiring.selector import Selector, parse
from penstock.wiring.selector.parsing import MAX_LENGTH


def test_a_selector_matches_what_its_statement_is_true_for() -> None:
    wanted = parse("region = 'eu' AND weight > 5")
    assert wanted.matches({"region": "eu", "weight": 7})
    assert not wanted.matches({"region": "eu", "weight": 3})
    assert not wanted.matches({"region": "eu"})  # unknown is not true


def test_it_says_why_not() -> None:
    wanted = parse("region = 'eu' AND weight > 5")
    assert wanted.why_not({"region": "eu", "weight": 7}) is None
    assert wanted.why_not({"region": "eu", "weight": 3}) == "weight > 5 is false: weight is 3 (integer)"


def test_spacing_and_spelling_make_no_difference() -> None:
    one, other = parse("a=1 and b   in ('x')"), parse("(a = 1) AND b IN ('x')")
    assert one == other
    assert hash(one) == hash(other)
    assert one.text == "a = 1 AND b IN ('x')"
    assert repr(one) == "<Selector a = 1 AND b IN ('x')>"


def test_meaning_does() -> None:
    assert parse("a = 1") != parse("a = '1'")
    assert parse("a = 1") != parse("A = 1")
    assert parse("a = 1") != "a = 1"


def test_it_knows_what_it_requires() -> None:
    assert parse("a = 1 AND b IN ('x', 'y') AND c > 2").required == {"a": {1}, "b": {"x", "y"}}


def test_a_bad_statement_is_a_bad_pattern_with_its_column() -> None:
    with pytest.raises(BadPattern) as caught:
        parse("a = ")
    assert isinstance(caught.value, BadSelector)
    assert (caught.value.column, caught.value.statement) == (5, "a = ")


def test_length_has_an_end() -> None:
    with pytest.raises(BadSelector, match="at most 4096 characters"):
        parse("a" * (MAX_LENGTH + 1))
    # The canonical form of what is just short enough may be longer, and is read again all the same.
    longest = parse("+".join("a" * 90) + "=1" + " or a=1" * 550)
    assert len(longest.text) > MAX_LENGTH
    assert longest.matches({"a": 1})
    assert longest.why_not({"a": 2}) is not None


def test_what_is_public() -> None:
    assert selector.__all__ == ["Selector", "parse"]
    assert isinstance(parse(""), Selector)
