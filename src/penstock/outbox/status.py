"""How an outbox is doing, and putting back what was set aside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, literal_column, select, update

from penstock.outbox.table import SET_ASIDE, WAITING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from penstock.outbox.outbox import Outbox

__all__ = ["Failing", "Status", "put_back", "status_of"]

#: Failing rows that are told one by one.
SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """A row that could not be published when it was last tried."""

    id: str
    type: str
    attempts: int
    error: str
    is_set_aside: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How an outbox is doing."""

    waiting: int
    #: Seconds that the oldest has waited; 0 if none waits.
    lag: float
    set_aside: int
    relayed: int
    #: The first of those that failed, in the order of publishing.
    failing: tuple[Failing, ...] = ()


def status_of(connection: Connection, outbox: Outbox) -> Status:
    """How the outbox is doing now."""
    table = outbox.table.c
    is_waiting = table.relayed == literal_column(str(WAITING))
    waiting, oldest = connection.execute(
        select(func.count(), func.min(table.added_at)).where(is_waiting)
    ).one()
    relayed, set_aside = connection.execute(
        select(
            func.count().filter(table.relayed > WAITING), func.count().filter(table.relayed == SET_ASIDE)
        ).select_from(outbox.table)
    ).one()
    failing = connection.execute(
        select(table.id, table.type, table.attempts, table.error, table.relayed)
        .where(table.relayed <= WAITING, table.attempts > 0)
        .order_by(table.priority.desc(), table.sequence)
        .limit(SHOWN)
    ).all()
    return Status(
        waiting=waiting,
        lag=max(0.0, outbox.clock.now() - oldest) if waiting else 0.0,
        set_aside=set_aside,
        relayed=relayed,
        failing=tuple(
            Failing(id=id_, type=type_, attempts=attempts, error=error or "", is_set_aside=state == SET_ASIDE)
            for id_, type_, attempts, error, state in failing
        ),
    )


def put_back(connection: Connection, outbox: Outbox, ids: Sequence[str] = ()) -> int:
    """Let rows that were set aside wait again, as if they were new; all of them without ids."""
    table = outbox.table.c
    aside = update(outbox.table).where(table.relayed == SET_ASIDE)
    if ids:
        aside = aside.where(table.id.in_(ids))
    done = connection.execute(aside.values(relayed=WAITING, attempts=0, error=None))
    return done.rowcount
