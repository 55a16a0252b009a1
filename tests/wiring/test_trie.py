"""The trie: finds what a reference finds while patterns come and go, and leaves no node behind."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from penstock.wiring.trie import Trie


def asks_for(pattern: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """The definition of a match, by recursion over the pattern."""
    if not pattern:
        return not words
    if pattern[0] == "#":
        return any(asks_for(pattern[1:], words[taken:]) for taken in range(len(words) + 1))
    return bool(words) and pattern[0] in {"*", words[0]} and asks_for(pattern[1:], words[1:])


def trie_of(*patterns: str) -> Trie[str]:
    trie: Trie[str] = Trie()
    for pattern in patterns:
        trie.add(pattern.split(), pattern)
    return trie


# Finding


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", ["", "#"]),
        ("a", ["#", "* #", "a", "a #"]),
        ("b", ["#", "# b", "* #"]),
        ("a b", ["#", "# b", "* #", "* b", "a #", "a *"]),
        ("a b b", ["#", "# b", "* #", "a #"]),
        ("x b", ["#", "# b", "* #", "* b"]),
        ("*", ["#", "* #"]),  # what is found may look like a wildcard; it is a word
        ("# #", ["#", "* #"]),
    ],
)
def test_every_pattern_that_asks_for_the_words_is_found(words: str, found: list[str]) -> None:
    trie = trie_of("", "#", "a", "a *", "a #", "* #", "* b", "# b", "b a c")
    assert sorted(trie.find(words.split())) == found


def test_a_pattern_reached_in_many_ways_is_found_once() -> None:
    trie = trie_of("# a #", "# a # a #")
    assert sorted(trie.find(["a"] * 5)) == ["# a #", "# a # a #"]


def test_hashes_in_a_row_are_one() -> None:
    # Patterns usually come settled; the trie does not rely on it.
    trie = trie_of("# # a", "# * #", "# #")
    assert sorted(trie.find(["a"])) == ["# #", "# # a", "# * #"]
    assert trie.find([]) == ["# #"]


def test_a_walk_that_leads_nowhere_stops() -> None:
    assert trie_of("a b").find(["x"] * 1000) == []


def test_a_second_thing_under_a_pattern_takes_the_place_of_the_first() -> None:
    trie: Trie[int] = Trie()
    trie.add(["a"], 1)
    trie.add(["a"], 2)
    assert trie.find(["a"]) == [2]


# Removing


def test_only_nodes_nobody_else_needs_go() -> None:
    trie = trie_of("a b c", "a b", "a * #")
    assert trie.nodes == 5
    trie.remove(["a", "b", "c"])
    assert repr(trie) == "<Trie of 4 nodes>"
    trie.remove(["a", "*", "#"])
    assert trie.nodes == 2
    assert trie.find(["a", "b"]) == ["a b"]
    trie.remove(["a", "b"])
    assert (trie.nodes, trie.root.is_bare()) == (0, True)


def test_a_pattern_on_the_way_to_another_keeps_the_way() -> None:
    trie = trie_of("a", "a b", "")
    trie.remove(["a"])
    trie.remove([])
    assert (trie.find(["a"]), trie.find([]), trie.find(["a", "b"])) == ([], [], ["a b"])


@pytest.mark.parametrize("pattern", ["", "a", "a b c", "x", "a *", "#"])
def test_what_was_never_added_cannot_be_removed(pattern: str) -> None:
    trie = trie_of("a b")
    with pytest.raises(KeyError):
        trie.remove(pattern.split())
    assert (trie.find(["a", "b"]), trie.nodes) == (["a b"], 2)


def test_a_hundred_thousand_come_and_go_without_leaving_a_node() -> None:
    chance = random.Random(1)
    words = ["*", "#", *map(str, range(50))]
    added = list({tuple(chance.choices(words, k=chance.randrange(6))) for _ in range(100_000)})
    trie: Trie[int] = Trie()
    for number, pattern in enumerate(added):
        trie.add(pattern, number)
    chance.shuffle(added)
    for pattern in added:
        trie.remove(pattern)
    assert (trie.nodes, trie.root.is_bare()) == (0, True)


# Against the reference

pattern_words = st.lists(st.sampled_from(["a", "b", "*", "#"]), max_size=5).map(tuple)
some_words = st.lists(st.sampled_from(["a", "b", "c"]), max_size=6).map(tuple)


@given(st.sets(pattern_words, max_size=20), some_words)
def test_the_trie_finds_what_the_reference_finds(
    patterns: set[tuple[str, ...]], words: tuple[str, ...]
) -> None:
    trie: Trie[tuple[str, ...]] = Trie()
    for pattern in patterns:
        trie.add(pattern, pattern)
    assert sorted(trie.find(words)) == sorted(pattern for pattern in patterns if asks_for(pattern, words))


class ComingAndGoing(RuleBasedStateMachine):
    """Adds, removes and finds in any order; a dict beside the trie says what must be there."""

    def __init__(self) -> None:
        super().__init__()
        self.trie: Trie[int] = Trie()
        self.model: dict[tuple[str, ...], int] = {}

    @rule(pattern=pattern_words, kept=st.integers())
    def add(self, pattern: tuple[str, ...], kept: int) -> None:
        self.trie.add(pattern, kept)
        self.model[pattern] = kept

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        pattern = data.draw(st.sampled_from(sorted(self.model)))
        self.trie.remove(pattern)
        del self.model[pattern]

    @rule(words=some_words)
    def find(self, words: tuple[str, ...]) -> None:
        wanted = [kept for pattern, kept in self.model.items() if asks_for(pattern, words)]
        assert sorted(self.trie.find(words)) == sorted(wanted)

    @invariant()
    def has_a_node_for_every_beginning_of_a_pattern_and_no_other(self) -> None:
        beginnings = {pattern[:end] for pattern in self.model for end in range(1, len(pattern) + 1)}
        assert self.trie.nodes == len(beginnings)


TestComingAndGoing = ComingAndGoing.TestCase


# Patterns made to hurt


@pytest.mark.parametrize("word", ["#", "# a", "# *", "* #"])
def test_a_hundred_hashes_against_long_words_finish(word: str) -> None:
    trie = trie_of(" ".join([word] * 100), " ".join([word] * 100) + " b")
    assert len(trie.find(["a"] * 250)) == 1
    assert len(trie.find([*["a"] * 250, "b"])) == (2 if word != "# a" else 1)


def test_all_patterns_of_five_hashes_and_names_at_once_finish() -> None:
    # 3 ** 7 patterns that share beginnings: the walk stands at no node twice.
    patterns = [" ".join(words) for words in product(["#", "a", "*"], repeat=7)]
    trie = trie_of(*patterns)
    found = trie.find(["a"] * 30)
    assert len(found) == len(set(found)) == len([pattern for pattern in patterns if "#" in pattern])
