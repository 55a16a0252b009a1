"""How RabbitMQ's reply texts name types and values, and where they end; some clients match on them."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any, Final

__all__ = ["SHORT_STRING", "shortened", "shown", "type_name"]

#: Bytes a reply text may have (AMQP 0-9-1 §4.2.5.3).
SHORT_STRING: Final = 255
DOTS: Final = "..."

#: A decoded value no longer says which of several integer types it came as: these are what clients send.
_NAMES: Final[dict[type, str]] = {
    bool: "bool",
    float: "double",
    Decimal: "decimal",
    str: "longstr",
    bytes: "longstr",
    datetime: "timestamp",
    dict: "table",
    list: "array",
    type(None): "void",
}
_INT_END: Final = 2**31


def type_name(value: Any) -> str:
    """The name of a field's type."""
    if isinstance(value, int) and not isinstance(value, bool):
        return "signedint" if -_INT_END <= value < _INT_END else "long"
    return _NAMES.get(type(value), "binary")


def shown(value: Any) -> str:
    """A value as Erlang prints it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'<<"{value}">>' if isinstance(value, str) else str(value)


def shortened(text: str, most: int = SHORT_STRING) -> str:
    """As much of a text as fits, with dots where it was cut."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= most:
        return text
    return raw[: most - len(DOTS)].decode("utf-8", "ignore") + DOTS
