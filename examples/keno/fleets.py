"""Fleets: the jobs of bg_fleet. They are built at a planet, fly to another, and turn round when called back.

As with buildings, the end is planned with the beginning, the row is the truth, and what has ended is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import insert, select, update

from examples.keno.game import FLEET_CHANNEL, routed
from examples.keno.messages import Construction, Fleet, Flight
from examples.keno.planets import maybe_place, pay
from examples.keno.rules import (
    SHIP_ORE,
    SHIPYARD,
    Span,
    construction_seconds,
    flight_seconds,
    turned_round,
)
from examples.keno.star_map import tell_changed
from examples.keno.tables import BUILDING, DOCKED, FLYING, buildings, fleets, planets
from examples.keno.views import FleetView, fleet_views
from penstock.errors import PersistentError, RequestRefused
from penstock.workers import Job  # noqa: TC001  a route reads the annotation of its handler

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, Row

    from examples.keno.game import Game
    from penstock.workers import Routes

__all__ = ["Fleets"]

QUEUE: Final = "bg_fleet"
#: The job at the end of each, and what is told then.
ENDS: Final = {BUILDING: "/fleet/finishConstruction", FLYING: "/fleet/arrives"}
TOLD: Final = {BUILDING: "/fleet/constructed", FLYING: "/fleet/arrived"}
#: What a fleet is like that is at nothing.
IDLE: Final = {"state": DOCKED, "to_planet_id": None, "started_at": None, "ends_at": None}

_c: Final = fleets.c


class Fleets:
    """Does the jobs of bg_fleet."""

    def __init__(self, game: Game) -> None:
        self._game = game

    @property
    def routes(self) -> Routes:
        """Who does what."""
        return routed(
            QUEUE,
            {
                "/fleet/construct": self.construct,
                "/fleet/send": self.send,
                "/fleet/recall": self.recall,
                "/fleet/finishConstruction": self.finish_construction,
                "/fleet/arrives": self.arrives,
                # Keno Antigen calls the job by the one name, and its message by the other.
                "/fleet/arrive": self.arrives,
            },
        )

    # What clients ask for

    def construct(self, job: Job[Construction]) -> FleetView:
        """Begin to build a fleet at a planet with a shipyard."""
        game, content = self._game, job.content
        with game.begin() as connection:
            empire_id, level = _shipyard(connection, job)
            if game.is_new(connection, job):
                pay(connection, content.body_id, content.ships * SHIP_ORE)
                span = game.span(construction_seconds(content.ships, level))
                row = {"empire_id": empire_id, "planet_id": content.body_id, "ships": content.ships}
                fleet = insert(fleets).values(**row, state=BUILDING, asked_by=job.id, **span._asdict())
                fleet_id = connection.execute(fleet.returning(_c.id)).scalar_one()
                _plan(game, connection, BUILDING, fleet_id, span)
            return _view(connection, _c.asked_by == job.id)

    def send(self, job: Job[Flight]) -> FleetView:
        """Have a fleet fly to another planet."""
        game, to_body_id = self._game, job.content.body_id
        with game.begin() as connection:
            fleet = _owned(connection, job)
            if game.is_new(connection, job):
                _demand(fleet, DOCKED)
                span = _flight(game, connection, fleet.planet_id, to_body_id)
                _change(connection, fleet.id, state=FLYING, to_planet_id=to_body_id, **span._asdict())
                _plan(game, connection, FLYING, fleet.id, span)
                tell_changed(game, connection, fleet.planet_id)
            return _view(connection, _c.id == fleet.id)

    def recall(self, job: Job[Fleet]) -> FleetView:
        """Have a fleet turn round where it is."""
        game = self._game
        with game.begin() as connection:
            fleet = _owned(connection, job)
            if game.is_new(connection, job):
                _demand(fleet, FLYING)
                span = turned_round(Span(fleet.started_at, fleet.ends_at), game.clock.now())
                turned = {"planet_id": fleet.to_planet_id, "to_planet_id": fleet.planet_id}
                _change(connection, fleet.id, **turned, **span._asdict())
                _plan(game, connection, FLYING, fleet.id, span)
            return _view(connection, _c.id == fleet.id)

    # What comes when its time has come

    def finish_construction(self, job: Job[Fleet]) -> None:
        """Have a fleet be built."""
        self._finish(job.content.fleet_id, BUILDING)

    def arrives(self, job: Job[Fleet]) -> None:
        """Have a fleet be where it was bound for."""
        self._finish(job.content.fleet_id, FLYING)

    def _finish(self, fleet_id: int, state: str) -> None:
        """Have the fleet be at the end of what it is at; a job that comes twice changes nothing."""
        game = self._game
        with game.begin() as connection:
            fleet = _maybe(connection, fleet_id)
            if fleet is None:
                raise PersistentError(f"there is no fleet {fleet_id}")
            if fleet.state != state:
                return
            if fleet.ends_at > game.clock.now():
                # The clock of whoever has put the job is ahead of ours, or the fleet has turned round.
                _plan(game, connection, state, fleet_id, Span(fleet.started_at, fleet.ends_at))
                return
            body_id, empire_id = fleet.to_planet_id or fleet.planet_id, fleet.empire_id
            _change(connection, fleet_id, planet_id=body_id, **IDLE)
            content = {"fleet_id": fleet_id, "body_id": body_id, "empire_id": empire_id}
            told = {**content, "ships": fleet.ships}
            game.tell(connection, FLEET_CHANNEL, TOLD[state], told, user_id=empire_id)
            tell_changed(game, connection, body_id)


def _plan(game: Game, connection: Connection, state: str, fleet_id: int, span: Span) -> None:
    key, content = f"fleet {fleet_id}", Fleet(fleet_id)
    game.plan(connection, key, QUEUE, ENDS[state], content, span.ends_at)


def _flight(game: Game, connection: Connection, body_id: int, to_body_id: int) -> Span:
    here, there = maybe_place(connection, body_id), maybe_place(connection, to_body_id)
    if here is None or there is None:
        raise RequestRefused(f"there is no planet {to_body_id}", status=404)
    if here == there:
        raise RequestRefused("it is there already", status=409)
    return game.span(flight_seconds(here.x, here.y, there.x, there.y))


def _change(connection: Connection, fleet_id: int, **values: Any) -> None:
    connection.execute(update(fleets).where(_c.id == fleet_id).values(**values))


def _demand(fleet: Row[Any], state: str) -> None:
    if fleet.state != state:
        raise RequestRefused(f"fleet {fleet.id} is {fleet.state}, and not {state}", status=409)


def _shipyard(connection: Connection, job: Job[Construction]) -> tuple[int, int]:
    """The empire that has a shipyard there, which must be the one that asks, and the shipyard's level."""
    found = (
        select(planets.c.empire_id, buildings.c.level)
        .join(planets, buildings.c.planet_id == planets.c.id)
        .where(planets.c.id == job.content.body_id, buildings.c.kind == SHIPYARD)
    )
    row = connection.execute(found).first()
    if row is None or str(row.empire_id) != str(job.user_id):
        raise RequestRefused(f"you have no shipyard on planet {job.content.body_id}", status=404)
    return row.empire_id, row.level


def _owned(connection: Connection, job: Job[Any]) -> Row[Any]:
    fleet = _maybe(connection, job.content.fleet_id)
    if fleet is None or str(fleet.empire_id) != str(job.user_id):
        raise RequestRefused(f"you have no fleet {job.content.fleet_id}", status=404)
    return fleet


def _maybe(connection: Connection, fleet_id: int) -> Row[Any] | None:
    # One job at a time about a fleet; SQLite has one writer anyway.
    return connection.execute(select(fleets).where(_c.id == fleet_id).with_for_update()).first()


def _view(connection: Connection, which: ColumnElement[bool]) -> FleetView:
    [view] = fleet_views(connection, which)
    return view
