"""Ranges: what holds a number is found, and little else."""

from __future__ import annotations

from decimal import Decimal
from math import inf, nan
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from penstock.wiring.proxies.fanout import Fanout
from penstock.wiring.ranges import ENDLESS, Range, Ranges
from penstock.wiring.registration import Registration

PROXY = Fanout("any")
LITERALS = (
    st.integers(-10, 10) | st.integers(-(2**64), 2**64) | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = LITERALS | st.decimals(allow_nan=True) | st.floats() | st.sampled_from([10**400, -(10**400)])


def holding(wanted: list[Range]) -> tuple[Ranges, list[Registration]]:
    ranges = Ranges()
    registrations = [Registration(PROXY, number) for number in range(len(wanted))]
    for registration, one in zip(registrations, wanted, strict=True):
        ranges.add(one, registration, None)
    return ranges, registrations


def found(ranges: Ranges, value: Any) -> set[Any]:
    return {registration.pattern for tested in ranges.find(value) for registration in tested}


def test_thresholds() -> None:
    ranges, _ = holding([Range(name="w", low=low) for low in (1, 2, 3)] + [Range(name="w", high=2)])
    assert found(ranges, 0) == {3}
    assert found(ranges, 2) == {0, 1, 3}  # ends count as included
    assert found(ranges, 2.5) == {0, 1}
    assert found(ranges, Decimal("2.5")) == {0, 1}


def test_ranges_with_two_ends() -> None:
    ranges, _ = holding([Range(name="w", low=low, high=low + 1) for low in range(1000)])
    assert {500, 499} <= found(ranges, 500) <= set(range(490, 501))
    assert found(ranges, -1) == found(ranges, 5000) == set()
    assert found(ranges, inf) == found(ranges, -inf) == found(ranges, 10**400) == set()


@pytest.mark.parametrize("value", [None, "2", True, b"2", nan, Decimal("NaN"), Decimal("sNaN"), [2]])
def test_what_is_no_number_is_in_no_range(value: Any) -> None:
    ranges, _ = holding(
        [Range(name="w", low=-inf, high=5), Range(name="w", low=1, high=5), Range(name="w", low=1)]
    )
    assert found(ranges, value) == set()


@pytest.mark.parametrize(
    ("low", "high", "width"),
    [
        (0, 0, 1),
        (0, 1, 2),
        (0, 3, 3),
        (5, 1, 4),
        (1, inf, ENDLESS),
        (-1e308, 1e308, ENDLESS),
        (0, 5e-324, -ENDLESS),
    ],
)
def test_widths_are_generous(low: float, high: float, width: int) -> None:
    assert Range(name="w", low=low, high=high).width == width


def test_what_is_removed_is_gone_to_the_last() -> None:
    wanted = [
        Range(name="w", low=1),
        Range(name="w", low=1),
        Range(name="w", low=1, high=2),
        Range(name="w", high=7),
    ]
    ranges, registrations = holding(wanted)
    for left, (registration, one) in enumerate(zip(registrations, wanted, strict=True), 1):
        assert ranges
        ranges.remove(one, registration)
        assert found(ranges, 1.5) == set(range(left, 4))
    assert not ranges
    assert not ranges._lows


@given(st.lists(st.tuples(LITERALS | st.just(-inf), LITERALS | st.just(inf)), max_size=8), VALUES)
def test_whatever_holds_a_value_is_found(ends: list[tuple[Any, Any]], value: Any) -> None:
    ends = [(low, high) for low, high in ends if (low, high) != (-inf, inf)]
    ranges, _ = holding([Range(name="w", low=low, high=high) for low, high in ends])
    is_nan = value.is_nan() if isinstance(value, Decimal) else value != value  # noqa: PLR0124
    holds = set() if is_nan else {i for i, (low, high) in enumerate(ends) if low <= value <= high}
    assert holds <= found(ranges, value)


# The value's float is 423 above the range, and the range's width only one.
@example(low=2**62 + 600, width=1, offset=1, as_float=False)
@given(st.integers(2**53, 2**63), st.integers(0, 300), st.integers(-300, 300), st.booleans())
def test_rounding_loses_nothing(low: int, width: int, offset: int, as_float: bool) -> None:  # noqa: FBT001
    ranges, _ = holding([Range(name="w", low=low, high=low + width)])
    value: float = float(low + offset) if as_float else low + offset
    assert found(ranges, value) or not low <= value <= low + width
