"""What a person is told of a message that a statement does not ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from penstock.wiring.selector.evaluating import condition
from penstock.wiring.selector.parsing import read
from penstock.wiring.selector.reasons import why_not
from tests.wiring.selector import trees

if TYPE_CHECKING:
    from penstock.wiring.selector.nodes import Condition

PROPERTIES: dict[str, Any] = {"region": "eu", "weight": 3, "void": None, "x-kind": True}

#: Statement, reason.
REASONS: list[tuple[str, str | None]] = [
    ("region = 'eu'", None),
    ("region = 'us'", "region = 'us' is false: region is 'eu' (text)"),
    ("weight > 5", "weight > 5 is false: weight is 3 (integer)"),
    ("weight = '3'", "weight = '3' is false: weight is 3 (integer)"),
    ("size > 5", "size > 5 is unknown: there is no property size"),
    ("void > 5", "void > 5 is unknown: void is void"),
    # Of an AND, the first part to blame.
    ("region = 'eu' AND weight > 5 AND size > 5", "weight > 5 is false: weight is 3 (integer)"),
    ("size > 5 AND weight > 5", "size > 5 is unknown: there is no property size"),
    # Of an OR, all of them.
    (
        "region = 'us' OR size IS NOT NULL",
        (
            "none of the alternatives holds: region = 'us' is false: region is 'eu' (text); "
            "size IS NOT NULL is false: there is no property size"
        ),
    ),
    (
        "weight = 7 OR weight = 8 OR weight = 9 OR weight = 10 OR weight = 11",
        (
            "none of the alternatives holds: weight = 7 is false: weight is 3 (integer); weight = 8 is "
            "false: weight is 3 (integer); weight = 9 is false: weight is 3 (integer); 2 more"
        ),
    ),
    (
        "NOT (region = 'eu' AND weight < 5)",
        "NOT (region = 'eu' AND weight < 5) is false: region is 'eu' (text), weight is 3 (integer)",
    ),
    ('NOT "x-kind"', 'NOT "x-kind" is false: "x-kind" is True (boolean)'),
    ("1 = 2", "1 = 2 is false"),
    ("weight / 0 > -weight", "weight / 0 > -weight is unknown: weight is 3 (integer)"),
    (
        "weight NOT BETWEEN 1 AND size",
        "weight NOT BETWEEN 1 AND size is unknown: weight is 3 (integer), there is no property size",
    ),
    ("region IN ('us')", "region IN ('us') is false: region is 'eu' (text)"),
    ("region LIKE 'u%'", "region LIKE 'u%' is false: region is 'eu' (text)"),
]


@pytest.mark.parametrize(("statement", "reason"), REASONS)
def test_reasons(statement: str, reason: str | None) -> None:
    assert why_not(read(statement), PROPERTIES) == reason


@given(trees.conditions, trees.properties)
def test_there_is_a_reason_exactly_if_it_is_not_true(node: Condition, properties: dict[str, Any]) -> None:
    assert (why_not(node, properties) is None) == (condition(node)(properties) is True)
