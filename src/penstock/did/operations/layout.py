"""The layout of DIDs' operations, and how those of older Penstocks become it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec import json
from sqlalchemy import Boolean, Column, MetaData, Table, Text, inspect, select

from penstock.did.operations.adding import add_operations
from penstock.did.operations.tables import did_batches, did_operations, look_over, metadata
from penstock.messaging.layout import Layout
from penstock.sidetree.anchored import Anchored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

__all__ = ["OPERATIONS"]

#: Operations that are brought on at a time.
PIECE: Final = 10_000
OLD: Final = "penstock_did_operations_old"


def _to_batches(connection: Connection) -> None:
    """The first two layouts told of the batch in each operation's row; only the second's rows had numbers."""
    before = {each["name"] for each in inspect(connection).get_columns(did_operations.name)}
    for index in inspect(connection).get_indexes(did_operations.name):
        connection.exec_driver_sql(f"DROP INDEX {index['name']}")
    connection.exec_driver_sql(f"ALTER TABLE {did_operations.name} RENAME TO {OLD}")
    did_batches.create(connection)
    did_operations.create(connection)
    old = Table(OLD, MetaData(), *(Column(name, _TYPES.get(name, Text())) for name in _COLUMNS), Column("id"))
    # In this order an anchor's are together.
    whole = select(*(old.c[name] for name in _COLUMNS)).order_by(
        old.c["id" if "id" in before else "reference"]
    )
    with connection.execute(whole, execution_options={"yield_per": PIECE}) as found:
        for rows in found.mappings().partitions():
            add_operations(connection, map(_anchored, rows))
    old.drop(connection)
    look_over(connection)


def _anchored(row: Mapping[Any, Any]) -> Anchored:
    read = {name: json.decode(row[name]) for name in ("equivalents", "anchor_origin")}
    return Anchored(**{**row, **read, "equivalents": tuple(read["equivalents"])})


_COLUMNS: Final = Anchored.__struct_fields__
_TYPES: Final = {"verified": Boolean()}


def _as_it_is(_connection: Connection) -> None:
    """What the second layout changed in the first is done with the rest of it."""


OPERATIONS: Final = Layout("operations", metadata, steps=[_as_it_is, _to_batches])
