"""Values of SQLite worded as PostgreSQL words them, where SQLite's own SQL cannot. Pure.

SQLite keeps a moment as text, a number as it came and JSON as somebody wrote it; a copy there is equal to a
table in PostgreSQL if it means the same.
"""

from __future__ import annotations

import json
import struct
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FUNCTIONS"]

#: As many digits as PostgreSQL's numeric may be declared with.
_WIDE: Final = Context(prec=1000)


def fixed(value: Any, scale: int) -> str | None:
    """A number with so many digits behind the point."""
    number = _decimal(value)
    if number is None or not number.is_finite():
        return None if number is None else str(number)
    # Half a digit goes up, as in PostgreSQL; Python's own rounding prefers even ones.
    return format(number.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, _WIDE), "f")


def numeric(value: Any) -> str | None:
    """A number with as many digits behind the point as it needs."""
    number = _decimal(value)
    if number is None:
        return None
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def double(value: Any) -> str | None:
    """The eight bytes of a float; one zero of the two."""
    return None if value is None else struct.pack(">d", float(value) + 0.0).hex()


def single(value: Any) -> str | None:
    """The four bytes of a float."""
    return None if value is None else struct.pack(">f", float(value) + 0.0).hex()


def moment(value: Any) -> str | None:
    """A moment in UTC, without zeros at its end; a number is seconds since the epoch."""
    if value is None:
        return None
    if isinstance(value, int | float):
        read = datetime.fromtimestamp(value, UTC)
    else:
        try:
            read = datetime.fromisoformat(value)
        except ValueError:
            return str(value)
    if read.tzinfo is not None:
        read = read.astimezone(UTC).replace(tzinfo=None)
    text = read.isoformat(" ")
    return text.rstrip("0") if read.microsecond else text


def jsonb(value: Any) -> str | None:
    """JSON as PostgreSQL's jsonb writes it: keys by length and then by name, a space behind : and comma."""
    if value is None:
        return None
    try:
        return _written(json.loads(value, parse_float=Decimal))
    except ValueError:
        return str(value)


def _decimal(value: Any) -> Decimal | None:
    if value is None:
        return None
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return Decimal("NaN")


def _written(value: Any) -> str:
    if isinstance(value, dict):
        # jsonb compares the lengths of keys first, and both in bytes.
        keys = sorted(value, key=lambda key: (len(key.encode()), key.encode()))
        return "{" + ", ".join(f"{_written(key)}: {_written(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    if isinstance(value, Decimal):
        return format(value, "f")
    return json.dumps(value, ensure_ascii=False)


#: Name in SQL → (arguments, function).
FUNCTIONS: Final[dict[str, tuple[int, Callable[..., str | None]]]] = {
    "penstock_fixed": (2, fixed),
    "penstock_numeric": (1, numeric),
    "penstock_double": (1, double),
    "penstock_single": (1, single),
    "penstock_moment": (1, moment),
    "penstock_jsonb": (1, jsonb),
}
