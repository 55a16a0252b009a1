"""A chunk of the star map: 50 by 50 units. What is in it takes joins of several tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct
from sqlalchemy import and_, select

from examples.keno.rules import CHUNK, EDGE, SECTORS, is_chunk
from examples.keno.tables import DOCKED, empires, fleets, planets, stars
from penstock.errors import RequestRefused

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

    from examples.keno.messages import MapChunk

__all__ = ["Chunk", "chunk_key", "chunk_of"]


class Owner(Struct, frozen=True):
    """The empire that has something."""

    empire_id: int
    name: str


class DockedFleet(Struct, frozen=True):
    """A fleet at a planet."""

    fleet_id: int
    empire: Owner
    ships: int


class Planet(Struct, frozen=True):
    """A planet of a star."""

    body_id: int
    name: str
    orbit: int
    kind: str
    empire: Owner | None
    fleets: list[DockedFleet]


class Star(Struct, frozen=True):
    """A star, with what goes round it."""

    star_id: int
    name: str
    x: int
    y: int
    colour: str
    planets: list[Planet]


class Chunk(Struct, frozen=True):
    """A chunk of the star map."""

    sector: int
    left: int
    bottom: int
    stars: list[Star]
    size: int = CHUNK


def chunk_key(asked: MapChunk) -> str:
    """What a chunk is called in a cache.

    Raises:
        RequestRefused: the map has no chunk there.
    """
    if not is_chunk(asked.sector, asked.left, asked.bottom):
        sectors = ", ".join(map(str, SECTORS))
        raise RequestRefused(
            f"a chunk's left and bottom are on a boundary of {CHUNK} units, from {-EDGE} to {EDGE - CHUNK}, "
            f"in sector {sectors}: there is none at {asked.left}, {asked.bottom} in sector {asked.sector}",
            status=400,
        )
    return f"{asked.sector}:{asked.left}:{asked.bottom}"


def chunk_of(connection: Connection, asked: MapChunk) -> Chunk:
    """What is in a chunk.

    Raises:
        RequestRefused: the map has no chunk there.
    """
    chunk_key(asked)
    is_in_it = and_(
        stars.c.sector == asked.sector,
        stars.c.x >= asked.left,
        stars.c.x < asked.left + CHUNK,
        stars.c.y >= asked.bottom,
        stars.c.y < asked.bottom + CHUNK,
    )
    docked = _docked(connection, is_in_it)
    found: dict[int, Star] = {}
    for row in _planets(connection, is_in_it):
        new = Star(row.star_id, row.star, row.x, row.y, row.colour, [])
        star = found.setdefault(row.star_id, new)
        owner = None if row.empire_id is None else Owner(row.empire_id, row.empire)
        if row.body_id is not None:
            guests = docked.get(row.body_id, [])
            star.planets.append(Planet(row.body_id, row.name, row.orbit, row.kind, owner, guests))
    return Chunk(asked.sector, asked.left, asked.bottom, list(found.values()))


def _planets(connection: Connection, is_in_it: ColumnElement[bool]) -> Any:
    return connection.execute(
        select(
            stars.c.id.label("star_id"),
            stars.c.name.label("star"),
            stars.c.x,
            stars.c.y,
            stars.c.colour,
            planets.c.id.label("body_id"),
            planets.c.name,
            planets.c.orbit,
            planets.c.kind,
            empires.c.id.label("empire_id"),
            empires.c.name.label("empire"),
        )
        .outerjoin(planets, planets.c.star_id == stars.c.id)
        .outerjoin(empires, planets.c.empire_id == empires.c.id)
        .where(is_in_it)
        .order_by(stars.c.id, planets.c.orbit)
    )


def _docked(connection: Connection, is_in_it: ColumnElement[bool]) -> dict[int, list[DockedFleet]]:
    found: dict[int, list[DockedFleet]] = {}
    rows = connection.execute(
        select(fleets.c.planet_id, fleets.c.id, fleets.c.ships, empires.c.id, empires.c.name)
        .join(planets, fleets.c.planet_id == planets.c.id)
        .join(stars, planets.c.star_id == stars.c.id)
        .join(empires, fleets.c.empire_id == empires.c.id)
        .where(is_in_it, fleets.c.state == DOCKED)
        .order_by(fleets.c.id)
    )
    for body_id, fleet_id, ships, empire_id, name in rows:
        found.setdefault(body_id, []).append(DockedFleet(fleet_id, Owner(empire_id, name), ships))
    return found
