"""SELECTOR: messages for which a statement is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import BadPattern, BadSelector
from penstock.wiring.message import Message
from penstock.wiring.proxies.selector import SelectorProxy
from penstock.wiring.registration import Target
from penstock.wiring.selector.printing import text
from tests.wiring.selector import trees

if TYPE_CHECKING:
    from penstock.wiring.selector.nodes import Condition


class Place(Target):
    detour = False


#: Statement, properties that satisfy it, properties that do not.
CASES: list[tuple[str, list[dict[str, Any]], list[dict[str, Any]]]] = [
    ("", [{}, {"a": 1}], []),
    ("region = 'eu'", [{"region": "eu"}], [{"region": "us"}, {"region": 1}, {}]),
    ("n = 1", [{"n": 1}, {"n": 1.0}], [{"n": True}, {"n": "1"}]),  # numbers by value, whatever their type
    ("urgent", [{"urgent": True}], [{"urgent": 1}, {"urgent": False}, {}]),
    (
        "region IN ('eu', 'us') AND weight > 5",
        [{"region": "us", "weight": 6}],
        [{"region": "us", "weight": 5}],
    ),
    ("weight BETWEEN 1 AND 5", [{"weight": 1}, {"weight": 5.0}], [{"weight": 6}, {"weight": "3"}, {}]),
    ("weight < 5", [{"weight": -1}], [{"weight": 5}, {}]),
    ("a = 1 OR b = 2", [{"a": 1}, {"b": 2}, {"a": 1, "b": 2}], [{"a": 2, "b": 1}]),
    ("name LIKE 'a%' AND NOT b", [{"name": "ab", "b": False}], [{"name": "ab"}, {"b": False}]),
    ("a = 1 AND a = 2", [], [{"a": 1}, {"a": 2}]),
]


@pytest.mark.parametrize(("statement", "satisfying", "others"), CASES)
def test_statements(statement: str, satisfying: list[dict[str, Any]], others: list[dict[str, Any]]) -> None:
    proxy = SelectorProxy("content")
    proxy.register(Place(), statement)
    pattern = proxy.normalise(statement)
    for i, properties in enumerate(satisfying + others):
        message = Message(b"", "", properties)
        reached = bool(proxy.route(message, ""))
        assert reached == (i < len(satisfying))
        assert proxy.passes(pattern, message, "") == reached
        assert (proxy.why_not(pattern, message, "") is None) == reached


@pytest.mark.parametrize("pattern", [None, 5, b"a = 1", {"a": 1}])
def test_a_pattern_is_a_statement(pattern: Any) -> None:
    with pytest.raises(BadPattern, match="the pattern is a statement"):
        SelectorProxy("content").register(Place(), pattern)


def test_a_bad_statement_changes_nothing() -> None:
    proxy = SelectorProxy("content")
    with pytest.raises(BadSelector, match=r"\(column 9\): weight >"):
        proxy.register(Place(), "weight >")
    assert proxy.registrations == {}


def test_statements_that_differ_only_in_spelling_are_one_registration() -> None:
    proxy = SelectorProxy("content")
    one = proxy.register(Place(), "region='eu' and weight>5")
    assert proxy.register(Place(), "(region = 'eu') AND (weight > 5)") is one
    assert proxy.register(Place(), one.pattern) is one
    assert len(proxy.route(Message(b"", "", {"region": "eu", "weight": 6}), "")) == 3


def test_a_place_that_asks_twice_gets_it_once() -> None:
    proxy = SelectorProxy("content")
    place = Place()
    proxy.register(place, "weight > 5")
    proxy.register(place, "weight > 6")
    assert list(proxy.route(Message(b"", "", {"weight": 7}), "")) == [place]


def test_what_people_are_told() -> None:
    proxy = SelectorProxy("content")
    pattern = proxy.normalise("weight>5")
    assert proxy.describe(pattern) == "weight > 5"
    reason = proxy.why_not(pattern, Message(b"", "", {"weight": "7"}), "")
    assert reason == "weight > 5 is false: weight is '7' (text)"


@given(st.lists(trees.conditions, max_size=12), st.data())
def test_the_index_agrees_with_asking_everyone(wanted: list[Condition], data: st.DataObject) -> None:
    proxy = SelectorProxy("content")
    registered = {place: proxy.register(place, text(node)) for node in wanted for place in [Place()]}
    while registered:
        message = Message(b"", "", data.draw(trees.properties))
        asking = {
            place
            for place, one in registered.items()
            if proxy.why_not(proxy.normalise(one.pattern), message, "") is None
        }
        assert set(proxy.route(message, "")) == asking
        gone = data.draw(st.sampled_from(list(registered)))
        proxy.unregister(gone, registered.pop(gone))
    assert proxy._index._root.is_empty()
