"""The columns of a table and of what is to be written into it: do they fit, and what is new?

Delta writes schemas as Spark does, as JSON; that is what is compared here. Pure: knows neither Spark nor
files.

- A column that the table has not got is added, and is null in the rows before.
- A column that is missing is null in the new rows.
- A narrower number is widened to what the table has.
- Anything else is one clear error, before anything is written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import ColumnsChanged, TableError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Fit", "fit", "nullable", "type_name"]

Schema = dict[str, Any]

#: What a type may be widened to when it is written.
_WIDER: Final[Mapping[str, frozenset[str]]] = {
    "byte": frozenset({"short", "integer", "long"}),
    "short": frozenset({"integer", "long"}),
    "integer": frozenset({"long"}),
    "float": frozenset({"double"}),
}
#: What Delta can keep, beside lists, maps and structures of it.
_KEPT: Final = frozenset(
    {
        *("string", "binary", "boolean", "date", "timestamp", "timestamp_ntz"),
        *("byte", "short", "integer", "long", "float", "double"),
    }
)


@dataclass(frozen=True, slots=True)
class Fit:
    """How rows fit into a table."""

    #: Columns that the table has to get first.
    added: tuple[Schema, ...]
    #: The table's columns with those, as it is after that.
    table: Schema


def nullable(kind: Any) -> Any:
    """A type, or a schema, in which everything may be null: a stream's promises end with the stream."""
    match kind:
        case {"type": "struct", "fields": fields}:
            columns = [{**field, "type": nullable(field["type"]), "nullable": True} for field in fields]
            return {"type": "struct", "fields": columns}
        case {"type": "array", "elementType": element}:
            return {"type": "array", "elementType": nullable(element), "containsNull": True}
        case {"type": "map", "keyType": key, "valueType": value}:
            return {
                "type": "map",
                "keyType": nullable(key),
                "valueType": nullable(value),
                "valueContainsNull": True,
            }
        case _:
            return kind


def fit(
    rows: Schema, table: Schema | None, *, partitions: Sequence[str], table_partitions: Sequence[str] = ()
) -> Fit:
    """How rows fit into a table; None is a table that is yet to be made.

    Raises:
        ColumnsChanged: they do not, and in which columns. TableError: a type that Delta has not got, a
            partition's column that is not there, or a table that is cut up
            otherwise.
    """
    columns = {field["name"]: field for field in nullable(rows)["fields"]}
    _check_names(columns)
    if strange := [
        f"{name} {type_name(field['type'])}" for name, field in columns.items() if not _is_kept(field["type"])
    ]:
        raise TableError(f"Delta cannot keep {', '.join(strange)}: convert it, to text for one")
    if missing := [name for name in partitions if name not in columns]:
        raise TableError(f"no column {', '.join(missing)} to partition by; there are {', '.join(columns)}")
    if table is None:
        return Fit((), nullable(rows))
    if partitions and list(partitions) != list(table_partitions):
        raise TableError(
            f"the table is partitioned by {_named(table_partitions)}, not by {_named(partitions)}:"
            " that cannot be changed, write another table"
        )
    if missing := [name for name in table_partitions if name not in columns]:
        raise ColumnsChanged(
            f"the table is partitioned by {', '.join(missing)}, which the rows no longer have"
        )
    known = {field["name"]: field for field in nullable(table)["fields"]}
    _check_names([*known, *(name for name in columns if name not in known)])
    if conflicts := list(_conflicts(columns, known)):
        raise ColumnsChanged(
            f"{'; '.join(conflicts)}: give the new column another name, convert it to what the"
            " table has, or write another table"
        )
    added = tuple(field for name, field in columns.items() if name not in known)
    return Fit(added, {"type": "struct", "fields": [*known.values(), *added]})


def type_name(kind: Any) -> str:
    """A type in a few words."""
    match kind:
        case {"type": "struct", "fields": fields}:
            inside = ", ".join(f"{field['name']} {type_name(field['type'])}" for field in fields)
            return f"struct<{inside}>"
        case {"type": "array", "elementType": element}:
            return f"array<{type_name(element)}>"
        case {"type": "map", "keyType": key, "valueType": value}:
            return f"map<{type_name(key)}, {type_name(value)}>"
        case _:
            return str(kind)


def _conflicts(columns: Mapping[str, Schema], known: Mapping[str, Schema]) -> list[str]:
    return [
        f"column {name} is {type_name(field['type'])}, and {type_name(known[name]['type'])} in the table"
        for name, field in columns.items()
        if name in known and not _fits(field["type"], known[name]["type"])
    ]


def _is_kept(kind: Any) -> bool:
    match kind:
        case {"type": "struct", "fields": fields}:
            return all(_is_kept(field["type"]) for field in fields)
        case {"type": "array", "elementType": element}:
            return _is_kept(element)
        case {"type": "map", "keyType": key, "valueType": value}:
            return _is_kept(key) and _is_kept(value)
        case _:
            return kind in _KEPT or str(kind).startswith("decimal(")


def _fits(given: Any, wanted: Any) -> bool:
    return given == wanted or (isinstance(given, str) and wanted in _WIDER.get(given, ()))


def _check_names(names: Mapping[str, Any] | Sequence[str]) -> None:
    """Spark does not tell Id from id when it reads them."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise ColumnsChanged(
                f"columns {other} and {name} differ in case only, which Spark does not tell apart"
            )


def _named(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"
