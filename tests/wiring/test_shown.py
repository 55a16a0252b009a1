"""Values as people read them."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.wiring.shown import shown

DEEP: list[Any] = []
for _ in range(5000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (3, "3 (integer)"),
        ("eu", "'eu' (text)"),
        (None, "None (void)"),
        (True, "True (boolean)"),
        ({"a": [1, 2]}, "{'a': [1, 2]} (table)"),
    ],
)
def test_a_value_and_its_type(value: Any, written: str) -> None:
    assert shown(value) == written


def test_python_writes_no_integer_so_long() -> None:
    assert shown(10**5000) == "a very long number (integer)"


@pytest.mark.parametrize("value", ["x" * 10_000, b"x" * 10_000, 10**4000, DEEP, list(range(10_000))])
def test_it_stays_short(value: Any) -> None:
    assert len(shown(value)) < 100
