"""What buildings are at: an upgrade or work, with a beginning and an end.

The end is planned in the transaction of the beginning, under a key, so that it can be cancelled and moved.
The row is the truth: a job that comes for it twice, or after it was cancelled, finds none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, delete, select, update

from examples.keno.messages import Building
from examples.keno.rules import Span
from examples.keno.tables import UPGRADE, WORK, tasks
from penstock.errors import RequestRefused
from penstock.messaging.engine import INSERTS

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

    from examples.keno.game import Game

__all__ = ["QUEUE", "begin", "cancel", "finish", "move", "span_of"]

QUEUE: Final = "bg_building"
#: The job at the end of each kind.
ENDS: Final = {UPGRADE: "/building/finishUpgrade", WORK: "/building/finishWork"}


def begin(game: Game, connection: Connection, kind: str, building_id: int, seconds: float) -> None:
    """Have a building begin it.

    Raises:
        RequestRefused: it is at such a task already.
    """
    span = game.span(seconds)
    row = {"building_id": building_id, "kind": kind, **span._asdict()}
    insert = INSERTS[connection.dialect.name](tasks).values(row).on_conflict_do_nothing()
    if not connection.execute(insert).rowcount:
        raise RequestRefused(f"building {building_id} is at its {kind} already", status=409)
    _plan(game, connection, kind, building_id, span.ends_at)


def span_of(connection: Connection, kind: str, building_id: int) -> Span:
    """From when to when the task of a building takes.

    Raises:
        RequestRefused: it has none.
    """
    span = _maybe_span(connection, kind, building_id)
    if span is None:
        raise RequestRefused(f"building {building_id} has no {kind} under way", status=409)
    return span


def move(game: Game, connection: Connection, kind: str, building_id: int, span: Span) -> None:
    """Have it take from then to then."""
    connection.execute(update(tasks).where(_is(kind, building_id)).values(span._asdict()))
    _plan(game, connection, kind, building_id, span.ends_at)


def cancel(game: Game, connection: Connection, kind: str, building_id: int) -> None:
    """Have it not be finished.

    Raises:
        RequestRefused: there is none, or it is finished.
    """
    if not connection.execute(delete(tasks).where(_is(kind, building_id))).rowcount:
        raise RequestRefused(f"building {building_id} has no {kind} under way", status=409)
    game.cancel(connection, _key(kind, building_id))


def finish(game: Game, connection: Connection, kind: str, building_id: int) -> bool:
    """Whether it is at its end now; from the commit on, there is none."""
    is_due = and_(_is(kind, building_id), tasks.c.ends_at <= game.clock.now())
    if connection.execute(delete(tasks).where(is_due)).rowcount:
        return True
    span = _maybe_span(connection, kind, building_id)
    if span is not None:
        # The clock of whoever has put the job is ahead of ours, or it was moved when its job had left.
        _plan(game, connection, kind, building_id, span.ends_at)
    return False


def _plan(game: Game, connection: Connection, kind: str, building_id: int, ends_at: float) -> None:
    content = Building(building_id)
    game.plan(connection, _key(kind, building_id), QUEUE, ENDS[kind], content, ends_at)


def _key(kind: str, building_id: int) -> str:
    return f"building {building_id} {kind}"


def _is(kind: str, building_id: int) -> ColumnElement[bool]:
    return and_(tasks.c.building_id == building_id, tasks.c.kind == kind)


def _maybe_span(connection: Connection, kind: str, building_id: int) -> Span | None:
    found = select(tasks.c.started_at, tasks.c.ends_at).where(_is(kind, building_id))
    row = connection.execute(found).first()
    return None if row is None else Span(*row)
