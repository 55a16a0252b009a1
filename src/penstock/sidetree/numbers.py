"""Numbers as ECMAScript writes them, which is how canonical JSON does (RFC 8785 §3.2.2.3)."""

from __future__ import annotations

import re
from math import isfinite
from typing import Final

__all__ = ["ecmascript"]

#: The places before and after the point from which on an exponent is written (ECMA-262, Number::toString).
LONGEST_WHOLE: Final = 21
LONGEST_ZEROS: Final = 6

#: How repr writes a finite double: 1.5e-07.
REPR: Final = re.compile(r"(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?")


def ecmascript(number: float) -> str:
    """The shortest text that means this double.

    Raises:
        ValueError: it is infinite, no number, or an integer that no double holds exactly.
        OverflowError: it is an integer beyond all doubles.
    """
    value = float(number)
    if not isfinite(value):
        raise ValueError(f"{value} is no JSON number")
    if int(number) != int(value):
        raise ValueError(f"{number} cannot be held exactly by a double")
    if value == 0:
        return "0"
    sign, digits, point = shortest(value)
    if len(digits) <= point <= LONGEST_WHOLE:
        return f"{sign}{digits}{'0' * (point - len(digits))}"
    if 0 < point <= LONGEST_WHOLE:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -LONGEST_ZEROS < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if digits[1:] else ""
    return f"{sign}{digits[0]}{fraction}e{point - 1:+d}"


def shortest(value: float) -> tuple[str, str, int]:
    """Sign, the shortest digits, and behind how many of them the point stands (0.digits times 10^that)."""
    found = REPR.fullmatch(repr(value))
    if found is None:
        raise ValueError(f"{value!r} is no finite double")
    sign, whole, fraction, power = found.groups(default="")
    digits = whole + fraction
    zeros = len(digits) - len(digits.lstrip("0"))
    return sign, digits.strip("0"), len(whole) + int(power or 0) - zeros
