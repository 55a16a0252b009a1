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

from penstock.did.among import named_among, numbered_among
from penstock.did.database import fetched
from penstock.did.operation_queue.bodies import keep_bodies
from penstock.did.operation_queue.heartbeat import beat
from penstock.did.operation_queue.operation import Posted, decode_operation, encode_operation
from penstock.did.operation_queue.pending import entry_of
from penstock.did.operation_queue.tables import DETACHED, bodies, operations
from penstock.messaging.engine import INSERTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection

    from penstock.did.operation_queue.cuts import CutRecord
    from penstock.did.operation_queue.pending import Entry

__all__ = ["read_entries", "read_operations_of", "read_posted", "take", "waiting_among"]

#: What each has of its own in its row, and what all of a batch have in common.
_OWN: Final = ("id", "retries", "has_error")
_COLUMNS: Final = (*_OWN, "task", "added_at", "expires_at")

#: What a Posted is made of.
_WHOLE: Final = select(operations.c.id, bodies.c.body, operations.c.retries, operations.c.has_error).join(
    bodies, bodies.c.sequence == operations.c.sequence
)

_encode = msgspec.json.Encoder().encode


def take(
    connection: Connection, me: str, batch: Sequence[Posted], *, now: float, lifespan: float
) -> dict[str, int]:
    """Make them this instance's, as far as they are nobody else's.

    Args:
        me: The instance's task.
        batch: What was posted, each id once.
        now: Seconds since the epoch.
        lifespan: op-queue-operation-lifespan, in seconds.

    Returns:
        The sequences of those that wait here, by their ids.
    """
    # First, so that an entry is never without its task's.
    beat(connection, me, now)
    taken = _insert(connection, me, batch, now, now + lifespan)
    brought = [each for each in batch if each.id in taken]
    keep_bodies(connection, [(taken[each.id], encode_operation(each.operation)) for each in brought])
    # What was committed by one that broke off is found, too.
    return taken | _waiting(connection, me, [each.id for each in batch if each.id not in taken])


def waiting_among(connection: Connection, me: str, ids: Sequence[str]) -> list[Entry]:
    """Those of these operations that wait at this instance, whether or not it knows."""
    return read_entries(connection, _waiting(connection, me, ids))


def _waiting(connection: Connection, me: str, ids: Sequence[str]) -> dict[str, int]:
    """The sequences of those that wait here: nearly never is any asked for."""
    if not ids:
        return {}
    table = operations.c
    # By the ids alone: an index by task would lead through all that waits.
    found = select(table.id, table.sequence, table.task, table.cut).where(
        named_among(connection, table.id, ids, number=table.sequence)
    )
    rows = connection.execute(found).all()
    return {id_: sequence for id_, sequence, task, cut in rows if task == me and cut is None}


def read_posted(connection: Connection, ids: Iterable[str]) -> list[Posted]:
    """The operations with these ids that are there, in the order of the ids."""
    table = operations.c
    wanted = tuple(ids)
    named = _WHOLE.where(named_among(connection, table.id, wanted, number=table.sequence))
    return _posted(fetched(connection, named), wanted)


def read_entries(connection: Connection, ids: Iterable[str]) -> list[Entry]:
    """The same, as they waited."""
    wanted = list(ids)
    table = operations.c
    found = select(table.id, table.added_at, table.sequence).where(
        named_among(connection, table.id, wanted, number=table.sequence)
    )
    of_each = {id_: rest for id_, *rest in connection.execute(found)}
    return [entry_of(posted, *of_each[posted.id]) for posted in read_posted(connection, wanted)]


def read_operations_of(connection: Connection, cut: CutRecord) -> list[Posted]:
    """The operations of a cut that are there, in order, found by the numbers of their rows.

    A number may be another row's by now, and an operation may have come anew under another. So only rows of
    this very cut count, and unless they are all that it has, its ids lead to them.
    """
    table = operations.c
    if cut.sequences:
        numbered = numbered_among(connection, _WHOLE, table.sequence, cut.sequences)
        rows = fetched(connection, numbered.where(table.cut == cut.id))
        if len(found := _posted(rows, cut.operations)) == len(cut.operations):
            return found
    return read_posted(connection, cut.operations)


def _posted(rows: Sequence[Any], ids: tuple[str, ...]) -> list[Posted]:
    """Those with these ids, in their order."""
    # SQLite's driver has numbers for what is true or not.
    return [
        Posted(id_, decode_operation(body), retries, bool(has_error))
        for id_, body, retries, has_error in _in_order(rows, ids)
    ]


def _in_order(rows: Sequence[Any], ids: tuple[str, ...]) -> Sequence[Any]:
    """The rows with these ids, in their order; most often SQLite has found them in it."""
    if tuple([row[0] for row in rows]) == ids:
        return rows
    found = {row[0]: row for row in rows}
    return [found[each] for each in ids if each in found]


# The hot path, and thousands of rows at a time: SQLAlchemy would spend 20 µs on the parameters of each row,
# so all go in as one.


def _insert(connection: Connection, me: str, batch: Sequence[Posted], *times: float) -> dict[str, int]:
    """Insert their entries, or take over what is there; returns the sequences of both, by the ids."""
    listed = _LISTED[connection.dialect.name]([(each.id, each.retries, each.has_error) for each in batch])
    rows = select(*listed, literal(me), *map(literal, times))
    # Without a condition SQLite would take what follows for that of a join.
    insert = INSERTS[connection.dialect.name](operations).from_select(_COLUMNS, rows.where(true()))
    return dict(fetched(connection, _or_take_over(insert)))


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
