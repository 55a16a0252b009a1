"""What statements mean: JMS 2.0 §3.8.1, row by row."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from penstock.wiring.selector.evaluating import condition
from penstock.wiring.selector.parsing import read
from tests.wiring.selector import trees

if TYPE_CHECKING:
    from penstock.wiring.selector.nodes import Condition

TRUTH = {"T": True, "F": False, "U": None}
#: A property t is TRUE, f is FALSE, and u is not there.
LOGIC = {"t": True, "f": False}


def truth(statement: str, properties: dict[str, Any]) -> bool | None:
    return condition(read(statement))(properties)


# Three-valued logic (JMS 2.0 table 3-4 … 3-6)


@pytest.mark.parametrize("row", ["ttT", "tfF", "tuU", "ftF", "ffF", "fuF", "utU", "ufF", "uuU"])
def test_and(row: str) -> None:
    one, other, both = tuple(row)
    assert truth(f"{one} AND {other}", LOGIC) is TRUTH[both]
    assert truth(f"{one} AND t AND {other}", LOGIC) is TRUTH[both]


@pytest.mark.parametrize("row", ["ttT", "tfT", "tuT", "ftT", "ffF", "fuU", "utT", "ufU", "uuU"])
def test_or(row: str) -> None:
    one, other, either = tuple(row)
    assert truth(f"{one} OR {other}", LOGIC) is TRUTH[either]
    assert truth(f"{one} OR f OR {other}", LOGIC) is TRUTH[either]


@pytest.mark.parametrize("row", ["tF", "fT", "uU"])
def test_not(row: str) -> None:
    one, negation = tuple(row)
    assert truth(f"NOT {one}", LOGIC) is TRUTH[negation]
    assert truth(f"NOT NOT {one}", LOGIC) is TRUTH[row[0].upper()]


# Values

NUMBERS = {
    "i": 7,
    "n": -7,
    "f": 2.5,
    "d": Decimal("2.5"),
    "z": 0,
    "s": "7",
    "b": True,
    "v": None,
    "big": 10**400,
    "huge": Decimal("1e9999999999"),
}
#: Statement, truth, over NUMBERS.
ARITHMETIC: list[tuple[str, str]] = [
    ("i + 2 * 3 = 13", "T"),
    ("(i + 2) * 3 = 27", "T"),
    ("i - 2 - 1 = 4", "T"),  # from left to right
    ("-i = n", "T"),
    ("- - i = 7", "T"),
    ("i / 2 = 3", "T"),  # integers divide to an integer, as in Java and SQL
    ("n / 2 = -3", "T"),  # towards zero
    ("i / -2 = -3", "T"),
    ("i / 2.0 = 3.5", "T"),
    ("f * 2 = 5", "T"),
    ("d * 2 = 5", "T"),  # decimal and integer
    ("d + f = 5", "T"),  # decimal and float
    ("i / z = 1", "U"),  # division by zero
    ("i / z <> 1", "U"),
    ("i / 0.0 > 1", "U"),
    ("d / z = 1", "U"),
    ("s + 1 = 8", "U"),  # no arithmetic with texts
    ("-s = -7", "U"),
    ("b + 1 = 2", "U"),  # nor with booleans
    ("v + 1 = 1", "U"),
    ("nix * 2 = 0", "U"),
    ("NOT nix * 2 = 0", "U"),
    ("big * 1.5 > 0", "U"),  # beyond any float
    ("-huge > 0", "U"),  # beyond any decimal
    ("big * big > big", "T"),  # integers do not overflow
]


@pytest.mark.parametrize(("statement", "expected"), ARITHMETIC)
def test_arithmetic(statement: str, expected: str) -> None:
    assert truth(statement, NUMBERS) is TRUTH[expected]


PERSON = {
    "age": 17,
    "price": 9.5,
    "Country": "UK",
    "phone": "12993",
    "word": "lose",
    "underscored": "_foo",
    "urgent": True,
    "void": None,
    "raw": b"UK",
    "x-region": "eu",
}
#: Statement, truth, over PERSON.
CONDITIONS: list[tuple[str, str]] = [
    ("age = 17", "T"),
    ("17 = age", "T"),
    ("age > 16", "T"),
    ("16 < age", "T"),  # the mirrored ones mean the same
    ("18 <= age", "F"),
    ("18 >= age", "T"),
    ("age = 17.0", "T"),
    ("age <> 17", "F"),
    ("price < age", "T"),
    ("Country = 'UK'", "T"),
    ("country = 'UK'", "U"),  # names have their case
    ("Country = 'uk'", "F"),  # and so have texts
    ("Country = 5", "F"),  # unlike
    ("Country <> 5", "F"),  # unlike still
    ("NOT Country = 5", "T"),  # as JMS has it: the comparison is false, not unknown
    ("Country > age", "F"),
    ("age > Country", "F"),
    ("Country > Country", "F"),  # texts have no order
    ("raw = Country", "F"),
    ("raw = raw", "F"),
    ("raw IS NOT NULL", "T"),
    ("void = 1", "U"),
    ("1 = 1", "T"),
    ("TRUE", "T"),
    ("FALSE", "F"),
    ("urgent", "T"),
    ("NOT urgent", "F"),
    ("urgent = TRUE", "T"),
    ("urgent <> TRUE", "F"),
    ("urgent = 1", "F"),
    ("age", "U"),  # a number is neither true nor false
    ("NOT age", "U"),
    ("nix", "U"),
    ("age BETWEEN 15 AND 19", "T"),
    ("age BETWEEN 17 AND 17", "T"),
    ("age BETWEEN 19 AND 15", "F"),
    ("age NOT BETWEEN 15 AND 19", "F"),
    ("age NOT BETWEEN 18 AND 19", "T"),
    ("age NOT BETWEEN 17 AND 19", "F"),
    ("age NOT BETWEEN 15 AND 17", "F"),
    ("nix BETWEEN 1 AND 2", "U"),
    ("age BETWEEN nix AND 16", "F"),  # above 16 anyhow
    ("age BETWEEN nix AND 18", "U"),
    ("age NOT BETWEEN nix AND 16", "T"),
    ("age NOT BETWEEN nix AND 18", "U"),
    ("Country BETWEEN 1 AND 2", "F"),
    ("Country NOT BETWEEN 1 AND 2", "F"),  # `< 1 OR > 2`, both false
    ("Country IN ('UK', 'US', 'France')", "T"),
    ("Country IN ('us')", "F"),
    ("Country NOT IN ('UK', 'US', 'France')", "F"),
    ("Country NOT IN ('US')", "T"),
    ("nix IN ('UK')", "U"),
    ("nix NOT IN ('UK')", "U"),
    ("age IN (16, 17.0)", "T"),
    ("age IN ('17')", "F"),
    ("age NOT IN ('17')", "T"),  # NOT (age = '17')
    ("urgent IN (1)", "F"),
    ("raw NOT IN ('UK')", "T"),
    ("age + 1 IN (18)", "T"),
    ("phone LIKE '12%3'", "T"),
    ("word LIKE 'l_se'", "T"),
    ("underscored LIKE '\\_%' ESCAPE '\\'", "T"),
    ("word LIKE '\\_%' ESCAPE '\\'", "F"),
    ("phone NOT LIKE '12%3'", "F"),
    ("word NOT LIKE '12%3'", "T"),
    ("nix LIKE '%'", "U"),
    ("nix NOT LIKE '%'", "U"),
    ("age LIKE '%'", "F"),  # not a text
    ("age NOT LIKE '%'", "T"),  # NOT (age LIKE '%')
    ("nix IS NULL", "T"),
    ("void IS NULL", "T"),  # void is NULL as well
    ("age IS NULL", "F"),
    ("nix IS NOT NULL", "F"),
    ("age / 0 IS NULL", "T"),
    ("\"x-region\" = 'eu'", "T"),
    ("Country = 'UK' AND age > 15 OR nix", "T"),
]


@pytest.mark.parametrize(("statement", "expected"), CONDITIONS)
def test_conditions(statement: str, expected: str) -> None:
    assert truth(statement, PERSON) is TRUTH[expected]


def test_the_example_of_jms() -> None:
    statement = "JMSType = 'car' AND color = 'blue' AND weight > 2500"
    assert truth(statement, {"JMSType": "car", "color": "blue", "weight": 2501}) is True
    assert truth(statement, {"JMSType": "car", "color": "blue", "weight": 2500}) is False
    assert truth(statement, {"JMSType": "car", "color": "blue"}) is None


@given(trees.conditions, trees.properties)
def test_whatever_the_properties_hold_nothing_raises(node: Condition, properties: dict[str, Any]) -> None:
    assert condition(node)(properties) in (True, False, None)
