"""Adding anchored operations, ten thousand at a time: a function of a database connection.

They go to the database as they are: a description of each on the way takes four times as long.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.did.operations.tables import did_operations
from penstock.errors import DidError
from penstock.sidetree.anchored import Anchored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sqlalchemy.engine import Connection

    Rows = list[tuple[Any, ...]]

__all__ = ["add_operations"]

_encode = msgspec.json.Encoder().encode

#: The columns, in the order of an Anchored's members.
MEMBERS: Final = Anchored.__struct_fields__
INSERT: Final = f"INSERT INTO {did_operations.name} ({', '.join(MEMBERS)})"


def add_operations(connection: Connection, operations: Iterable[Anchored]) -> None:
    """Keep anchored operations; those that are there already stay as they are.

    Raises:
        DidError: one of them is not anchored.
    """
    rows = [_row(operation) for operation in operations]
    if rows:
        _ADDING[connection.dialect.name](connection, rows)


def _row(operation: Anchored) -> tuple[Any, ...]:
    """Its members, by MEMBERS."""
    if not operation.published:
        raise DidError(f"an operation of {operation.suffix} is in no anchored batch, and so not history")
    return (
        operation.type,
        operation.suffix,
        operation.request,
        operation.time,
        operation.number,
        operation.protocol_version,
        operation.reference,
        _written(operation.equivalents),
        operation.previous,
        "null" if operation.anchor_origin is None else _encode(operation.anchor_origin).decode(),
        operation.verified,
    )


@lru_cache(maxsize=128)
def _written(equivalents: tuple[str, ...]) -> str:
    """As JSON; all operations of an anchor have the same."""
    return _encode(equivalents).decode()


def _add_to_sqlite(connection: Connection, rows: Rows) -> None:
    places = ", ".join("?" * len(MEMBERS))
    connection.exec_driver_sql(f"{INSERT} VALUES ({places}) ON CONFLICT DO NOTHING", rows)


def _add_to_postgresql(connection: Connection, rows: Rows) -> None:
    # A column is a parameter, however many rows there are.
    kinds = [did_operations.c[name].type.compile(connection.dialect) for name in MEMBERS]
    places = ", ".join(f"%s::{kind}[]" for kind in kinds)
    listed = f"SELECT * FROM unnest({places})"  # noqa: S608  of our own names
    columns = tuple(map(list, zip(*rows, strict=True)))
    connection.exec_driver_sql(f"{INSERT} {listed} ON CONFLICT DO NOTHING", columns)


_ADDING: Final[Mapping[str, Callable[[Connection, Rows], None]]] = {
    "sqlite": _add_to_sqlite,
    "postgresql": _add_to_postgresql,
}
