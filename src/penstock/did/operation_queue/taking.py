"""Taking operations into the database: what arrived in messages becomes this instance's, each once.

An operation that is there already is left where it is, unless the message is a later posting than the entry:
then whoever has the entry has lost it (it was posted anew from there), and it is ours. A detached entry is
about to be posted, or was posted a moment ago: its message has come, so it is ours as well. What is in a cut,
or was, is never taken again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import ARRAY, and_, func, literal, literal_column, null, or_, select, true

from penstock.did.among import named_among
from penstock.did.operation_queue.bodies import keep_bodies
from penstock.did.operation_queue.heartbeat import beat
from penstock.did.operation_queue.operation import Posted, decode_operation, encode_operation
from penstock.did.operation_queue.pending import entry_of
from penstock.did.operation_queue.tables import DETACHED, bodies, operations
from penstock.messaging.engine import INSERTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement, Executable
    from sqlalchemy.engine import Connection

    from penstock.did.operation_queue.pending import Entry

__all__ = ["read_entries", "read_posted", "take"]

#: What each has of its own in its row, and what all of a batch have in common.
_OWN: Final = ("id", "retries", "has_error")
_COLUMNS: Final = (*_OWN, "task", "added_at", "expires_at")

_encode = msgspec.json.Encoder().encode


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
    taken = _insert(connection, me, batch, now, now + lifespan)
    brought = [each for each in batch if each.id in taken]
    keep_bodies(connection, [(taken[each.id], encode_operation(each.operation)) for each in brought])
    # What was committed by one that broke off is found, too.
    return {*taken, *_waiting(connection, me, [each.id for each in batch if each.id not in taken])}


def _waiting(connection: Connection, me: str, ids: Sequence[str]) -> Iterable[str]:
    """The ids of those that wait here: nearly never is any asked for."""
    if not ids:
        return ()
    table = operations.c
    # By the ids alone: an index by task would lead through all that waits.
    found = select(table.id, table.task, table.cut).where(
        named_among(connection, table.id, ids, number=table.sequence)
    )
    return [id_ for id_, task, cut in connection.execute(found).all() if task == me and cut is None]


def read_posted(connection: Connection, ids: Iterable[str]) -> list[Posted]:
    """The operations with these ids that are there, in the order of the ids."""
    table = operations.c
    wanted = list(ids)
    rows = _fetched(
        connection,
        select(table.id, bodies.c.body, table.retries, table.has_error)
        .join(bodies, bodies.c.sequence == table.sequence)
        .where(named_among(connection, table.id, wanted, number=table.sequence)),
    )
    # SQLite's driver has numbers for what is true or not.
    found = {
        id_: Posted(id_, decode_operation(body), retries, bool(has_error))
        for id_, body, retries, has_error in rows
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


# The hot path, and thousands of rows at a time. SQLAlchemy would spend 20 µs on the parameters of each row,
# so all go in as one; and 2 µs on each that comes out, a fifth of what reading an operation takes.


def _fetched(connection: Connection, statement: Executable) -> Sequence[Any]:
    """All rows, as the driver has them."""
    result: Any = connection.execute(statement)
    found: Sequence[Any] = result.cursor.fetchall()
    return found


def _insert(connection: Connection, me: str, batch: Sequence[Posted], *times: float) -> dict[str, int]:
    """Insert their entries, or take over what is there; returns the sequences of both, by the ids."""
    listed = _LISTED[connection.dialect.name]([(each.id, each.retries, each.has_error) for each in batch])
    rows = select(*listed, literal(me), *map(literal, times))
    # Without a condition SQLite would take what follows for that of a join.
    insert = INSERTS[connection.dialect.name](operations).from_select(_COLUMNS, rows.where(true()))
    return dict(_fetched(connection, _or_take_over(insert)))


def _json(rows: Sequence[tuple[str, int, bool]]) -> Iterable[ColumnElement[Any]]:
    """SQLite: a list of lists."""
    row = func.json_each(_encode(rows).decode()).table_valued("value").c.value
    return [func.json_extract(row, f"$[{number}]") for number in range(3)]


def _arrays(rows: Sequence[tuple[str, int, bool]]) -> Iterable[ColumnElement[Any]]:
    """PostgreSQL: an array for each column."""
    arrays = [
        literal(list(values), ARRAY(operations.c[name].type))
        for name, values in zip(_OWN, zip(*rows, strict=True), strict=True)
    ]
    return func.unnest(*arrays).table_valued(*_OWN).render_derived().c


def _or_take_over(insert: Any) -> Any:
    """Have the insert take an entry over that is there, where it may."""
    kept, new = operations.c, insert.excluded
    is_detached = kept.task == literal_column(f"'{DETACHED}'")
    taken_over = insert.on_conflict_do_update(
        index_elements=[kept.id],
        set_={name: new[name] for name in _COLUMNS[1:]} | dict.fromkeys(("claim", "due_at", "error"), null()),
        where=and_(
            kept.cut.is_(None),
            or_(new.retries > kept.retries, and_(is_detached, new.retries == kept.retries)),
        ),
    )
    return taken_over.returning(kept.id, kept.sequence)


_LISTED: Final = {"postgresql": _arrays, "sqlite": _json}
