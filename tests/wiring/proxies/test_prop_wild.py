"""PROP-WILD: properties by wild card comparison, all of them or any."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import BadPattern
from penstock.wiring.message import Message
from penstock.wiring.proxies import prop_wild
from penstock.wiring.proxies.prop_wild import MOST_CHARACTERS, PropWild
from penstock.wiring.registration import Target
from penstock.wiring.wildcards import value_fits

if TYPE_CHECKING:
    from penstock.wiring.properties import Properties


class Place(Target):
    detour = False


def is_reached(pattern: Any, properties: Properties) -> bool:
    proxy = PropWild("content")
    proxy.register(Place(), pattern)
    message = Message(b"", "", properties)
    reached = bool(proxy.route(message, ""))
    # What the index finds and what a person is told must not differ.
    assert (proxy.why_not(proxy.normalise(pattern), message, "") is None) == reached
    return reached


# One property

#: Value pattern, values it asks for, values it does not.
VALUES: list[tuple[str | None, list[Any], list[Any]]] = [
    ("pdf", ["pdf"], ["PDF", "pdfx", "", b"pdf", None, ["pdf"]]),
    ("*.pdf", ["report.pdf"], ["pdf", "a.b.pdf"]),
    ("#.pdf", ["pdf", "report.pdf", "a.b.pdf"], ["report.doc"]),
    ("eu-*", ["eu-west", "eu-"], ["us-east"]),
    ("v?", ["v1"], ["v", "v10"]),
    ("1", ["1", 1, Decimal(1)], [1.0, True]),
    ("1.*", ["1.x", 1.5, 1.0], [1, 2.5]),  # a number's text has words like any other
    ("true", [True, "true"], [1, False]),
    ("-*", [-1, "-"], [1]),
    ("", [""], ["a", None]),
    ("*", ["a", 1, True], ["", "a.b", None, b"a", {}]),  # one word; an empty text has none
    ("#", ["", "a", "a.b", 1, False, 1.5], [None, b"a", {}, []]),  # any value that has a text
    (None, ["", "a", 1, None, b"a", {}, []], []),  # there, whatever it holds
]


@pytest.mark.parametrize(("asked", "asked_for", "others"), VALUES)
def test_what_is_asked_of_a_value(asked: str | None, asked_for: list[Any], others: list[Any]) -> None:
    assert [value for value in asked_for if not is_reached({"p": asked}, {"p": value})] == []
    assert [value for value in others if is_reached({"p": asked}, {"p": value})] == []


@pytest.mark.parametrize("asked", ["#", None, ""])
def test_a_property_that_is_not_there_meets_nothing(asked: str | None) -> None:
    assert not is_reached({"p": asked}, {"q": "a"})


# Several

#: Pattern, properties, whether it is reached.
MODES: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    ({"a": "x*", "b": "y*"}, {"a": "x1", "b": "y1", "c": "z"}, True),
    ({"a": "x*", "b": "y*"}, {"a": "x1"}, False),
    ({"a": "x*", "b": "y*"}, {"a": "x1", "b": "z"}, False),
    ({"x-match": "any", "a": "x*", "b": "y*"}, {"a": "x1"}, True),
    ({"x-match": "any", "a": "x*", "b": "y*"}, {"a": "z", "b": "y"}, True),
    ({"x-match": "any", "a": "x*", "b": "y*"}, {"a": "z", "b": "z"}, False),
    ({"x-match": "any", "a": "x*", "b": None}, {"b": b""}, True),
    ({}, {}, True),  # all of nothing
    ({}, {"a": 1}, True),
    ({"x-match": "any"}, {"a": 1}, False),  # any of nothing
    ({"x-a": "1", "b": "2"}, {"b": "2"}, True),  # x- is not compared …
    ({"x-match": "all-with-x", "x-a": "1", "b": "2"}, {"b": "2"}, False),  # … unless told so
    ({"x-match": "any-with-x", "x-a": "1", "b": "2"}, {"x-a": "1"}, True),
]


@pytest.mark.parametrize(("pattern", "properties", "reached"), MODES)
def test_all_or_any(pattern: dict[str, Any], properties: dict[str, Any], reached: bool) -> None:  # noqa: FBT001
    assert is_reached(pattern, properties) is reached


# Registrations


@pytest.mark.parametrize(
    ("one", "same"),
    [
        ({"a": "1", "b": "2"}, {"b": "2", "a": "1"}),
        ({"a": "1"}, {"a": "1", "x-match": "all"}),
        ({"a": "1"}, {"a": "1", "x-match": "any"}),  # of one criterion, all is any
        ({"a": "1"}, {"a": "1", "x-b": "2"}),  # not compared, so not different
        ({"a": "x**"}, {"a": "x*"}),
        ({"a": "#.*"}, {"a": "*.#.#"}),
    ],
)
def test_patterns_that_mean_the_same_are_one_registration(one: dict[str, str], same: dict[str, str]) -> None:
    proxy = PropWild("content")
    assert proxy.register(Place(), one) is proxy.register(Place(), same)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": None}, {"a": "#"}),
        ({"a": ""}, {"a": None}),
        ({"a": "1", "b": "1"}, {"x-match": "any", "a": "1", "b": "1"}),
    ],
)
def test_patterns_that_differ_are_two(one: dict[str, Any], other: dict[str, Any]) -> None:
    proxy = PropWild("content")
    assert proxy.register(Place(), one) is not proxy.register(Place(), other)


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("a", "a mapping of property names"),
        ({"x-match": "most"}, "x-match is one of"),
        ({"a": 1}, "a is to be a text with wildcards, or None for any value"),
        ({"a": ["x"]}, "a is to be a text"),
        ({"a": "*" * (MOST_CHARACTERS + 1)}, f"{MOST_CHARACTERS} characters are the most"),
    ],
)
def test_a_bad_pattern_is_refused_and_nothing_changes(pattern: Any, reason: str) -> None:
    proxy = PropWild("content")
    with pytest.raises(BadPattern, match=reason):
        proxy.register(Place(), pattern)
    assert (proxy.registrations, proxy.names) == ({}, {})


def test_a_registration_reads_like_a_sentence() -> None:
    proxy = PropWild("content")
    assert proxy.describe(proxy.normalise({"b": None, "a": "x*"})) == "all of (a like 'x*', b present)"
    assert proxy.describe(proxy.normalise({"x-match": "any"})) == "any of ()"


# Why not


@pytest.mark.parametrize(
    ("pattern", "properties", "reason"),
    [
        ({"a": "x*"}, {}, "there is no property 'a'"),
        ({"a": None}, {}, "there is no property 'a'"),
        ({"a": "x*"}, {"a": "y"}, "property 'a' is 'y', not like 'x*'"),
        ({"a": "x*"}, {"a": 1}, "property 'a' is '1', not like 'x*'"),
        ({"a": "#"}, {"a": {}}, "property 'a' is of type table, which has no text to compare"),
        ({"a": "x", "b": "y"}, {"a": "x"}, "there is no property 'b'"),
        (
            {"x-match": "any", "a": "x", "b": "y"},
            {"a": "z"},
            "property 'a' is 'z', not like 'x'; there is no property 'b'",
        ),
        ({"x-match": "any"}, {}, "it asks for any of no properties, which nothing meets"),
    ],
)
def test_the_reason_names_the_property(pattern: Any, properties: dict[str, Any], reason: str) -> None:
    proxy = PropWild("content")
    assert proxy.why_not(proxy.normalise(pattern), Message(b"", "", properties), "") == reason


# The index

asked = st.sampled_from([None, "#", "*", "a", "b", "a*", "?", "a.*", ""])
names = st.sampled_from(["p", "q", "r", "x-s"])
patterns = st.builds(
    lambda criteria, mode: {**criteria, "x-match": mode},
    st.dictionaries(names, asked, max_size=3),
    st.sampled_from(["all", "any", "all-with-x", "any-with-x"]),
)
values = st.sampled_from(["a", "b", "ab", "a.b", "", 1, True, None, b"a"])
properties_sent = st.dictionaries(names, values, max_size=4)


def asks_for(pattern: dict[str, Any], properties: dict[str, Any]) -> bool:
    """The definition, one criterion after the other."""
    mode = pattern["x-match"]
    met = []
    for name, wanted in pattern.items():
        if name == "x-match" or (name.startswith("x-") and "with-x" not in mode):
            continue
        text = {"True": "true", "1": "1"}.get(str(properties.get(name)), properties.get(name))
        fits = isinstance(text, str) and wanted is not None and value_fits(wanted, text)
        met.append(name in properties and (wanted is None or fits))
    return any(met) if mode.startswith("any") else all(met)


@given(st.lists(patterns, max_size=10), st.lists(properties_sent, max_size=6), st.data())
def test_it_reaches_whom_a_comparison_one_by_one_reaches(
    registered: list[dict[str, Any]], sent: list[dict[str, Any]], data: st.DataObject
) -> None:
    proxy = PropWild("content")
    places = {number: Place() for number in range(len(registered))}
    registrations = [proxy.register(places[number], pattern) for number, pattern in enumerate(registered)]
    staying = set(places)
    for properties in sent:
        wanted = {places[number] for number in staying if asks_for(registered[number], properties)}
        assert set(proxy.route(Message(b"", "", properties), "")) == wanted
        if staying:
            leaver = data.draw(st.sampled_from(sorted(staying)))
            proxy.unregister(places[leaver], registrations[leaver])
            staying.remove(leaver)


def test_registrations_come_and_go_without_leaving_anything() -> None:
    proxy = PropWild("content")
    place = Place()
    asked = [{"a": f"{n}*", "b": None, "c": str(n)} for n in range(100)] + [{}, {"x-match": "any"}]
    registrations = [proxy.register(place, pattern) for pattern in asked]
    proxy.route(Message(b"", "", {"a": "1", "b": 1}), "")
    for registration in registrations:
        proxy.unregister(place, registration)
    assert (proxy.names, proxy.wanted, proxy.unconditional, proxy.known_sets) == ({}, {}, {}, {})


def test_thousands_that_share_few_patterns_are_combined_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # Given 2,500 registrations of 50 patterns each for two properties
    proxy = PropWild("content")
    for one in range(50):
        for other in range(50):
            proxy.register(Place(), {"a": f"{one}-*", "b": f"*-{other}"})
    combined = Mock(side_effect=proxy.asking_for)
    monkeypatch.setattr(proxy, "asking_for", combined)
    # When values nobody has seen before meet the same patterns
    for number in range(100):
        assert len(proxy.route(Message(b"", "", {"a": f"7-{number}", "b": f"{number}-9"}), "")) == 1
    # Then who asks for the two patterns was worked out once
    assert combined.call_count == 1


def test_the_memory_of_sets_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prop_wild, "REMEMBERED", 3)
    proxy = PropWild("content")
    for number in range(10):
        proxy.register(Place(), {"a": str(number)})
    for number in range(10):
        assert len(proxy.route(Message(b"", "", {"a": number}), "")) == 1
        assert len(proxy.known_sets) <= 3
