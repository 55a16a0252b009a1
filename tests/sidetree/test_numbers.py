from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.sidetree.numbers import ecmascript


@pytest.mark.parametrize(
    ("number", "text"),
    [
        # RFC 8785, appendix B
        (0.0, "0"),
        (-0.0, "0"),
        (5e-324, "5e-324"),
        (-5e-324, "-5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (9007199254740992.0, "9007199254740992"),
        (-9007199254740992.0, "-9007199254740992"),
        (295147905179352830000.0, "295147905179352830000"),
        (9.999999999999997e22, "9.999999999999997e+22"),
        (1e23, "1e+23"),
        (999999999999999700000.0, "999999999999999700000"),
        (1e21, "1e+21"),
        (9.999999999999997e-7, "9.999999999999997e-7"),
        (0.000001, "0.000001"),
        (333333333.3333332, "333333333.3333332"),
        (-0.0000033333333333333333, "-0.0000033333333333333333"),
        # Integers, as Python has them
        (0, "0"),
        (-17, "-17"),
        (100, "100"),
        (2**60, "1152921504606847000"),
        (10**21, "1e+21"),
        (1.5, "1.5"),
        (4.5e2, "450"),
    ],
)
def test_numbers_are_written_as_ecmascript_does(number: float, text: str) -> None:
    assert ecmascript(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_is_written_means_the_same_double(number: float) -> None:
    assert float(ecmascript(number)) == number


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 2**53 + 1])
def test_what_json_has_no_number_for_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match=r"JSON number|exactly"):
        ecmascript(number)
