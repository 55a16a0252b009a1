"""Operations that are in no batch yet, for those who look: a function of a connection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from penstock.did.operation_queue.tables import DETACHED, operations

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["WaitingOperations", "waiting_operations"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingOperations:
    """How many there are."""

    #: At an instance, for a batch to be cut.
    waiting: int
    #: Since when the first of these waits.
    oldest_at: float | None
    #: At nobody: they are about to be posted anew. And why, as far as the last of them knows.
    detached: int
    last_error: str | None


def waiting_operations(connection: Connection) -> WaitingOperations:
    """What waits, found by the index that holds nothing else."""
    table = operations.c
    by_task = select(table.task, func.count(), func.min(table.sequence), func.max(table.sequence))
    found = connection.execute(by_task.where(table.cut.is_(None)).group_by(table.task)).all()
    counts = {task: count for task, count, _, _ in found}
    detached = counts.pop(DETACHED, 0)
    first = min((first for task, _, first, _ in found if task != DETACHED), default=None)
    last = next((last for task, _, _, last in found if task == DETACHED), None)
    return WaitingOperations(
        waiting=sum(counts.values()),
        oldest_at=connection.scalar(select(table.added_at).where(table.sequence == first)),
        detached=detached,
        last_error=connection.scalar(select(table.error).where(table.sequence == last)),
    )
