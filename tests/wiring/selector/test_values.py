"""How two values compare, whatever a message holds."""

from __future__ import annotations

import operator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.wiring.selector.values import COMPARISONS, OTHER, both, compare, either, key, plain
from tests.wiring.selector.trees import NUMBERS, TEXTS, Colour, Level, odd_values

values = st.booleans() | NUMBERS | TEXTS | odd_values

#: Left, operator, right, truth (None is unknown).
COMPARED: list[tuple[Any, str, Any, bool | None]] = [
    (1, "=", 1.0, True),  # exact and approximate numbers compare
    (1, "=", Decimal(1), True),
    (1.5, ">", Decimal(1), True),
    (2**53 + 1, ">", float(2**53), True),  # by value, not rounded to a float
    (1, "=", True, False),  # unlike
    (1, "<>", True, False),  # unlike is false for every operator
    (1, "=", "1", False),
    (1, "<>", "1", False),
    ("a", "=", "a", True),
    ("a", "<>", "b", True),
    ("a", "<", "b", False),  # texts have no order
    ("a", "<=", "a", False),
    (True, "=", True, True),
    (True, "<>", False, True),
    (True, ">", False, False),  # nor have booleans
    (None, "=", None, None),
    (None, "<>", 1, None),
    ("a", "=", None, None),
    (b"a", "=", b"a", False),  # like nothing, not even itself
    (b"a", "<>", b"b", False),
    ([1], "=", [1], False),
    (float("nan"), "=", float("nan"), False),
    (float("nan"), "<>", 1, True),
    (Decimal("NaN"), "<", 1, False),
    (Decimal(1), "<", float("nan"), False),
    (Decimal("sNaN"), "<>", 1, True),
    (Level.LOW, "=", 1, True),
    (Colour.RED, "=", "red", True),
]


@pytest.mark.parametrize(("left", "written", "right", "truth"), COMPARED)
def test_comparisons(left: Any, written: str, right: Any, truth: bool | None) -> None:  # noqa: FBT001
    assert compare(COMPARISONS[written], plain(left), plain(right)) is truth


@given(values, st.sampled_from(sorted(COMPARISONS)), values)
def test_nothing_raises(left: Any, written: str, right: Any) -> None:
    assert compare(COMPARISONS[written], plain(left), plain(right)) in (True, False, None)


#: One, other, both, either; ? is unknown.
LOGIC = ["TTTT", "TFFT", "T??T", "FTFT", "FFFF", "F?F?", "?T?T", "?FF?", "????"]


@pytest.mark.parametrize("row", LOGIC)
def test_three_valued_logic(row: str) -> None:
    one, other, conjunction, alternative = ({"T": True, "F": False, "?": None}[letter] for letter in row)
    assert both(one, other) is conjunction
    assert either(one, other) is alternative


def test_plain_values_are_of_exactly_the_types_compared() -> None:
    class Price(Decimal):
        pass

    assert [(type(plain(odd)), plain(odd)) for odd in (Level.LOW, Colour.RED, Price("1.5"))] == [
        (int, 1),
        (str, "red"),
        (Decimal, Decimal("1.5")),
    ]
    assert plain(b"") is plain({}) is plain((1,)) is OTHER
    assert plain(type("Half", (float,), {})(0.5)) == 0.5


@given(values, values)
def test_keys_are_equal_exactly_where_values_are(left: Any, right: Any) -> None:
    equal = compare(operator.eq, plain(left), plain(right))
    if equal is not None and plain(left) is not OTHER and plain(left) == plain(left):
        assert (key(left) == key(right)) is equal
        assert not equal or hash(key(left)) == hash(key(right))
