"""The index: what it finds is what satisfies, whatever comes and goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.wiring.conditions import PRESENT, ConditionIndex, Conditions
from penstock.wiring.properties import typed
from penstock.wiring.proxies.fanout import Fanout
from penstock.wiring.ranges import Range
from penstock.wiring.registration import Registration

if TYPE_CHECKING:
    from penstock.wiring.properties import Properties

PROXY = Fanout("any")


def asking(*ways: Any, **more: Any) -> Conditions:
    return Conditions(ways=ways, **more)


def heavy(properties: Properties) -> bool:
    return properties.get("weight") == 7


#: What is asked for, properties, whether they satisfy it.
CASES: list[tuple[Conditions, dict[str, Any], bool]] = [
    (asking(()), {}, True),  # asks for nothing
    (asking(), {"a": "x"}, False),  # has no way in
    (asking((("a", "x"),)), {"a": "x", "b": "y"}, True),
    (asking((("a", "x"),)), {"a": "y"}, False),
    (asking((("a", "x"),)), {}, False),
    (asking((("a", "x"),)), {"a": None}, False),
    (asking((("a", typed(1)),)), {"a": 1}, True),
    (asking((("a", typed(1)),)), {"a": True}, False),
    (asking((("a", "x"), ("b", "y"))), {"a": "x", "b": "y"}, True),
    (asking((("a", "x"), ("b", "y"))), {"b": "y"}, False),
    (asking((("a", PRESENT),)), {"a": "x"}, True),
    (asking((("a", PRESENT),)), {"a": None}, True),  # void is there
    (asking((("a", PRESENT),)), {"b": "x"}, False),
    (asking((("a", "x"), ("b", PRESENT))), {"a": "x", "b": 1}, True),
    (asking((("a", "x"),), (("b", "y"),)), {"b": "y"}, True),  # one of two ways
    (asking((("a", "x"),), (("b", "y"),)), {"a": "x", "b": "y"}, True),  # both, found once
    (asking((), test=heavy), {"weight": 7}, True),
    (asking((), test=heavy), {"weight": 8}, False),
    (asking((("a", "x"),), test=heavy), {"a": "x", "weight": 7}, True),
    (asking((("a", "x"),), test=heavy, range=Range(name="weight", low=5)), {"a": "x", "weight": 7}, True),
    (asking((("a", "x"),), test=heavy, range=Range(name="weight", low=5)), {"a": "x", "weight": 8}, False),
    (asking((), test=heavy, range=Range(name="weight", low=5)), {"b": "x"}, False),
    (asking((), range=Range(name="weight", low=5)), {"weight": 6}, True),
]


@pytest.mark.parametrize(("conditions", "properties", "satisfied"), CASES)
@pytest.mark.parametrize("extra", [{}, {f"other{i}": "x" for i in range(50)}], ids=["few", "many"])
def test_one_registration(
    conditions: Conditions,
    properties: dict[str, Any],
    satisfied: bool,  # noqa: FBT001
    extra: dict[str, Any],
) -> None:
    index = ConditionIndex(typed)
    registration = Registration(PROXY, "it")
    index.add(registration, conditions)
    # Whichever is longer, the names asked for or the names there are, the answer is the same.
    assert index.find(properties | extra) == ([registration] if satisfied else [])
    index.remove(registration, conditions)
    assert index.find(properties | extra) == []
    assert index._root.is_empty()


def test_many_names_asked_for_and_few_there() -> None:
    index = ConditionIndex(typed)
    for i in range(100):
        index.add(Registration(PROXY, i), asking(((f"n{i}", "x"),)))
        index.add(Registration(PROXY, f"w{i}"), asking((), range=Range(name=f"w{i}", low=5)))
    found = index.find({"n7": "x", "w9": 6, "w8": 4, "z": "x"})
    assert {registration.pattern for registration in found} == {7, "w9"}


class Counting(dict[str, Any]):
    asked = 0

    def get(self, key: Any, default: Any = None) -> Any:
        self.asked += 1
        return super().get(key, default)


def test_the_shorter_list_is_gone_through() -> None:
    index = ConditionIndex(typed)
    index.add(Registration(PROXY, "it"), asking((("a", "x"),)))
    message = Counting({f"n{i}": "x" for i in range(1000)})
    assert index.find(message) == []
    assert message.asked == 1
    for i in range(1000):
        index.add(Registration(PROXY, i), asking(((f"b{i}", "x"),)))
    message = Counting(a="x")
    assert len(index.find(message)) == 1
    assert message.asked == 1


def test_the_key_of_any_value_has_a_name() -> None:
    assert repr(PRESENT) == "PRESENT"


names = st.sampled_from("abcd")
keys = st.sampled_from(["x", "y", typed(1), PRESENT])
ways = st.dictionaries(names, keys, max_size=3).map(lambda way: tuple(sorted(way.items())))
ranges = st.none() | st.builds(Range, name=names, low=st.integers(-2, 2))
asked = st.builds(
    lambda ways, wanted: asking(*ways, range=wanted), st.sets(ways, max_size=3).map(tuple), ranges
)
properties = st.dictionaries(st.sampled_from("abcde"), st.sampled_from(["x", "y", 1, 1.0, None]))


def satisfies(conditions: Conditions, properties: dict[str, Any]) -> bool:
    def is_met(name: str, key: Any) -> bool:
        return name in properties and (key is PRESENT or typed(properties[name]) == key)

    wanted = conditions.range
    if wanted and not (
        isinstance(properties.get(wanted.name), int | float) and properties[wanted.name] >= wanted.low
    ):
        return False
    return any(all(is_met(name, key) for name, key in way) for way in conditions.ways)


@given(st.lists(asked, max_size=20), st.data())
def test_it_finds_what_going_through_all_finds(patterns: list[Conditions], data: st.DataObject) -> None:
    index = ConditionIndex(typed)
    here = {Registration(PROXY, number): pattern for number, pattern in enumerate(patterns)}
    for registration, pattern in here.items():
        index.add(registration, pattern)
    while True:
        message = data.draw(properties)
        found = index.find(message)
        assert len(found) == len(set(found))
        assert set(found) == {one for one, pattern in here.items() if satisfies(pattern, message)}
        if not here:
            break
        gone = data.draw(st.sampled_from(list(here)))
        index.remove(gone, here.pop(gone))
    assert index._root.is_empty()
