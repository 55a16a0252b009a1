"""A class's fields as Spark columns: the type of each, and how a value becomes one that Arrow takes.

What Spark has no type for, or what may be of several types, is a column of JSON: nothing is lost, and SQL
can look into it.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec import inspect
from pyspark.sql import types

from penstock.errors import BadSetting

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["KEPT", "Field", "fields_of"]

#: What is left as it is when an object is taken apart: Arrow has types for it.
KEPT: Final = (bytes, bytearray, memoryview, dt.datetime, dt.date, Decimal)

#: Types whose values need no change.
_PLAIN: Final[dict[type[inspect.Type], types.DataType]] = {
    inspect.BoolType: types.BooleanType(),
    inspect.IntType: types.LongType(),
    inspect.FloatType: types.DoubleType(),
    inspect.StrType: types.StringType(),
    inspect.BytesType: types.BinaryType(),
    inspect.ByteArrayType: types.BinaryType(),
    inspect.DateType: types.DateType(),
    inspect.UUIDType: types.StringType(),
    inspect.TimeType: types.StringType(),
    inspect.DecimalType: types.DecimalType(38, 18),
}
_LISTS: Final = (inspect.ListType, inspect.SetType, inspect.FrozenSetType, inspect.VarTupleType)
_OBJECTS: Final = (inspect.StructType, inspect.DataclassType, inspect.TypedDictType)


#: A type, and how a value becomes one that Arrow takes; None if it is one.
_Column = tuple[types.DataType, "Callable[[Any], Any] | None"]


@dataclass(frozen=True, slots=True)
class Field:
    """A column, and how it is filled; None if values fit as they are."""

    name: str
    kind: types.DataType
    convert: Callable[[Any], Any] | None = None
    #: Whether an object must have it.
    is_required: bool = True

    @property
    def is_json(self) -> bool:
        """Whether the column holds JSON, for want of a type."""
        return self.convert is _json


def fields_of(python_type: type[Any]) -> list[Field]:
    """The fields of a class, by the names they have in JSON.

    Raises:
        BadSetting: it has none that could be told.
    """
    if hasattr(python_type, "model_fields"):
        found = [
            _field(each.alias or name, _info(each.annotation), is_required=each.is_required())
            for name, each in python_type.model_fields.items()
        ]
    else:
        info = _info(python_type)
        found = _fields(info) if isinstance(info, _OBJECTS) else []
    if not found:
        raise BadSetting(
            f"schema_type: {python_type.__qualname__} is no struct, dataclass or model with fields",
            setting="schema_type",
        )
    return found


def _info(annotation: Any) -> inspect.Type:
    try:
        return inspect.type_info(annotation)
    except (TypeError, NameError):
        return inspect.AnyType()


def _fields(info: Any) -> list[Field]:
    return [_field(each.encode_name, each.type, is_required=each.required) for each in info.fields]


def _field(name: str, info: inspect.Type, *, is_required: bool) -> Field:
    kind, convert = _column(info)
    return Field(name, kind, convert, is_required)


def _column(info: inspect.Type) -> _Column:
    info = _without_none(info)
    if type(info) in _PLAIN:
        return _PLAIN[type(info)], None
    for is_one, made in _MADE:
        if is_one(info):
            column: _Column = made(info)
            return column
    return types.StringType(), _json


def _list(info: Any) -> _Column:
    kind, convert = _column(info.item_type)
    return types.ArrayType(kind), _each(convert)


def _map(info: Any) -> _Column:
    kind, convert = _column(info.value_type)
    return types.MapType(types.StringType(), kind), _pairs(convert)


#: Kinds of types that are put together, or whose values need a change.
_MADE: Final[tuple[tuple[Callable[[Any], bool], Callable[[Any], Any]], ...]] = (
    # Arrow would read a time without a zone as the machine's own.
    (lambda info: isinstance(info, inspect.DateTimeType), lambda _: (types.TimestampType(), _in_utc)),
    (
        lambda info: isinstance(info, inspect.EnumType | inspect.LiteralType),
        lambda _: (types.StringType(), str),
    ),
    (lambda info: isinstance(info, _LISTS), _list),
    (lambda info: isinstance(info, inspect.DictType) and isinstance(info.key_type, inspect.StrType), _map),
    (lambda info: isinstance(info, _OBJECTS) and bool(info.fields), lambda info: _object(_fields(info))),
)


def _without_none(info: inspect.Type) -> inspect.Type:
    while isinstance(info, inspect.Metadata):
        info = info.type
    if isinstance(info, inspect.UnionType):
        left = [each for each in info.types if not isinstance(each, inspect.NoneType)]
        return _without_none(left[0]) if len(left) == 1 else info
    return info


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _in_utc(value: Any) -> Any:
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC) if value.tzinfo is not None else value.replace(tzinfo=dt.UTC)
    return value


def _each(convert: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    if convert is None:
        return list
    return lambda values: [None if value is None else convert(value) for value in values]


def _pairs(convert: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    # Arrow takes a map as pairs.
    if convert is None:
        return lambda values: list(values.items())
    return lambda values: [(key, None if value is None else convert(value)) for key, value in values.items()]


def _object(fields: list[Field]) -> _Column:
    kind = types.StructType([types.StructField(field.name, field.kind) for field in fields])
    converted = [(field.name, field.convert) for field in fields if field.convert is not None]
    if not converted:
        return kind, None

    def convert(value: Any) -> Any:
        changed = dict(value)
        for name, how in converted:
            if changed.get(name) is not None:
                changed[name] = how(changed[name])
        return changed

    return kind, convert
