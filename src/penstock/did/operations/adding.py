"""Adding anchored operations, ten thousand at a time.

Rows are made first, and then added by a function of a database connection: others who write to SQLite wait
for that alone. They go to the database as they are: to describe each on the way takes four times as long.
"""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import msgspec
from sqlalchemy import insert

from penstock.did.operations.did_key import did_key
from penstock.did.operations.tables import did_batches, did_operations
from penstock.errors import DidError
from penstock.sidetree.anchored import Anchored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sqlalchemy.engine import Connection

__all__ = ["Batch", "add_operations", "add_rows", "rows_of"]


class Batch(NamedTuple):
    """What the operations of an anchor have in common."""

    time: int
    number: int
    protocol_version: int
    reference: str
    #: As JSON.
    equivalents: str


#: The key of its DID, and then what an Anchored has for itself, in its own order.
COLUMNS: Final = (
    "did_key",
    *(name for name in Anchored.__struct_fields__ if name not in Batch._fields),
)
#: A row for each operation, by COLUMNS.
Row: TypeAlias = tuple[Any, ...]
Rows: TypeAlias = dict[Batch, list[Row]]

_encode = msgspec.json.Encoder().encode


def add_operations(connection: Connection, operations: Iterable[Anchored]) -> None:
    """Keep anchored operations, none of which is there already.

    Raises:
        DidError: one of them is not anchored.
    """
    add_rows(connection, rows_of(operations))


def rows_of(operations: Iterable[Anchored]) -> Rows:
    """Operations as they are kept, in the order of their keys: neighbours in the index are added together.

    Raises:
        DidError: one of them is not anchored.
    """
    found: Rows = {}
    for each in operations:
        found.setdefault(_batch(each), []).append(_row(each))
    for of_one in found.values():
        of_one.sort(key=itemgetter(0))
    return found


def add_rows(connection: Connection, rows: Rows) -> None:
    """Keep operations, none of which is there already, as `rows_of` has made them."""
    for batch, of_one in rows.items():
        fresh = insert(did_batches).values(batch._asdict()).returning(did_batches.c.id)
        _ADDING[connection.dialect.name](connection, connection.execute(fresh).scalar_one(), of_one)


def _batch(operation: Anchored) -> Batch:
    if not operation.published:
        raise DidError(f"an operation of {operation.suffix} is in no anchored batch, and so not history")
    return Batch(
        operation.time,
        operation.number,
        operation.protocol_version,
        operation.reference,
        _written(operation.equivalents),
    )


def _row(operation: Anchored) -> Row:
    return (
        did_key(operation.suffix),
        operation.type,
        operation.suffix,
        operation.request,
        operation.previous,
        "null" if operation.anchor_origin is None else _encode(operation.anchor_origin).decode(),
        operation.verified,
    )


@lru_cache(maxsize=128)
def _written(equivalents: tuple[str, ...]) -> str:
    return _encode(equivalents).decode()


def _add_to_sqlite(connection: Connection, batch: int, rows: list[Row]) -> None:
    connection.exec_driver_sql(_insert(f"VALUES ({batch}, {', '.join('?' * len(COLUMNS))})"), rows)


def _add_to_postgresql(connection: Connection, batch: int, rows: list[Row]) -> None:
    # A column is a parameter, however many rows there are.
    kinds = [did_operations.c[name].type.compile(connection.dialect) for name in COLUMNS]
    places = ", ".join(f"%s::{kind}[]" for kind in kinds)
    listed = _insert(f"SELECT {batch}, * FROM unnest({places})")  # noqa: S608  of our own names
    connection.exec_driver_sql(listed, tuple(map(list, zip(*rows, strict=True))))


def _insert(values: str) -> str:
    return f"INSERT INTO {did_operations.name} (batch, {', '.join(COLUMNS)}) {values}"


_ADDING: Final[Mapping[str, Callable[[Connection, int, list[Row]], None]]] = {
    "sqlite": _add_to_sqlite,
    "postgresql": _add_to_postgresql,
}
