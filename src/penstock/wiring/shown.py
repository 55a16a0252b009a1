"""A property's value as a person would write it, shortened: a value may be long, or nest deep."""

from __future__ import annotations

from reprlib import Repr
from typing import TYPE_CHECKING, Final

from penstock.wiring.properties import type_name

if TYPE_CHECKING:
    from penstock.wiring.properties import Value

__all__ = ["shown"]

#: Characters of a text that are enough to know it by.
ENOUGH: Final = 60


def shown(value: Value) -> str:
    """The value and its type, e.g. `3 (integer)`."""
    short = Repr()
    short.maxstring = short.maxother = short.maxlong = ENOUGH
    try:
        written = short.repr(value)
    except ValueError:
        # Python writes no integer of more than 4300 digits.
        written = "a very long number"
    return f"{written} ({type_name(value)})"
