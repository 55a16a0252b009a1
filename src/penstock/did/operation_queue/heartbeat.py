"""Tasks: each instance's entry in the database, which says that it lives; who is dead, hearing.py says.

Whoever takes operations, or looks after those of another, locks the entry first: an instance cannot be
declared dead while it takes more, and cannot take more under an entry that is being cleared away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, select, update

from penstock.did.operation_queue.cut_states import ACKED
from penstock.did.operation_queue.hearing import GONE
from penstock.did.operation_queue.tables import DETACHED, cuts, operations, tasks
from penstock.messaging.engine import INSERTS

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["beat", "last_words", "retire", "still_silent"]


def beat(connection: Connection, task: str, now: float) -> None:
    """The instance lives; its entry is there from now on, and locked until the transaction ends."""
    entry = INSERTS[connection.dialect.name](tasks).values(task=task, updated_at=now)
    connection.execute(entry.on_conflict_do_update(index_elements=[tasks.c.task], set_={"updated_at": now}))


def last_words(connection: Connection, me: str) -> dict[str, float]:
    """When each of the other instances spoke last, by its own clock; the longest silent first."""
    found = connection.execute(select(tasks).where(tasks.c.task != me).order_by(tasks.c.updated_at))
    return {row.task: row.updated_at for row in found}


def still_silent(connection: Connection, task: str, word: float) -> bool:
    """Whether that is still its last word; until the transaction ends nobody else can change it."""
    entry = select(tasks.c.updated_at).where(tasks.c.task == task).with_for_update()
    return connection.scalar(entry) == word


def retire(connection: Connection, task: str, now: float) -> int:
    """The instance leaves in good order: what waits there is nobody's at once; returns how many.

    That is no failure of theirs, and not counted as one. Its open cuts stay under its entry, which says
    that it is dead.
    """
    mine = (operations.c.task == task) & operations.c.cut.is_(None)
    left = connection.execute(update(operations).where(mine).values(task=DETACHED, claim=None, due_at=now))
    has_cuts = exists().where(cuts.c.task == task, cuts.c.state != ACKED)
    connection.execute(delete(tasks).where(tasks.c.task == task, ~has_cuts))
    connection.execute(update(tasks).where(tasks.c.task == task).values(updated_at=GONE))
    return left.rowcount
