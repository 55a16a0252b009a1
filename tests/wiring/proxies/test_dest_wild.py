"""DEST-WILD: words, `*` and `#`, meaning what they mean to RabbitMQ."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import BadPattern
from penstock.wiring.message import Message
from penstock.wiring.proxies.dest_wild import MOST_WORDS, DestWild
from penstock.wiring.registration import Target
from penstock.wiring.wildcards import split_words, words_fit

MESSAGE = Message(b"", "not the one to go by")


class Place(Target):
    detour = False


def reached(proxy: DestWild, destination: str) -> set[str]:
    return {str(registration.pattern) for registration in proxy.match(MESSAGE, destination)}


def proxy_with(*patterns: str) -> DestWild:
    proxy = DestWild("topic")
    for pattern in patterns:
        proxy.register(Place(), pattern)
    return proxy


# What patterns mean


#: The animals of RabbitMQ's topic tutorial: destination, patterns that ask for it.
ANIMALS = [
    ("quick.orange.rabbit", {"*.orange.*", "*.*.rabbit"}),
    ("lazy.orange.elephant", {"*.orange.*", "lazy.#"}),
    ("quick.orange.fox", {"*.orange.*"}),
    ("lazy.brown.fox", {"lazy.#"}),
    ("lazy.pink.rabbit", {"*.*.rabbit", "lazy.#"}),
    ("quick.brown.fox", set()),
    ("orange", set()),
    ("quick.orange.new.rabbit", set()),
    ("lazy.orange.new.rabbit", {"lazy.#"}),
    ("lazy", {"lazy.#"}),  # zero words more
]


@pytest.mark.parametrize(("destination", "patterns"), ANIMALS)
def test_the_animals(destination: str, patterns: set[str]) -> None:
    assert reached(proxy_with("*.orange.*", "*.*.rabbit", "lazy.#"), destination) == patterns


#: Pattern, destinations it asks for, destinations it does not ("" is the empty destination).
CASES = [
    ("a.b", ["a.b"], ["", "a", "a.b.c", "A.b", "a.b."]),
    ("", [""], ["a", "."]),
    ("#", ["", "a", "a.b", ".", "a..b"], []),
    ("*", ["a", "*", "#"], ["", "a.b", "."]),  # no words are not one word
    ("a.*", ["a.b", "a."], ["a", "a.b.c"]),  # the empty word after a dot is a word
    ("a.*.b", ["a..b", "a.x.b"], ["a.b"]),
    ("*.*", [".", "a.b"], ["a", ""]),
    ("a.#.b", ["a.b", "a.x.b", "a.b.b"], ["a", "a.b.c", "a.bb"]),
    ("#.b", ["b", "a.b", ".b"], ["", "b.a"]),
    ("*.#", ["a", "a.b"], [""]),  # one word or more
    ("#.*", ["a", "a.b"], [""]),  # the same
    ("#.*.#", ["a", "a.b.c"], [""]),  # the same again
    ("#.#", ["", "a", "a.b"], []),
    ("a*", ["a*"], ["a", "ab"]),  # only a whole word is wild
    ("a.b#", ["a.b#"], ["a.b", "a.bc"]),
    ("a.#.b.*.c", ["a.b.x.c", "a.b.b.x.c", "a.b.x.b.x.c"], ["a.b.c", "a.b.x.y.c"]),
]


@pytest.mark.parametrize(("pattern", "asked_for", "others"), CASES)
def test_what_a_pattern_asks_for(pattern: str, asked_for: list[str], others: list[str]) -> None:
    proxy = proxy_with(pattern)
    assert [destination for destination in asked_for if not reached(proxy, destination)] == []
    assert [destination for destination in others if reached(proxy, destination)] == []


def test_a_place_that_asks_in_many_ways_is_reached_once() -> None:
    proxy = DestWild("topic")
    place = Place()
    for pattern in ("#", "a.*", "*.b", "a.b", "#.b"):
        proxy.register(place, pattern)
    assert list(proxy.route(MESSAGE, "a.b")) == [place]


# Registrations


def test_patterns_that_mean_the_same_are_one_registration() -> None:
    proxy = proxy_with("#.*", "*.#", "*.#.#", "#.*.#")
    assert list(proxy.registrations) == ["*.#"]
    assert len(proxy.registrations["*.#"].targets) == 4


@pytest.mark.parametrize("pattern", [None, 5, b"a", {"a": 1}, ["a", "b"]])
def test_a_pattern_that_is_no_text_is_refused(pattern: Any) -> None:
    with pytest.raises(
        BadPattern, match=r"DEST-WILD proxy 'topic' cannot register .* words separated by dots"
    ):
        DestWild("topic").register(Place(), pattern)


def test_every_pattern_amqp_can_carry_is_taken_and_more_words_are_not() -> None:
    proxy = proxy_with("." * 255)
    assert reached(proxy, "." * 255)
    with pytest.raises(BadPattern, match=f"it has {MOST_WORDS + 1} words, {MOST_WORDS} are the most"):
        proxy.register(Place(), "." * MOST_WORDS)
    assert len(proxy.registrations) == 1


def test_registrations_come_and_go_without_leaving_anything() -> None:
    proxy = DestWild("topic")
    place = Place()
    patterns = [f"{first}.{middle}.{last}" for first in "ab*" for middle in range(50) for last in "xy#"]
    registrations = [proxy.register(place, pattern) for pattern in patterns]
    assert proxy.trie.nodes > len(patterns)
    for registration in registrations:
        proxy.unregister(place, registration)
    assert (proxy.trie.nodes, proxy.registrations) == (0, {})


words = st.sampled_from(["a", "b", "", "*", "#"])
patterns = st.lists(words, max_size=5).map(".".join)
destinations = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=6).map(".".join)


@given(st.lists(patterns, max_size=12), st.lists(destinations, max_size=5), st.data())
def test_it_reaches_whom_a_comparison_one_by_one_reaches(
    asked: list[str], sent: list[str], data: st.DataObject
) -> None:
    proxy = DestWild("topic")
    places = {number: Place() for number in range(len(asked))}
    registrations = [proxy.register(places[number], pattern) for number, pattern in enumerate(asked)]
    staying = set(places)
    for destination in sent:
        fitting = [n for n in staying if words_fit(split_words(asked[n]), split_words(destination))]
        assert set(proxy.route(MESSAGE, destination)) == {places[n] for n in fitting}
        if staying:
            leaver = data.draw(st.sampled_from(sorted(staying)))
            proxy.unregister(places[leaver], registrations[leaver])
            staying.remove(leaver)


# Why not


#: Pattern, destination, reason.
REASONS = [
    ("a.b", "a.b", None),
    ("a.#", "a.b", None),
    ("a.x.c", "a.b.c", "word 2 of 'a.b.c' is 'b', not 'x'"),
    ("*.x", "a.b", "word 2 of 'a.b' is 'b', not 'x'"),
    ("a.*", "a", "'a' has 1 word, not 2"),
    ("a", "a.b", "'a.b' has 2 words, not 1"),
    ("a", "", "'' has 0 words, not 1"),
    ("x.#", "a.b", "word 1 of 'a.b' is 'a', not 'x'"),
    ("a.*.#", "a", "'a' has 1 word, not 2 or more"),
    ("a.#.z", "a.b.c", "word 3 of 'a.b.c' is 'c', not 'z'"),  # counted from the end, told from the start
    ("#.y.z", "a.b.z", "word 2 of 'a.b.z' is 'b', not 'y'"),
    ("a.#.x.#.c", "a.b.b.c", "nothing in 'a.b.b.c' from word 2 on is like '#.x.#'"),
    ("#.x.#", "a.b", "nothing in 'a.b' from word 1 on is like '#.x.#'"),
]


@pytest.mark.parametrize(("pattern", "destination", "reason"), REASONS)
def test_the_reason_points_at_the_word(pattern: str, destination: str, reason: str | None) -> None:
    assert DestWild("topic").why_not(pattern, MESSAGE, destination) == reason


@given(patterns, destinations)
def test_there_is_a_reason_exactly_where_there_is_no_match(pattern: str, destination: str) -> None:
    proxy = proxy_with(pattern)
    normal = proxy.normalise(pattern)
    assert (proxy.why_not(normal, MESSAGE, destination) is None) == bool(reached(proxy, destination))


# Patterns made to hurt


@pytest.mark.parametrize("word", ["#", "#.a", "a.#", "#.*"])
def test_a_hundred_hashes_against_a_long_destination_finish(word: str) -> None:
    proxy = proxy_with(".".join([word] * 100), ".".join([word] * 100) + ".b")
    destination = ".".join("a" * 1000)
    assert len(reached(proxy, destination)) == 1
    for pattern in proxy.registrations:
        proxy.why_not(str(pattern), MESSAGE, destination)
