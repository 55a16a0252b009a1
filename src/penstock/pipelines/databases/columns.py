"""What a column holds, whichever database keeps it, and a key's way back from text to a value.

Pure: knows SQLAlchemy's types, no connection. How each database words a value is in its own file.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from penstock.errors import BadSetting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Column", "Kind", "agreed", "check_key", "column_of", "value_of"]


class Kind(StrEnum):
    """What is compared alike in every database. Where two differ on a column, it is the later here."""

    TEXT = "text"
    INTEGER = "integer"
    #: A number with as many digits behind the point as it needs, and one with so many.
    NUMERIC = "numeric"
    FIXED = "fixed"
    FLOAT = "float"
    SINGLE = "single"
    BOOLEAN = "boolean"
    DATE = "date"
    MOMENT = "moment"
    UUID = "uuid"
    BYTES = "bytes"
    JSON = "json"


_RANKS: Final = {kind: rank for rank, kind in enumerate(Kind)}


#: The first that fits counts: Float is a Numeric to SQLAlchemy. What is not listed is compared as text.
_KINDS: Final[tuple[tuple[type[Any] | tuple[type[Any], ...], Kind], ...]] = (
    (sa.Boolean, Kind.BOOLEAN),
    (sa.Integer, Kind.INTEGER),
    (sa.REAL, Kind.SINGLE),
    (sa.Float, Kind.FLOAT),
    (sa.Numeric, Kind.NUMERIC),
    (sa.DateTime, Kind.MOMENT),
    (sa.Date, Kind.DATE),
    (sa.Uuid, Kind.UUID),
    (sa.LargeBinary, Kind.BYTES),
    (sa.JSON, Kind.JSON),
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column, as all databases are asked for it."""

    name: str
    kind: Kind
    #: Digits behind the point, of Kind.FIXED.
    scale: int = 0
    #: Whether a moment tells its time zone.
    is_zoned: bool = False


def column_of(column: sa.Column[Any]) -> Column:
    """What SQLAlchemy's column holds."""
    kind = next((kind for types, kind in _KINDS if isinstance(column.type, types)), Kind.TEXT)
    scale = getattr(column.type, "scale", None) if kind is Kind.NUMERIC else None
    if scale is not None:
        return Column(column.name, Kind.FIXED, scale)
    return Column(column.name, kind, is_zoned=bool(getattr(column.type, "timezone", False)))


def agreed(column: Column, others: Iterable[Column]) -> Column:
    """The column as all databases can be asked for it: SQLite calls text what PostgreSQL knows more of."""
    return max([column, *others], key=lambda each: _RANKS[each.kind])


def check_key(columns: Iterable[Column]) -> None:
    """Refuse what rows cannot be known by.

    Raises:
        BadSetting: a column is of such a kind.
    """
    for column in columns:
        if column.kind not in _VALUES:
            raise BadSetting(
                f"{column.name} is part of the primary key: rows cannot be known by a {column.kind}",
                setting="tables",
            )


def value_of(column: Column, told: Any) -> Any:
    """The value of a key's column, from the way databases tell it."""
    return _VALUES[column.kind](column, told)


def _moment(column: Column, told: str) -> datetime:
    read = datetime.fromisoformat(told)
    return read.replace(tzinfo=UTC) if column.is_zoned else read


#: No floats: two databases seldom agree on the last digit of what a row is known by.
_VALUES: Final[dict[Kind, Callable[[Column, Any], Any]]] = {
    Kind.INTEGER: lambda _, told: int(told),
    Kind.BOOLEAN: lambda _, told: bool(int(told)),
    Kind.FIXED: lambda _, told: Decimal(told),
    Kind.NUMERIC: lambda _, told: Decimal(told),
    Kind.TEXT: lambda _, told: told,
    Kind.BYTES: lambda _, told: bytes.fromhex(told[1:]),
    Kind.MOMENT: _moment,
    Kind.DATE: lambda _, told: date.fromisoformat(told),
    Kind.UUID: lambda _, told: uuid.UUID(told),
}
