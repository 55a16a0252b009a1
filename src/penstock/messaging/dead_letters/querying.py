"""What is asked of the table of dead letters, as statements. Pure: nothing is executed here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Integer, LargeBinary, and_, case, func, select, tuple_

from penstock.messaging.dead_letters.schema import letters

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Select

    from penstock.messaging.dead_letters.record import DeadLetter
    from penstock.messaging.dead_letters.selection import Selection

__all__ = ["conditions", "groups_of", "is_key", "page_of"]

#: The order of pages; no two dead letters are in the same place.
_ORDER: Final = (letters.c.last_failure, letters.c.consumer, letters.c.message_id)


def is_key(letter: DeadLetter) -> ColumnElement[bool]:
    """The row of this dead letter."""
    return and_(letters.c.consumer == letter.consumer, letters.c.message_id == letter.message_id)


def conditions(selection: Selection) -> list[ColumnElement[bool]]:
    """What a database can tell of a selection; the selector is not in it."""
    found = [
        letters.c[name] == value
        for name in ("consumer", "type", "group", "state")
        if (value := getattr(selection, name)) is not None
    ]
    if selection.message_ids:
        found.append(letters.c.message_id.in_(selection.message_ids))
    if selection.queues is not None:
        found.append(letters.c.queue.in_(selection.queues))
    return found


def page_of(
    selection: Selection,
    after: DeadLetter | None,
    limit: int,
    *,
    newest_first: bool = False,
    body_most: int | None = None,
) -> Select[Any]:
    """So many after the given one, by the time of their last failure; of bodies, so many bytes at most."""
    columns = letters.c if body_most is None else _cut(body_most)
    query = select(*columns).where(*conditions(selection)).limit(limit)
    place = tuple_(*_ORDER)
    query = query.order_by(*(column.desc() if newest_first else column for column in _ORDER))
    if after is None:
        return query
    here = tuple_(after.last_failure, after.consumer, after.message_id)
    return query.where(place < here if newest_first else place > here)


def _cut(most: int) -> list[ColumnElement[Any]]:
    """The columns, with the beginning of the body in its place, and with its length."""
    body = letters.c.body
    beginning = func.substr(body, 1, most, type_=LargeBinary).label("body")
    # A body that fits is whole, and has nothing more to say.
    whole = case((func.length(body) > most, func.length(body))).label("whole")
    return [*(column for column in letters.c if column is not body), beginning, whole]


def groups_of(selection: Selection) -> Select[Any]:
    """One row a group, as `Group` has it, the largest first."""
    # SQLite would give the text of the row with the greatest time by itself, PostgreSQL would not.
    latest = (
        func.row_number()
        .over(partition_by=letters.c.group, order_by=[column.desc() for column in _ORDER])
        .label("place")
    )
    chosen = select(letters, latest).where(*conditions(selection)).subquery()
    column = chosen.c
    is_latest = column.place == 1
    texts = [
        func.max(case((is_latest, column[name]))).label(name)
        for name in ("consumer", "type", "error_class", "error", "reason")
    ]
    returned = func.sum(case((column.redriven > 0, 1), else_=0), type_=Integer).label("returned")
    return (
        select(
            column.group,
            *texts,
            func.count().label("count"),
            func.min(column.first_failure).label("first_failure"),
            func.max(column.last_failure).label("last_failure"),
            returned,
        )
        .group_by(column.group)
        .order_by(func.count().desc(), column.group)
    )
