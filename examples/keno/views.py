"""What clients are told of buildings and fleets: a reply is the state of what was asked about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct
from sqlalchemy import and_, select

from examples.keno.rules import upgrade_ore, upgrade_seconds
from examples.keno.tables import UPGRADE, WORK, buildings, fleets, planets, stars, tasks

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

__all__ = ["BuildingView", "FleetView", "TaskView", "building_views", "fleet_views"]


class TaskView(Struct, frozen=True):
    """An upgrade or work, under way."""

    started_at: float
    ends_at: float


class BuildingView(Struct, frozen=True, kw_only=True):
    """A building, what its next level takes, and what it is at."""

    building_id: int
    body_id: int
    kind: str
    level: int
    cost: int
    seconds: float
    upgrade: TaskView | None
    work: TaskView | None
    #: The planet's, after whatever was asked.
    ore: int


class FleetView(Struct, frozen=True, kw_only=True):
    """A fleet, and where it is on its way."""

    fleet_id: int
    empire_id: int
    ships: int
    state: str
    body_id: int
    body: str
    x: int
    y: int
    to_body_id: int | None
    to_body: str | None
    to_x: int | None
    to_y: int | None
    started_at: float | None
    ends_at: float | None


def building_views(
    connection: Connection, which: ColumnElement[bool], pace: float = 1.0
) -> list[BuildingView]:
    """The buildings of which that is true."""
    upgrade, work = tasks.alias(), tasks.alias()
    found = (
        select(
            buildings,
            planets.c.ore,
            upgrade.c.started_at,
            upgrade.c.ends_at,
            work.c.started_at,
            work.c.ends_at,
        )
        .join(planets, buildings.c.planet_id == planets.c.id)
        .outerjoin(upgrade, and_(upgrade.c.building_id == buildings.c.id, upgrade.c.kind == UPGRADE))
        .outerjoin(work, and_(work.c.building_id == buildings.c.id, work.c.kind == WORK))
        .where(which)
        .order_by(buildings.c.id)
    )
    return [_building(*row, pace=pace) for row in connection.execute(found)]


def _building(
    building_id: int, body_id: int, kind: str, level: int, ore: int, *times: float | None, pace: float
) -> BuildingView:
    return BuildingView(
        building_id=building_id,
        body_id=body_id,
        kind=kind,
        level=level,
        cost=upgrade_ore(level),
        seconds=upgrade_seconds(level) / pace,
        upgrade=_task(*times[:2]),
        work=_task(*times[2:]),
        ore=ore,
    )


def _task(started_at: float | None, ends_at: float | None) -> TaskView | None:
    return None if started_at is None or ends_at is None else TaskView(started_at, ends_at)


def fleet_views(connection: Connection, which: ColumnElement[bool]) -> list[FleetView]:
    """The fleets of which that is true."""
    here, there, sun, far_sun = planets.alias(), planets.alias(), stars.alias(), stars.alias()
    found = (
        select(
            fleets.c.id.label("fleet_id"),
            fleets.c.empire_id,
            fleets.c.ships,
            fleets.c.state,
            fleets.c.started_at,
            fleets.c.ends_at,
            here.c.id.label("body_id"),
            here.c.name.label("body"),
            sun.c.x,
            sun.c.y,
            there.c.id.label("to_body_id"),
            there.c.name.label("to_body"),
            far_sun.c.x.label("to_x"),
            far_sun.c.y.label("to_y"),
        )
        .join(here, fleets.c.planet_id == here.c.id)
        .join(sun, here.c.star_id == sun.c.id)
        .outerjoin(there, fleets.c.to_planet_id == there.c.id)
        .outerjoin(far_sun, there.c.star_id == far_sun.c.id)
        .where(which)
        .order_by(fleets.c.id)
    )
    rows: list[dict[str, Any]] = [dict(row) for row in connection.execute(found).mappings()]
    return [FleetView(**row) for row in rows]
