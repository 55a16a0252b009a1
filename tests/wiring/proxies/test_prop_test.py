"""PROP-TEST: properties by value and presence, all of them or any."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import BadPattern
from penstock.wiring.message import Message
from penstock.wiring.proxies.prop_test import Criteria, PropTest
from penstock.wiring.registration import Target

if TYPE_CHECKING:
    from penstock.wiring.properties import Properties


class Place(Target):
    detour = False


def is_reached(pattern: Any, properties: Properties) -> bool:
    proxy = PropTest("content")
    proxy.register(Place(), pattern)
    message = Message(b"", "", properties)
    reached = bool(proxy.route(message, ""))
    # What the index finds, what a stack lets pass and what a person is told must not differ.
    normal = proxy.normalise(pattern)
    assert proxy.passes(normal, message, "") == reached
    assert (proxy.why_not(normal, message, "") is None) == reached
    return reached


#: Value asked for, values that are it, values that are not.
VALUES: list[tuple[Any, list[Any], list[Any]]] = [
    ("1", ["1"], [1, "1 ", b"1", None]),
    (1, [1], [1.0, True, Decimal(1), "1", 2]),
    (1.0, [1.0], [1, True, Decimal(1)]),
    (True, [True], [1, "True", False]),
    (b"x", [b"x"], ["x"]),
    ([1, "a"], [[1, "a"]], [[1], [1.0, "a"], ["a", 1]]),
    ({"a": 1}, [{"a": 1}], [{"a": True}, {"a": 1, "b": 2}, {}]),
    ("", [""], [None, "a"]),
    (None, ["a", 1, False, "", None, []], []),  # there, whatever it holds, void too
]


@pytest.mark.parametrize(("asked", "same", "others"), VALUES)
def test_what_is_asked_of_a_value(asked: Any, same: list[Any], others: list[Any]) -> None:
    assert [value for value in same if not is_reached({"p": asked}, {"p": value})] == []
    assert [value for value in others if is_reached({"p": asked}, {"p": value})] == []


@pytest.mark.parametrize("asked", ["a", None])
def test_a_property_that_is_not_there_meets_nothing(asked: str | None) -> None:
    assert not is_reached({"p": asked}, {"q": "a"})


#: Pattern, properties, whether it is reached.
MODES: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    ({"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 3}, True),
    ({"a": 1, "b": 2}, {"a": 1}, False),
    ({"x-match": "all", "a": 1, "b": 2}, {"a": 1, "b": 3}, False),
    ({"x-match": "any", "a": 1, "b": 2}, {"a": 1}, True),
    ({"x-match": "any", "a": 1, "b": 2}, {"a": 2, "b": 2}, True),
    ({"x-match": "any", "a": 1, "b": 2}, {"a": 2, "b": 1}, False),
    ({"x-match": "any", "a": 1, "b": None}, {"b": 7}, True),
    ({}, {}, True),  # all of nothing
    ({"x-match": "any"}, {"a": 1}, False),  # any of nothing
    ({"a": 1, "x-b": 2}, {"a": 1}, True),  # names that begin with x- do not count
    ({"x-match": "any", "a": 1, "x-b": 2}, {"x-b": 2}, False),
    ({"x-match": "all-with-x", "a": 1, "x-b": 2}, {"a": 1}, False),  # unless they are to
    ({"x-match": "all-with-x", "a": 1, "x-b": 2}, {"a": 1, "x-b": 2}, True),
    ({"x-match": "any-with-x", "a": 1, "x-b": 2}, {"x-b": 2}, True),
]


@pytest.mark.parametrize(("pattern", "properties", "reached"), MODES)
def test_several(pattern: dict[str, Any], properties: dict[str, Any], reached: bool) -> None:  # noqa: FBT001
    assert is_reached(pattern, properties) == reached


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("a = 1", "the pattern is a mapping of property names"),
        (None, "the pattern is a mapping of property names"),
        ({1: "a"}, "the pattern is a mapping of property names"),
        ({"x-match": "some", "a": 1}, "x-match is one of all, any, all-with-x, any-with-x"),
        ({"x-match": None}, "x-match is one of"),
        ({"a": {1, 2}}, "one of its values is none that a property can have"),
    ],
)
def test_bad_patterns(pattern: Any, reason: str) -> None:
    proxy = PropTest("content")
    with pytest.raises(BadPattern, match=reason):
        proxy.register(Place(), pattern)
    assert proxy.registrations == {}


def test_patterns_that_mean_the_same_are_one_registration() -> None:
    proxy = PropTest("content")
    same = [{"a": 1, "b": "x"}, {"b": "x", "a": 1}, {"x-match": "all", "a": 1, "b": "x", "x-c": 3}]
    assert len({proxy.register(Place(), pattern) for pattern in same}) == 1
    # Any of one is all of one; a type is a difference, and so is a mode.
    assert proxy.normalise({"a": 1}) == proxy.normalise({"x-match": "any", "a": 1})
    assert proxy.normalise({"a": 1}) != proxy.normalise({"a": True})
    assert proxy.normalise({"a": 1, "b": 2}) != proxy.normalise({"x-match": "any", "a": 1, "b": 2})
    assert proxy.normalise({"a": 1}) != {"a": 1}
    assert proxy.normalise(proxy.normalise({"a": 1})) == Criteria("all", {"a": 1})


def test_what_people_are_told() -> None:
    proxy = PropTest("content")
    pattern = proxy.normalise({"x-match": "any", "kind": "pdf", "size": None})
    assert proxy.describe(pattern) == "any of (kind = 'pdf' (text), size present)"
    assert repr(pattern) == "<Criteria any of (kind = 'pdf' (text), size present)>"
    assert proxy.why_not(pattern, Message(b"", "", {"kind": 5}), "") == (
        "property 'kind' is 5 (integer), not 'pdf' (text); there is no property 'size'"
    )
    every = proxy.normalise({"kind": "pdf", "size": 1})
    assert proxy.why_not(every, Message(b"", "", {"kind": "pdf"}), "") == "there is no property 'size'"
    nothing = proxy.normalise({"x-match": "any"})
    assert proxy.why_not(nothing, Message(b""), "") == "it asks for any of no properties, which nothing meets"


names = st.sampled_from(["a", "b", "c", "x-d"])
values = st.sampled_from(["x", 1, 1.0, True, None, b"x"])
patterns = st.builds(
    lambda mode, wanted: {"x-match": mode, **wanted},
    st.sampled_from(["all", "any", "all-with-x", "any-with-x"]),
    st.dictionaries(names, values),
)
messages = st.dictionaries(names, values).map(lambda properties: Message(b"", "", properties))


@given(st.lists(patterns, max_size=20), st.data())
def test_the_index_agrees_with_asking_everyone(wanted: list[dict[str, Any]], data: st.DataObject) -> None:
    proxy = PropTest("content")
    places = {Place(): pattern for pattern in wanted}
    registered = {place: proxy.register(place, pattern) for place, pattern in places.items()}
    while registered:
        message = data.draw(messages)
        asking = {p for p in registered if proxy.why_not(proxy.normalise(places[p]), message, "") is None}
        assert set(proxy.route(message, "")) == asking
        gone = data.draw(st.sampled_from(list(registered)))
        proxy.unregister(gone, registered.pop(gone))
    assert proxy._index._root.is_empty()
