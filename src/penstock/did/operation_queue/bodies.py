"""The bodies of operations in the database, each beside its entry: what the operation asks for.

An entry and its body come and go in one transaction, and the entry is always first: whoever changes a body
has locked its entry, so that two who try wait there, and never for each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import ARRAY, bindparam, delete, func, literal, select
from sqlalchemy.dialects import postgresql, sqlite

from penstock.did.among import among
from penstock.did.operation_queue.tables import bodies, operations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection

__all__ = ["delete_operations", "keep_bodies"]

_COLUMNS: Final = ("sequence", "body")


def keep_bodies(connection: Connection, rows: Sequence[tuple[int, bytes]]) -> None:
    """Keep the bodies of entries that are this transaction's, instead of those that are there.

    Args:
        rows: The sequence of the entry, and the body.
    """
    if rows:
        _INSERTS[connection.dialect.name](connection, rows)


def delete_operations(connection: Connection, *conditions: ColumnElement[bool]) -> int:
    """Delete the entries of which all this is true, and their bodies; returns how many."""
    these = delete(operations).where(*conditions).returning(operations.c.sequence)
    gone = connection.scalars(these).all()
    if gone:
        connection.execute(delete(bodies).where(among(connection, bodies.c.sequence, gone)))
    return len(gone)


# The hot path: SQLAlchemy would spend more on each row's parameters than SQLite needs for the row.


def _insert_rows(connection: Connection, rows: Sequence[tuple[int, bytes]]) -> None:
    """SQLite: the driver's own way, one row after another."""
    insert = sqlite.insert(bodies).values({name: bindparam(name) for name in _COLUMNS})
    compiled = _or_replace(insert).compile(dialect=connection.dialect)
    connection.exec_driver_sql(str(compiled), list(rows))


def _insert_arrays(connection: Connection, rows: Sequence[tuple[int, bytes]]) -> None:
    """PostgreSQL: an array for each column, all in one statement."""
    arrays = [
        literal(list(values), ARRAY(bodies.c[name].type))
        for name, values in zip(_COLUMNS, zip(*rows, strict=True), strict=True)
    ]
    listed = func.unnest(*arrays).table_valued(*_COLUMNS).render_derived()
    insert = postgresql.insert(bodies).from_select(_COLUMNS, select(*listed.c))
    connection.execute(_or_replace(insert))


def _or_replace(insert: Any) -> Any:
    return insert.on_conflict_do_update(
        index_elements=[bodies.c.sequence], set_={"body": insert.excluded.body}
    )


_INSERTS: Final = {"postgresql": _insert_arrays, "sqlite": _insert_rows}
