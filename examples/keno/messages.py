"""What messages say: the contents of jobs and of clients' requests, in Keno Antigen's words."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

__all__ = ["Building", "Construction", "Fleet", "Flight", "MapChunk", "Nothing"]

#: Ids are primary keys; PostgreSQL's are of 32 bits.
Id = Annotated[int, Meta(ge=1, lt=2**31)]
#: Far beyond the map, and still no number that a database could not hold.
Coordinate = Annotated[int, Meta(ge=-(2**31), lt=2**31)]


class Nothing(Struct, frozen=True):
    """Of a message that says all by its route."""


class Building(Struct, frozen=True):
    """Of everything about one building."""

    building_id: Id


class Fleet(Struct, frozen=True):
    """Of everything about one fleet."""

    fleet_id: Id


class Construction(Struct, frozen=True):
    """Of /fleet/construct: at which planet, and how many ships."""

    body_id: Id
    ships: Annotated[int, Meta(ge=1, le=100)]


class Flight(Struct, frozen=True):
    """Of /fleet/send: the planet that it is to fly to."""

    fleet_id: Id
    body_id: Id


class MapChunk(Struct, frozen=True):
    """Of /starmap/getMapChunk: the corner of 50 by 50 units."""

    sector: Coordinate
    left: Coordinate
    bottom: Coordinate
