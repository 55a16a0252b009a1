"""Adding anchored operations, ten thousand at a time.

Rows are made first, and then added by a function of a database connection: others who write to SQLite wait
for that alone. They go to the database as they are: to describe each on the way takes four times as long.
"""

from __future__ import annotations

from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.did.operations.did_key import did_key
from penstock.did.operations.tables import did_operations
from penstock.errors import DidError
from penstock.sidetree.anchored import Anchored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sqlalchemy.engine import Connection

    #: By COLUMNS.
    Rows = list[tuple[Any, ...]]

__all__ = ["add_operations", "add_rows", "rows_of"]

_encode = msgspec.json.Encoder().encode

#: The key of its DID, and then the members of an Anchored, in their order.
COLUMNS: Final = ("did_key", *Anchored.__struct_fields__)
INSERT: Final = f"INSERT INTO {did_operations.name} ({', '.join(COLUMNS)})"


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
    return sorted(map(_row, operations), key=itemgetter(0))


def add_rows(connection: Connection, rows: Rows) -> None:
    """Keep operations, none of which is there already, as `rows_of` has made them."""
    if rows:
        _ADDING[connection.dialect.name](connection, rows)


def _row(operation: Anchored) -> tuple[Any, ...]:
    if not operation.published:
        raise DidError(f"an operation of {operation.suffix} is in no anchored batch, and so not history")
    return (
        did_key(operation.suffix),
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
    connection.exec_driver_sql(f"{INSERT} VALUES ({', '.join('?' * len(COLUMNS))})", rows)


def _add_to_postgresql(connection: Connection, rows: Rows) -> None:
    # A column is a parameter, however many rows there are.
    kinds = [did_operations.c[name].type.compile(connection.dialect) for name in COLUMNS]
    places = ", ".join(f"%s::{kind}[]" for kind in kinds)
    listed = f"SELECT * FROM unnest({places})"  # noqa: S608  of our own names
    connection.exec_driver_sql(f"{INSERT} {listed}", tuple(map(list, zip(*rows, strict=True))))


_ADDING: Final[Mapping[str, Callable[[Connection, Rows], None]]] = {
    "sqlite": _add_to_sqlite,
    "postgresql": _add_to_postgresql,
}
