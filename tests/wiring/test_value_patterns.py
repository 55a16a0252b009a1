"""What is asked of one property: found by value, tried once, remembered within bounds."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from unittest.mock import Mock

import pytest

from penstock.wiring import value_patterns
from penstock.wiring.proxies.fanout import Fanout
from penstock.wiring.registration import Registration
from penstock.wiring.value_patterns import ValuePatterns, maybe_text
from penstock.wiring.wildcards import value_fits

# The text of a value

TEXTS: list[tuple[Any, str | None]] = [
    ("a.B", "a.B"),
    ("", ""),
    (True, "true"),
    (False, "false"),
    (0, "0"),
    (-12, "-12"),
    (1.5, "1.5"),
    (2.0, "2.0"),
    (1e30, "1e+30"),
    (float("nan"), "nan"),
    (Decimal("1.50"), "1.50"),
    (b"a", None),
    (None, None),
    ({}, None),
    (["a"], None),
    (datetime(2026, 1, 2, tzinfo=UTC), None),
]


@pytest.mark.parametrize(("value", "text"), TEXTS)
def test_the_text_a_value_is_compared_by(value: Any, text: str | None) -> None:
    assert maybe_text(value) == text


def test_a_number_of_more_digits_than_python_will_write_has_no_text() -> None:
    assert maybe_text(10**5000) is None


# The criteria a value meets


def registration() -> Registration:
    return Registration(Fanout("any one"), None)


def patterns_of(*asked: str | None) -> ValuePatterns:
    patterns = ValuePatterns()
    for one in asked:
        patterns.add(one, registration())
    return patterns


def met(patterns: ValuePatterns, value: Any) -> list[str | None]:
    return [criterion.asked for criterion in patterns.met_by(value)]


@pytest.mark.parametrize(
    ("value", "criteria"),
    [
        ("eu", [None, "eu", "e*", "#"]),
        ("es", [None, "e*", "#"]),
        ("1", [None, "1", "#"]),
        (1, [None, "1", "#"]),  # numbers by their text
        (True, [None, "#"]),
        ("", [None, "#"]),
        (b"eu", [None]),  # there, but nothing to compare
        (None, [None]),
    ],
)
def test_a_value_meets_presence_its_literal_and_what_fits(value: Any, criteria: list[str | None]) -> None:
    patterns = patterns_of("e*", "eu", None, "#", "1")
    assert met(patterns, value) == criteria
    assert met(patterns, value) == criteria  # remembered, the same


def test_a_criterion_many_share_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = Mock(side_effect=value_fits)
    monkeypatch.setattr(value_patterns, "value_fits", tried)
    patterns = patterns_of(*["a*"] * 1000, "b")
    (criterion,) = patterns.met_by("ax")
    assert len(list(criterion)) == 1000
    assert repr(criterion) == "<Criterion 'a*' of 1000 registrations>"
    patterns.met_by("ax")
    tried.assert_called_once_with("a*", "ax")


def test_a_new_pattern_is_seen_by_values_known_before() -> None:
    patterns = patterns_of("a*")
    assert met(patterns, "ab") == ["a*"]
    patterns.add("*b", registration())
    assert met(patterns, "ab") == ["a*", "*b"]


def test_a_pattern_goes_with_its_last_registration() -> None:
    for asked in (None, "a", "a*"):
        patterns = ValuePatterns()
        one, two = registration(), registration()
        patterns.add(asked, one)
        patterns.add(asked, two)
        assert met(patterns, "a") == [asked]
        patterns.remove(asked, one)
        assert met(patterns, "a") == [asked]
        assert not patterns.is_empty()
        patterns.remove(asked, two)
        assert met(patterns, "a") == []
        assert patterns.is_empty()


def test_the_memory_is_bounded_in_count_and_in_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_patterns, "REMEMBERED", 3)
    patterns = patterns_of("a*", "b", None)
    for number in range(10):
        patterns.met_by(f"a{number}")
        assert len(patterns.known) <= 3
    assert repr(patterns) == "<ValuePatterns 1 present, 1 literal, 1 wild, 1 values known>"
    assert met(patterns, "a" * 1000) == [None, "a*"]
    assert max(map(len, patterns.known)) < 1000
