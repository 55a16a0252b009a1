"""Properties: the type of a value is part of it, also where Python sees no difference."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.wiring.properties import NONE, Value, type_name, typed

WHEN = datetime(2026, 1, 2, tzinfo=UTC)

TYPE_NAMES: list[tuple[Any, str]] = [
    (True, "boolean"),
    (1, "integer"),
    (1.0, "float"),
    (Decimal(1), "decimal"),
    ("1", "text"),
    (b"1", "bytes"),
    (WHEN, "timestamp"),
    ({}, "table"),
    ([], "list"),
    (None, "void"),
    (1j, "complex"),  # not a property's type; still told by its name
]


@pytest.mark.parametrize(("value", "name"), TYPE_NAMES)
def test_a_type_has_the_name_a_person_would_give_it(value: Any, name: str) -> None:
    assert type_name(value) == name


#: Pairs that Python finds equal, or that look alike, and that are different properties.
DIFFERENT: list[tuple[Value, Value]] = [
    (True, 1),
    (1, 1.0),
    (1, Decimal(1)),
    (1.0, Decimal(1)),
    (False, 0),
    ("1", 1),
    ("a", b"a"),
    ("", None),
    ([], {}),
    ([1], [True]),  # also inside a list
    ([1, 2], [2, 1]),
    ({"a": 1}, {"a": 1.0}),  # and inside a table
    ({"a": 1}, {"a": 1, "b": 2}),
    ([[]], [{}]),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_differs_in_type_or_value_differs(one: Value, other: Value) -> None:
    assert typed(one) != typed(other)


def test_the_order_of_a_table_is_no_difference() -> None:
    assert typed({"a": 1, "b": [2]}) == typed({"b": [2], "a": 1})


plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
values: st.SearchStrategy[Value] = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def copied(value: Value) -> Value:
    """An equal value that shares no container with it."""
    if isinstance(value, dict):
        return {name: copied(item) for name, item in value.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value


@given(values)
def test_every_value_has_a_key_that_equals_that_of_its_copy(value: Value) -> None:
    assert typed(value) == typed(copied(value))
    assert hash(typed(value)) == hash(typed(copied(value)))


def test_nobody_can_write_to_the_properties_that_are_none() -> None:
    with pytest.raises(TypeError):
        NONE["a"] = 1  # type: ignore[index]
    assert len(NONE) == 0
