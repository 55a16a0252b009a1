"""Whether a column is one of many values, with one parameter however many there are.

A statement with a parameter for each would be compiled anew for every number of them, and SQLite has room
for 32,766.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import any_, func, literal, select
from sqlalchemy.types import ARRAY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection

__all__ = ["among"]

_encode = msgspec.json.Encoder().encode


def among(connection: Connection, column: ColumnElement[Any], values: Iterable[Any]) -> ColumnElement[bool]:
    """Whether the column is one of these texts or whole numbers."""
    if connection.dialect.name == "postgresql":
        return column == any_(literal(list(values), ARRAY(column.type)))
    listed = func.json_each(_encode(list(values)).decode()).table_valued("value")
    return column.in_(select(listed.c.value))
