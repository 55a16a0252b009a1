"""Taking operations into the database: what arrived in messages becomes this instance's, each once.

An operation that is there already is left where it is, unless the message is a later posting than the entry:
then whoever has the entry has lost it (it was posted anew from there), and it is ours. A detached entry is
about to be posted, or was posted a moment ago: its message has come, so it is ours as well. What is in a cut,
or was, is never taken again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import ARRAY, and_, bindparam, func, literal, literal_column, null, or_, select
from sqlalchemy.dialects import postgresql, sqlite

from penstock.did.among import named_among
from penstock.did.operation_queue.heartbeat import beat
from penstock.did.operation_queue.operation import Posted, decode_operation, encode_operation
from penstock.did.operation_queue.pending import entry_of
from penstock.did.operation_queue.tables import DETACHED, operations

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection

    from penstock.did.operation_queue.pending import Entry

__all__ = ["read_entries", "read_posted", "take"]

#: What a later posting brings along.
_BROUGHT: Final = ("task", "retries", "has_error", "added_at", "expires_at", "body")
#: What a row is made of, in this order.
_COLUMNS: Final = ("id", *_BROUGHT)


def take(
    connection: Connection, me: str, batch: Sequence[Posted], *, now: float, lifespan: float
) -> set[str]:
    """Make them this instance's, as far as they are nobody else's; returns the ids of those that wait here.

    Args:
        me: The instance's task.
        batch: What was posted, each id once.
        now: Seconds since the epoch.
        lifespan: op-queue-operation-lifespan, in seconds.
    """
    # First, so that an entry is never without its task's.
    beat(connection, me, now)
    insert = _INSERTS[connection.dialect.name]
    insert(connection, [_row(posted, me, now, lifespan) for posted in batch])
    table = operations.c
    # Asked, not returned by the statement above: what was committed by one that broke off is found, too.
    # By the ids alone: an index by task would lead through all that waits.
    found = select(table.id, table.task, table.cut).where(
        named_among(connection, table.id, [posted.id for posted in batch], number=table.sequence)
    )
    return {id_ for id_, task, cut in connection.execute(found).all() if task == me and cut is None}


def read_posted(connection: Connection, ids: Iterable[str]) -> list[Posted]:
    """The operations with these ids that are there, in the order of the ids."""
    table = operations.c
    wanted = list(ids)
    rows = connection.execute(
        select(table.id, table.body, table.retries, table.has_error).where(
            named_among(connection, table.id, wanted, number=table.sequence), table.body.is_not(None)
        )
    ).all()
    found = {
        id_: Posted(id_, decode_operation(body), retries, has_error) for id_, body, retries, has_error in rows
    }
    return [found[each] for each in wanted if each in found]


def read_entries(connection: Connection, ids: Iterable[str]) -> list[Entry]:
    """The same, as they waited."""
    wanted = list(ids)
    found = select(operations.c.id, operations.c.added_at).where(
        named_among(connection, operations.c.id, wanted, number=operations.c.sequence)
    )
    added_at = {row.id: row.added_at for row in connection.execute(found)}
    return [entry_of(posted, added_at[posted.id]) for posted in read_posted(connection, wanted)]


# The hot path: SQLAlchemy would spend 20 µs on each row's parameters, twice what SQLite needs for the row.


def _insert_rows(connection: Connection, rows: list[tuple[Any, ...]]) -> None:
    """SQLite: the driver's own way, one row after another."""
    insert = sqlite.insert(operations).values({name: bindparam(name) for name in _COLUMNS})
    compiled = _or_take_over(insert).compile(dialect=connection.dialect)
    connection.exec_driver_sql(str(compiled), rows)


def _insert_arrays(connection: Connection, rows: list[tuple[Any, ...]]) -> None:
    """PostgreSQL: an array for each column, all in one statement."""
    table = operations.c
    arrays = [
        literal(list(values), ARRAY(table[name].type))
        for name, values in zip(_COLUMNS, zip(*rows, strict=True), strict=True)
    ]
    listed = func.unnest(*arrays).table_valued(*_COLUMNS).render_derived()
    insert = postgresql.insert(operations).from_select(
        _COLUMNS, select(*(listed.c[name] for name in _COLUMNS))
    )
    connection.execute(_or_take_over(insert))


def _or_take_over(insert: Any) -> Any:
    """Have the insert take an entry over that is there, where it may."""
    kept, new = operations.c, insert.excluded
    is_detached = kept.task == literal_column(f"'{DETACHED}'")
    return insert.on_conflict_do_update(
        index_elements=[kept.id],
        set_={name: new[name] for name in _BROUGHT} | {"claim": null(), "due_at": null(), "error": null()},
        where=and_(
            kept.cut.is_(None),
            or_(new.retries > kept.retries, and_(is_detached, new.retries == kept.retries)),
        ),
    )


def _row(posted: Posted, me: str, now: float, lifespan: float) -> tuple[Any, ...]:
    body = encode_operation(posted.operation)
    return posted.id, me, posted.retries, posted.has_error, now, now + lifespan, body


_INSERTS: Final = {"postgresql": _insert_arrays, "sqlite": _insert_rows}
