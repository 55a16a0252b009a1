"""Detached operations in the database: nobody's, and to be posted anew.

Whoever detaches some claims them in the same breath, posts them, and deletes those that the broker has
confirmed. If it dies on the way, or the broker is away, they are still here, and the monitor posts them when
the claim has run out. A message that comes back before its entry is deleted takes the entry over (taking.py),
and then there is nothing of that claim to delete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import or_, select, update

from penstock.did.among import among
from penstock.did.operation_queue.bodies import delete_operations
from penstock.did.operation_queue.operation import Posted, decode_operation
from penstock.did.operation_queue.tables import DETACHED, bodies, held_by, operations

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.engine import Connection

__all__ = [
    "CLAIM_S",
    "REFUSED",
    "Claimed",
    "claim_due",
    "claimed_page",
    "delete_posted",
    "detach_waiting",
    "detached_values",
    "release_claim",
]

#: Seconds that whoever detached operations has to post them: far more than it takes.
CLAIM_S: Final = 60.0
#: The retries of an operation that must not be tried again: more than any limit.
REFUSED: Final = 2**31 - 1


class Claimed(NamedTuple):
    """A detached operation, and why it is."""

    posted: Posted
    error: str
    added_at: float


def detached_values(claim: str, now: float, *, error: str, is_refused: bool = False) -> dict[str, Any]:
    """What changes in an entry that is detached: it is posted anew once more, or never again."""
    return {
        "task": DETACHED,
        "cut": None,
        "claim": claim,
        "due_at": now + CLAIM_S,
        "retries": REFUSED if is_refused else operations.c.retries + 1,
        "error": error,
    }


def detach_waiting(
    connection: Connection, task: str, *, claim: str, now: float, error: str, limit: int | None
) -> bool:
    """Detach what waits at a dead instance, the first first; returns whether that was all.

    Args:
        limit: At most so many; None is all.
    """
    table = operations.c
    waiting = select(table.sequence).where(table.task == task, table.cut.is_(None))
    # One more than are taken shows whether there are more.
    found = list(
        connection.scalars(waiting.order_by(table.sequence).limit(None if limit is None else limit + 1))
    )
    these = among(connection, table.sequence, found[:limit]) & (held_by == task) & table.cut.is_(None)
    values = detached_values(claim, now, error=error)
    connection.execute(update(operations).where(these).values(**values))
    return limit is None or len(found) <= limit


def claim_due(connection: Connection, claim: str, now: float) -> int:
    """Claim all that are detached and claimed by nobody any more; returns how many."""
    table = operations.c
    # No claim lasts so long: whoever made it had another idea of the time.
    is_due = or_(table.due_at.is_(None), table.due_at <= now, table.due_at > now + 2 * CLAIM_S)
    due = (table.task == DETACHED) & table.cut.is_(None) & is_due
    claimed = update(operations).where(due).values(claim=claim, due_at=now + CLAIM_S)
    return connection.execute(claimed).rowcount


def claimed_page(connection: Connection, claim: str, limit: int) -> list[Claimed]:
    """The first of those that are claimed so."""
    table = operations.c
    wanted = (table.id, bodies.c.body, table.retries, table.has_error, table.error, table.added_at)
    whole = select(*wanted).join(bodies, bodies.c.sequence == table.sequence)
    page = whole.where(*_claimed(claim)).order_by(table.sequence).limit(limit)
    return [
        Claimed(
            Posted(row.id, decode_operation(row.body), row.retries, bool(row.has_error)),
            row.error or "",
            row.added_at,
        )
        for row in connection.execute(page)
    ]


def delete_posted(connection: Connection, claim: str, ids: Collection[str]) -> None:
    """The broker has them."""
    these = among(connection, operations.c.id, ids)
    still = (held_by == DETACHED) & operations.c.cut.is_(None) & (operations.c.claim == claim)
    delete_operations(connection, these, still)


def release_claim(connection: Connection, claim: str, now: float) -> None:
    """What is left is anybody's."""
    left = update(operations).where(*_claimed(claim))
    connection.execute(left.values(claim=None, due_at=now))


def _claimed(claim: str) -> tuple[Any, ...]:
    table = operations.c
    return (table.task == DETACHED, table.cut.is_(None), table.claim == claim)
