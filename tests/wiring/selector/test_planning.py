"""What an index can know of a statement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from penstock.wiring.ranges import Range
from penstock.wiring.selector.evaluating import condition
from penstock.wiring.selector.parsing import read
from penstock.wiring.selector.planning import MOST_WAYS, conditions, required
from penstock.wiring.selector.values import key
from tests.wiring.selector import trees

if TYPE_CHECKING:
    from penstock.wiring.selector.nodes import Condition

YES = (bool, True)

#: Statement, what it requires.
REQUIRED: list[tuple[str, dict[str, set[Any]]]] = [
    ("a = 'x'", {"a": {"x"}}),
    ("'x' = a", {"a": {"x"}}),
    ("a = 1", {"a": {1}}),
    ("a = TRUE", {"a": {YES}}),
    ("a", {"a": {YES}}),
    ("a IN ('x', 'y')", {"a": {"x", "y"}}),
    ("a = 'x' AND b = 1 AND c > 5", {"a": {"x"}, "b": {1}}),
    ("a = 'x' OR a = 'y' OR a IN ('z')", {"a": {"x", "y", "z"}}),
    ("(a = 1 OR a = TRUE) AND b = 2", {"a": {1, YES}, "b": {2}}),
    ("a IN ('x', 'y') AND a IN ('y', 'z')", {"a": {"y"}}),
    ("a = 'x' AND a = 'y'", {"a": set()}),  # can never be
    ("a = 'x' OR b = 'y'", {}),
    ("a = 'x' OR a > 5", {}),
    ("a <> 'x'", {}),
    ("NOT a = 'x'", {}),
    ("a NOT IN ('x')", {}),
    ("a = b", {}),
    ("a + 1 = 2", {}),
    ("a + 1 IN (2)", {}),
    ("TRUE", {}),
]


@pytest.mark.parametrize(("statement", "wanted"), REQUIRED)
def test_what_is_required(statement: str, wanted: dict[str, set[Any]]) -> None:
    assert required(read(statement)) == wanted


#: Statement, its ways, whether something is left to evaluate.
WAYS: list[tuple[str, set[Any], bool]] = [
    ("", {()}, False),
    ("TRUE AND a = 1", {(("a", 1),)}, False),
    ("b = 1 AND a = 'x'", {(("a", "x"), ("b", 1))}, False),
    ("a IN (1, 2) AND b", {(("a", 1), ("b", YES)), (("a", 2), ("b", YES))}, False),
    ("a = 1 AND b LIKE 'x%'", {(("a", 1),)}, True),
    ("a = 1 AND a = 2", set(), False),
    ("a LIKE 'x%'", {()}, True),
    ("a = 1 AND b = 2 OR c = 3", {(("a", 1), ("b", 2)), (("c", 3),)}, True),  # as many ways in
    ("a = 1 OR b > 3", {()}, True),  # the second way would be through everything
    ("FALSE", {()}, True),
]


@pytest.mark.parametrize(("statement", "ways", "is_tested"), WAYS)
def test_ways(statement: str, ways: set[Any], is_tested: bool) -> None:  # noqa: FBT001
    planned = conditions(read(statement))
    assert set(planned.ways) == ways
    assert (planned.test is not None) == is_tested


def test_a_product_of_lists_does_not_grow_without_end() -> None:
    many = ", ".join(map(str, range(40)))
    planned = conditions(read(f"a IN ({many}) AND b IN ({many}) AND c IN (1, 2)"))
    assert len(planned.ways) <= 2 * 40
    assert planned.test is not None
    assert [planned.test({"a": 3, "b": n}) for n in (3, 40)] == [True, False]
    # One list alone is looked up however long it is; so many alternatives are not.
    assert len(conditions(read(f"a IN ({', '.join(map(str, range(500)))})")).ways) == 500
    alternatives = " OR ".join(f"a{i} = 1" for i in range(MOST_WAYS + 1))
    assert conditions(read(alternatives)).ways == ((),)


#: Statement, the range it is found by.
RANGES: list[tuple[str, Range | None]] = [
    ("a > 5", Range(name="a", low=5)),
    ("a >= 5", Range(name="a", low=5)),
    ("a < 5.5", Range(name="a", high=5.5)),
    ("5 >= a", Range(name="a", high=5)),
    ("a BETWEEN 1 AND 2", Range(name="a", low=1, high=2)),
    ("a > 1 AND b > 7 AND a < 9 AND a > 3", Range(name="a", low=3, high=9)),
    ("a > 3 AND a < 9 AND a > 1 AND a < 11", Range(name="a", low=3, high=9)),
    ("c = 1 AND a > 5", Range(name="a", low=5)),
    ("a NOT BETWEEN 1 AND 2", None),
    ("a BETWEEN 1 AND b", None),
    ("a + 1 BETWEEN 1 AND 2", None),
    ("a <> 5", None),
    ("a = 5", None),
    ("a > b", None),
    ("a + 1 > 5", None),
    ("a > 5 OR a > 6", None),
]


@pytest.mark.parametrize(("statement", "wanted"), RANGES)
def test_ranges(statement: str, wanted: Range | None) -> None:
    assert conditions(read(statement)).range == wanted


@given(trees.conditions, trees.properties)
def test_a_plan_says_what_the_statement_says(node: Condition, properties: dict[str, Any]) -> None:
    planned = conditions(node)
    holds = any(
        all(properties.get(name) is not None and key(properties[name]) == wanted for name, wanted in way)
        for way in planned.ways
    )
    if planned.test is not None:
        holds = holds and planned.test(properties) is True
    assert holds == (condition(node)(properties) is True)
