"""A message's properties: fields with a name, a type and a value.

A property's type is the type of its Python value, so a mapping of names to values says all three.
What differs in type differs in value here, although Python finds ``True == 1 == 1.0``.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from datetime import datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Final

__all__ = ["NONE", "Properties", "Value", "type_name", "typed"]

#: What a property may hold; tables and lists nest.
type_names: Final[dict[type, str]] = {
    bool: "boolean",
    int: "integer",
    float: "float",
    Decimal: "decimal",
    str: "text",
    bytes: "bytes",
    datetime: "timestamp",
    dict: "table",
    list: "list",
    type(None): "void",
}
Value = bool | int | float | Decimal | str | bytes | datetime | dict[str, "Value"] | list["Value"] | None
Properties = Mapping[str, Value]

#: The properties of a message that has none; shared, since nobody can write to it.
NONE: Final[Properties] = MappingProxyType({})


def type_name(value: Value) -> str:
    """The name a person would give the value's type."""
    return type_names.get(type(value), type(value).__name__)


def typed(value: Value) -> Hashable:
    """A key that is equal exactly for values of the same type and value."""
    if type(value) is str:
        return value
    if isinstance(value, dict):
        return dict, frozenset((name, typed(item)) for name, item in value.items())
    if isinstance(value, list):
        return list, tuple(map(typed, value))
    return type(value), value
