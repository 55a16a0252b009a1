"""The values a selector knows: numbers, texts, booleans and NULL, and how two of them compare.

JMS 2.0 §3.8.1.2, made precise for the properties of a Penstock message:

* NULL (None here) is a property that is missing or void. Whatever touches it is unknown (None).
* Numbers (integer, float, decimal) compare with numbers, by value; a NaN equals nothing.
* Texts and booleans compare with their own kind, by = and <> only.
* Any other comparison is false, <> too. Bytes, timestamps, tables and lists are like nothing, not
  even one another: a selector can only ask whether they are there.

Nothing here raises, whatever the properties hold.
"""

from __future__ import annotations

import operator
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = ["COMPARISONS", "NUMBERS", "PLAIN", "Truth", "both", "compare", "either", "key", "plain"]

#: True, False, or None for unknown.
Truth = bool | None

COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
NUMBERS: Final = frozenset({int, float, Decimal})
#: What can be compared as it comes.
PLAIN: Final = frozenset({str, int, float, bool, type(None)})
EQUALITIES: Final = (operator.eq, operator.ne)
NOT_A_NUMBER: Final = float("nan")
#: Enumerations and the like count as what they are made of, however they would like to be shown.
MADE_OF: Final[tuple[tuple[type, Callable[[Any], Any]], ...]] = (
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
)


class Other:
    """Stands for every value a selector does not know; equal to nothing but itself."""


OTHER: Final = Other()


def plain(value: Any) -> Any:
    """The value as exactly None, bool, int, float, Decimal, str or OTHER."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, Decimal):
        # A decimal NaN raises where a float NaN is just unequal.
        return NOT_A_NUMBER if value.is_nan() else Decimal(value)
    for base, made in MADE_OF:
        if isinstance(value, base):
            return made(value)
    return OTHER


def compare(test: Callable[[Any, Any], bool], left: Any, right: Any) -> Truth:
    """One of COMPARISONS between two plain values."""
    if left is None or right is None:
        return None
    kind = type(left)
    if kind in NUMBERS:
        return type(right) in NUMBERS and _compare_numbers(test, left, right)
    return kind is type(right) and kind is not Other and test in EQUALITIES and test(left, right)


def _compare_numbers(test: Callable[[Any, Any], bool], left: Any, right: Any) -> bool:
    try:
        return test(left, right)
    except ArithmeticError:
        # A float NaN before or after a decimal.
        return False


def both(one: Truth, other: Truth) -> Truth:
    """AND: false as soon as one is false, unknown if it depends on what is unknown."""
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def either(one: Truth, other: Truth) -> Truth:
    """OR: true as soon as one is true, unknown if it depends on what is unknown."""
    if one or other:
        return True
    return None if one is None or other is None else False


def key(value: Any) -> Hashable:
    """Equal exactly for values that `=` finds equal: Python's own, but for True == 1."""
    kind = type(value)
    if kind is str or kind is int:
        return value  # type: ignore[no-any-return]
    value = plain(value)
    return (bool, value) if type(value) is bool else value
