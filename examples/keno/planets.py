"""Planets: what they have, and where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select, update

from examples.keno.tables import planets, stars
from penstock.errors import RequestRefused

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["Place", "earn", "maybe_place", "pay"]


class Place(NamedTuple):
    """A planet on the map."""

    body_id: int
    sector: int
    x: int
    y: int


def maybe_place(connection: Connection, body_id: int) -> Place | None:
    """Where a planet is; None if there is none."""
    found = (
        select(planets.c.id, stars.c.sector, stars.c.x, stars.c.y)
        .join(stars, planets.c.star_id == stars.c.id)
        .where(planets.c.id == body_id)
    )
    row = connection.execute(found).first()
    return None if row is None else Place(*row)


def pay(connection: Connection, body_id: int, ore: int) -> None:
    """Have a planet pay.

    Raises:
        RequestRefused: it has not so much.
    """
    has_it = update(planets).where(planets.c.id == body_id, planets.c.ore >= ore)
    if not connection.execute(has_it.values(ore=planets.c.ore - ore)).rowcount:
        raise RequestRefused(f"that takes {ore} ore, and the planet has less", status=409)


def earn(connection: Connection, body_id: int, ore: int) -> None:
    """Have a planet get something."""
    mine = update(planets).where(planets.c.id == body_id)
    connection.execute(mine.values(ore=planets.c.ore + ore))
