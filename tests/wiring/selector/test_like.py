"""LIKE: what fits, and that no pattern takes long."""

from __future__ import annotations

import re
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.wiring.selector.like import matcher, read_pattern

#: Pattern, escape, texts that are like it, texts that are not.
CASES: list[tuple[str, str | None, list[str], list[str]]] = [
    ("12%3", None, ["123", "12993"], ["1234", "13", "12"]),  # JMS 2.0 §3.8.1.1
    ("l_se", None, ["lose"], ["loose", "lse"]),  # the same
    ("\\_%", "\\", ["_foo", "_"], ["bar", ""]),  # the same
    ("", None, [""], ["a"]),
    ("abc", None, ["abc"], ["abcd", "ABC", "ab"]),
    ("%", None, ["", "a", "a\nb"], []),
    ("%%", None, ["", "a"], []),
    ("_%", None, ["a", "ab"], [""]),
    ("%_", None, ["a", "ab"], [""]),
    ("a%a", None, ["aa", "aba"], ["a"]),  # the two ends may not share a letter
    ("a%b%c", None, ["abc", "a-b-b-c"], ["acb", "ac"]),
    ("%b_d%", None, ["abcd", "bbd", "xbcdbx"], ["bd", "bcx"]),
    ("%b_%_d", None, ["bcxd", "bb-cd"], ["bd", "bcd"]),
    ("%a_%a_%", None, ["abab", "aaaa"], ["aba"]),
    ("a!%", "!", ["a%"], ["a", "ab"]),
    ("a!!%", "!", ["a!", "a!b"], ["a"]),
    ("a%%b", "%", ["a%b"], ["ab", "axb"]),  # the wildcard itself may escape
    (".*", None, [".*"], ["ab"]),  # no regular expression
    ("_", None, ["é", "😀"], []),  # a character is a character
]


@pytest.mark.parametrize(("pattern", "escape", "likes", "others"), CASES)
def test_what_is_like_a_pattern(
    pattern: str, escape: str | None, likes: list[str], others: list[str]
) -> None:
    is_like = matcher(pattern, escape)
    assert [text for text in likes if not is_like(text)] == []
    assert [text for text in others if is_like(text)] == []


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [("a!b", "stands before 'b'"), ("a!", "ends the pattern"), ("!!!", "ends the pattern")],
)
def test_what_cannot_be_escaped(pattern: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_pattern(pattern, "!")


@given(st.text("ab%_", max_size=8), st.text("abc", max_size=10))
def test_it_agrees_with_a_regular_expression(pattern: str, text: str) -> None:
    expression = "".join({"%": "(?s:.*)", "_": "(?s:.)"}.get(char, char) for char in pattern)
    assert matcher(pattern, None)(text) == bool(re.fullmatch(expression, text))


@pytest.mark.parametrize("pattern", ["%a" * 1000 + "%b", "%" + "a_" * 1000 + "b%", "%_a" * 1000 + "b"])
def test_no_pattern_takes_long(pattern: str) -> None:
    is_like = matcher(pattern, None)
    begun = perf_counter()
    assert not is_like("a" * 100_000)
    # Trying place after place would be 10⁸ comparisons, going back and forth would not end.
    assert perf_counter() - begun < 2
