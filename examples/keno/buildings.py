"""Buildings: the jobs of bg_building. They are upgraded and do work, each with a beginning and an end.

Clients ask for the beginning, the schedule for the end. What has ended is told on ps_building, to every
gateway and to whoever else is subscribed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import select, update

from examples.keno import tasks
from examples.keno.game import BUILDING_CHANNEL, routed
from examples.keno.messages import Building  # noqa: TC001  a route reads the annotation of its handler
from examples.keno.planets import earn, pay
from examples.keno.rules import HIGHEST, MINE, SHIFT_SECONDS, dug, hastened, upgrade_ore, upgrade_seconds
from examples.keno.tables import UPGRADE, WORK, buildings, planets
from examples.keno.views import BuildingView, building_views
from penstock.errors import PersistentError, RequestRefused
from penstock.workers import Job  # noqa: TC001  likewise

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection

    from examples.keno.game import Game
    from penstock.workers import Routes

__all__ = ["Buildings"]


class Row(NamedTuple):
    """A building, and whose it is."""

    building_id: int
    body_id: int
    empire_id: int
    kind: str
    level: int

    def told(self, **more: Any) -> dict[str, Any]:
        """What is published of it: Keno Antigen's three, its kind, and more."""
        told = {"building_id": self.building_id, "body_id": self.body_id, "empire_id": self.empire_id}
        return {**told, "kind": self.kind, **more}


class Buildings:
    """Does the jobs of bg_building."""

    def __init__(self, game: Game) -> None:
        self._game = game

    @property
    def routes(self) -> Routes:
        """Who does what."""
        return routed(
            tasks.QUEUE,
            {
                "/building/upgrade": self.upgrade,
                "/building/cancelUpgrade": self.cancel_upgrade,
                "/building/hastenUpgrade": self.hasten_upgrade,
                "/building/work": self.work,
                "/building/finishUpgrade": self.finish_upgrade,
                "/building/finishWork": self.finish_work,
            },
        )

    # What clients ask for

    def upgrade(self, job: Job[Building]) -> BuildingView:
        """Begin to have a building one level higher."""
        return self._asked(job, self._begin_upgrade)

    def cancel_upgrade(self, job: Job[Building]) -> BuildingView:
        """Have it not be higher after all."""
        return self._asked(job, self._cancel_upgrade)

    def hasten_upgrade(self, job: Job[Building]) -> BuildingView:
        """Have half of what is left of the time."""
        return self._asked(job, self._hasten_upgrade)

    def work(self, job: Job[Building]) -> BuildingView:
        """Have a mine begin a shift."""
        return self._asked(job, self._begin_work)

    def _asked(self, job: Job[Building], act: Callable[[Connection, Row], None]) -> BuildingView:
        """Do once what an empire asks for about a building of its own; the building as it is then."""
        with self._game.begin() as connection:
            building = _maybe(connection, job.content.building_id)
            # Whether another empire has such a building is nobody's business.
            if building is None or str(building.empire_id) != str(job.user_id):
                raise RequestRefused(f"you have no building {job.content.building_id}", status=404)
            if self._game.is_new(connection, job):
                act(connection, building)
            [view] = building_views(connection, buildings.c.id == building.building_id, self._game.pace)
            return view

    def _begin_upgrade(self, connection: Connection, building: Row) -> None:
        if building.level >= HIGHEST:
            raise RequestRefused(f"nothing is built higher than level {HIGHEST}", status=409)
        seconds = upgrade_seconds(building.level)
        tasks.begin(self._game, connection, UPGRADE, building.building_id, seconds)
        pay(connection, building.body_id, upgrade_ore(building.level))

    def _cancel_upgrade(self, connection: Connection, building: Row) -> None:
        tasks.cancel(self._game, connection, UPGRADE, building.building_id)
        earn(connection, building.body_id, upgrade_ore(building.level))

    def _hasten_upgrade(self, connection: Connection, building: Row) -> None:
        span = tasks.span_of(connection, UPGRADE, building.building_id)
        sooner = hastened(span, self._game.clock.now())
        tasks.move(self._game, connection, UPGRADE, building.building_id, sooner)
        pay(connection, building.body_id, upgrade_ore(building.level) // 2)

    def _begin_work(self, connection: Connection, building: Row) -> None:
        if building.kind != MINE:
            raise RequestRefused(f"a {building.kind} has no work: a mine has", status=409)
        tasks.begin(self._game, connection, WORK, building.building_id, SHIFT_SECONDS)

    # What comes when its time has come

    def finish_upgrade(self, job: Job[Building]) -> None:
        """Have the building be higher. However often the job comes, it is higher once."""
        self._finish(job, UPGRADE, "/building/upgraded", self._raise)

    def finish_work(self, job: Job[Building]) -> None:
        """Have the planet get what was dug."""
        self._finish(job, WORK, "/building/worked", self._harvest)

    def _finish(
        self,
        job: Job[Building],
        kind: str,
        route: str,
        act: Callable[[Connection, Row], dict[str, Any]],
    ) -> None:
        game = self._game
        with game.begin() as connection:
            building = _maybe(connection, job.content.building_id)
            if building is None:
                raise PersistentError(f"there is no building {job.content.building_id}")
            if tasks.finish(game, connection, kind, building.building_id):
                content = act(connection, building)
                game.tell(connection, BUILDING_CHANNEL, route, content, user_id=building.empire_id)

    def _raise(self, connection: Connection, building: Row) -> dict[str, Any]:
        level = building.level + 1
        this = update(buildings).where(buildings.c.id == building.building_id)
        connection.execute(this.values(level=level))
        return building.told(level=level)

    def _harvest(self, connection: Connection, building: Row) -> dict[str, Any]:
        ore = dug(building.level)
        earn(connection, building.body_id, ore)
        return building.told(ore=ore)


def _maybe(connection: Connection, building_id: int) -> Row | None:
    found = (
        select(
            buildings.c.id,
            buildings.c.planet_id,
            planets.c.empire_id,
            buildings.c.kind,
            buildings.c.level,
        )
        .join(planets, buildings.c.planet_id == planets.c.id)
        .where(buildings.c.id == building_id)
        # One job at a time about a building; SQLite has one writer anyway.
        .with_for_update(of=buildings)
    )
    row = connection.execute(found).first()
    return None if row is None else Row(*row)
