"""Permits in the database: each change compares what is there with what was seen.

So of two instances that take a permit over at once, one has it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import Column, Double, MetaData, String, Table, select, update

from penstock.did.tasks.permit import IDLE, RUNNING, Permit
from penstock.messaging.engine import INSERTS
from penstock.messaging.layout import Layout

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["TASKS", "finish", "permits", "read_permit", "refresh", "take_permit"]

permits: Final = Table(
    "penstock_task_permits",
    MetaData(),
    Column("task", String, primary_key=True),
    Column("holder", String, nullable=False),
    Column("status", String, nullable=False),
    Column("updated_at", Double, nullable=False),
)


TASKS: Final = Layout("tasks", permits.metadata)


def read_permit(connection: Connection, task: str) -> Permit | None:
    """The task's permit; None if nobody has ever had it."""
    table = permits.c
    row = connection.execute(
        select(table.holder, table.status, table.updated_at).where(table.task == task)
    ).first()
    return None if row is None else Permit(*row)


def take_permit(connection: Connection, task: str, seen: Permit | None, me: str, now: float) -> bool:
    """Have the permit, and run, if it is still as it was seen; whether it was."""
    mine = {"holder": me, "status": RUNNING, "updated_at": now}
    if seen is None:
        fresh = INSERTS[connection.dialect.name](permits).values(task=task, **mine).on_conflict_do_nothing()
        return connection.execute(fresh.returning(permits.c.task)).first() is not None
    table = permits.c
    as_seen = (
        table.task == task,
        table.holder == seen.holder,
        table.status == seen.status,
        table.updated_at == seen.updated_at,
    )
    return connection.execute(update(permits).where(*as_seen).values(**mine)).rowcount == 1


def refresh(connection: Connection, task: str, me: str, now: float) -> bool:
    """Say that the task still runs here; whether the permit is still this instance's."""
    return _say(connection, task, me, RUNNING, now)


def finish(connection: Connection, task: str, me: str, now: float) -> bool:
    """Say that the task has run here; whether the permit was still this instance's."""
    return _say(connection, task, me, IDLE, now)


def _say(connection: Connection, task: str, me: str, status: str, now: float) -> bool:
    mine = update(permits).where(permits.c.task == task, permits.c.holder == me)
    return connection.execute(mine.values(status=status, updated_at=now)).rowcount == 1
