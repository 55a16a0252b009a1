"""Wildcards at both levels: cases, a reference written by recursion, and patterns made to hurt."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.wiring.wildcards import (
    fits,
    has_wildcards,
    literal_ends,
    settled,
    settled_value,
    split_words,
    value_fits,
    words_fit,
)

# Words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),  # no words, not one empty word
        ("a", ["a"]),
        ("a.b", ["a", "b"]),
        ("a..b", ["a", "", "b"]),
        (".", ["", ""]),
        ("a.", ["a", ""]),
        (".a", ["", "a"]),
    ],
)
def test_words_are_what_stands_between_dots(text: str, words: list[str]) -> None:
    assert split_words(text) == words


#: Pattern, destinations it asks for, destinations it does not.
WORD_CASES = [
    ("", "", "a ."),
    ("a.b", "a.b", "a b a.b.c ab a. A.b"),
    ("*", "a # *", "a.b"),
    ("#", "a a.b a.b.c . ..", ""),
    ("a.*", "a.b a.* a.", "a a.b.c b.a"),
    ("a.#", "a a.b a.b.c a.", "b ab b.a"),
    ("#.a", "a b.a a.a c.b.a .a", "b a.b"),
    ("a.#.b", "a.b a.x.b a.x.y.b a.b.b", "a b a.b.c"),
    ("*.#", "a a.b .", ""),
    ("#.a.#.b.#", "a.b x.a.x.b.x a.a.b.b", "b.a a b"),
    ("a*.b", "a*.b", "ax.b a.b"),  # a wildcard counts as a whole word only
    ("a#.b", "a#.b", "a.b a.x.b"),
    ("?", "?", "a"),  # no wildcard at this level
]


@pytest.mark.parametrize(("pattern", "asked_for", "others"), WORD_CASES)
def test_words_fit(pattern: str, asked_for: str, others: str) -> None:
    words = split_words(pattern)
    assert [text for text in asked_for.split(" ") if not words_fit(words, split_words(text))] == []
    assert [text for text in others.split() if words_fit(words, split_words(text))] == []


def test_only_patterns_that_may_take_nothing_take_no_words() -> None:
    takers = [
        pattern for pattern in ("", "#", "#.#", "*", "a", "*.#", ".") if words_fit(split_words(pattern), [])
    ]
    assert takers == ["", "#", "#.#"]


# Values


#: Value pattern, values it asks for, values it does not.
VALUE_CASES = [
    ("eu-*", "eu-west eu- eu-west-1", "us-east xeu-west eu"),
    ("eu-*", "eu-west", "eu-west.1"),  # a run of characters stays inside its word
    ("eu-*.#", "eu-west.1 eu-west", "us.eu-west"),
    ("*.pdf", "report.pdf .pdf", "report.pdfx pdf a.b.pdf"),
    ("#.pdf", "a.b.pdf report.pdf pdf", "report.pdf.gz"),
    ("a?c", "abc a?c a*c", "ac abbc a.c"),  # a dot is no character of a word
    ("??", "ab", "a abc a.b"),
    ("*a*", "a banana xa ax", "x"),
    ("a*b*c", "abc aXbXc abcbc", "ab acb abcd"),
    ("?*", "a abc", "a.b ."),  # one character or more
    ("**", "a abc", "a.b"),
    ("a*#", "a# abc#", "a abc"),  # # inside a word is itself
    ("[ab]", "[ab]", "a b"),  # no classes
    ("A", "A", "a"),
]


@pytest.mark.parametrize(("pattern", "asked_for", "others"), VALUE_CASES)
def test_values_fit(pattern: str, asked_for: str, others: str) -> None:
    assert [text for text in asked_for.split() if not value_fits(pattern, text)] == []
    assert [text for text in others.split() if value_fits(pattern, text)] == []


@pytest.mark.parametrize(("pattern", "asked_for", "others"), WORD_CASES[:-3])
def test_word_patterns_mean_the_same_for_values(pattern: str, asked_for: str, others: str) -> None:
    test_values_fit(pattern, asked_for, others)


@pytest.mark.parametrize(
    ("pattern", "is_wild"),
    [("a.b", False), ("", False), ("a#", False), ("#.a", True), ("#", True), ("a*", True), ("a?", True)],
)
def test_a_pattern_without_wildcards_fits_itself_alone(pattern: str, is_wild: bool) -> None:  # noqa: FBT001
    assert has_wildcards(pattern) is is_wild


@pytest.mark.parametrize(
    ("pattern", "ends"),
    [
        ("eu-*", ("eu-", "")),
        ("*.pdf", ("", "pdf")),
        ("a.#.b", ("a", "b")),  # without the dots, for a.b
        ("ab?c*de", ("ab", "de")),
        ("#", ("", "")),
        ("abc", ("abc", "abc")),
    ],
)
def test_the_literal_ends_of_a_pattern(pattern: str, ends: tuple[str, str]) -> None:
    assert literal_ends(pattern) == ends


# Settled forms


@pytest.mark.parametrize(
    ("pattern", "form"),
    [
        ("", ""),
        ("a.b", "a.b"),
        ("#.#", "#"),
        ("#.*", "*.#"),
        ("*.#.*.#", "*.*.#"),
        ("a.#.*.b.#.#", "a.*.#.b.#"),
        ("..", ".."),
        ("a**b", "a*b"),
        ("a*?b", "a?*b"),
        ("#.**", "*.#"),  # settled inside the word first
        ("#.?*", "#.?*"),  # not exactly one word, whatever it is: it may not be empty
    ],
)
def test_patterns_that_mean_the_same_settle_to_the_same(pattern: str, form: str) -> None:
    assert settled_value(pattern) == form
    assert settled_value(form) == form


# Against a reference


@cache
def reference(pattern: tuple[str, ...] | str, found: tuple[str, ...] | str, run: str) -> bool:
    """The definition, by recursion: a run takes nothing, or one and stays."""
    if not pattern:
        return not found
    if pattern[0] == run:
        return reference(pattern[1:], found, run) or (bool(found) and reference(pattern, found[1:], run))
    if not found or not reference(pattern[1:], found[1:], run):
        return False
    if run == "#":
        return reference(pattern[0], found[0], "*")
    return pattern[0] in {"?", found[0]}


def reference_value(pattern: str, value: str) -> bool:
    return reference(tuple(split_words(pattern)), tuple(split_words(value)), "#")


patterns = st.lists(st.sampled_from(["a", "b", "*", "?", "#", "."]), max_size=14).map("".join)
values = st.lists(st.sampled_from(["a", "b", "a", "b", ".", "#", "*"]), max_size=14).map("".join)


@given(patterns, values)
@example("#.a.#.b", "a.b.a.a.b")
@example("*ab*ab", "ababaab")
def test_the_matcher_agrees_with_the_reference(pattern: str, value: str) -> None:
    assert value_fits(pattern, value) == reference_value(pattern, value)


@given(patterns, values)
def test_a_settled_pattern_fits_the_same_values(pattern: str, value: str) -> None:
    assert value_fits(settled_value(pattern), value) == value_fits(pattern, value)


@given(patterns, values)
def test_over_words_alone_only_whole_words_are_wild(pattern: str, value: str) -> None:
    asked, words = split_words(pattern), split_words(value)
    plain = [word if word in {"*", "#"} else word.replace("*", "+").replace("?", "!") for word in asked]
    renamed = [word.replace("*", "+").replace("?", "!") for word in words]
    assert words_fit(asked, words) == reference(tuple(plain), tuple(renamed), "#")


@given(patterns, values)
@example("a.#", "a")
@example("#.a", "a")
@example("..#", ".")
def test_whatever_fits_begins_and_ends_like_the_pattern(pattern: str, value: str) -> None:
    begins, ends = literal_ends(pattern)
    assert not value_fits(pattern, value) or (value.startswith(begins) and value.endswith(ends))


# Patterns made to hurt


HOSTILE = [
    ("a*" * 100 + "b", "a" * 2000),
    ("*a" * 100 + "b", "a" * 2000),
    ("*" + "a" * 100 + "b", "a" * 2000),  # the worst there is: every start fails at the very end
    ("*?" * 100 + "b", "a" * 2000),
    ("*" * 200 + "b", "a" * 2000),
]


@pytest.mark.parametrize(("pattern", "text"), HOSTILE)
def test_the_cost_is_at_most_the_product_of_the_lengths(pattern: str, text: str) -> None:
    comparisons = 0

    def is_one(asked: str, found: str) -> bool:
        nonlocal comparisons
        comparisons += 1
        return asked in {"?", found}

    assert not fits(pattern, text, "*", is_one)
    assert comparisons <= len(pattern) * len(text)


@pytest.mark.parametrize(("pattern", "text"), HOSTILE)
def test_hostile_patterns_finish_at_both_levels(pattern: str, text: str) -> None:
    assert not value_fits(pattern, text)
    assert not value_fits(".".join("#" if c == "*" else c for c in pattern), ".".join(text))
    assert settled(list(pattern), "?", "*")[-1] == "b"
