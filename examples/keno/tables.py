"""The game's tables, in SQLite or PostgreSQL. Instants are seconds since the epoch."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import Column, Double, ForeignKey, Index, Integer, LargeBinary, MetaData, Table, Text

__all__ = [
    "BUILDING",
    "DOCKED",
    "FLYING",
    "UPGRADE",
    "WORK",
    "buildings",
    "captchas",
    "empires",
    "fleets",
    "metadata",
    "planets",
    "stars",
    "tasks",
]

metadata: Final = MetaData()

#: The kinds of tasks.
UPGRADE: Final = "upgrade"
WORK: Final = "work"
#: What a fleet is at.
BUILDING: Final = "building"
FLYING: Final = "flying"
DOCKED: Final = "docked"


def _id() -> Column[Any]:
    return Column("id", Integer, primary_key=True)


stars: Final = Table(
    "stars",
    metadata,
    _id(),
    Column("sector", Integer, nullable=False),
    Column("x", Integer, nullable=False),
    Column("y", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("colour", Text, nullable=False),
    Index("stars_by_place", "sector", "x", "y"),
)

empires: Final = Table(
    "empires",
    metadata,
    _id(),
    Column("name", Text, nullable=False, unique=True),
    Column("password", Text, nullable=False),
    Column("home_id", Integer, nullable=False),
    Column("founded_at", Double, nullable=False),
)

#: Keno Antigen's bodies.
planets: Final = Table(
    "planets",
    metadata,
    _id(),
    Column("star_id", ForeignKey(stars.c.id), nullable=False, index=True),
    Column("orbit", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("empire_id", ForeignKey(empires.c.id), index=True),
    Column("ore", Integer, nullable=False, default=0),
)

buildings: Final = Table(
    "buildings",
    metadata,
    _id(),
    Column("planet_id", ForeignKey(planets.c.id), nullable=False, index=True),
    Column("kind", Text, nullable=False),
    Column("level", Integer, nullable=False),
)

#: What a building is at: an upgrade, work, or both. A row goes with the end of it.
tasks: Final = Table(
    "tasks",
    metadata,
    Column("building_id", ForeignKey(buildings.c.id), primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("started_at", Double, nullable=False),
    Column("ends_at", Double, nullable=False),
)

fleets: Final = Table(
    "fleets",
    metadata,
    _id(),
    Column("empire_id", ForeignKey(empires.c.id), nullable=False, index=True),
    Column("ships", Integer, nullable=False),
    Column("state", Text, nullable=False),
    #: Where it is, or has come from.
    Column("planet_id", ForeignKey(planets.c.id), nullable=False, index=True),
    Column("to_planet_id", ForeignKey(planets.c.id)),
    Column("started_at", Double),
    Column("ends_at", Double),
    #: The job that asked for it.
    Column("asked_by", Text, unique=True),
)

captchas: Final = Table(
    "captchas",
    metadata,
    # Nobody guesses it.
    Column("id", Text, primary_key=True),
    Column("image", LargeBinary, nullable=False),
    Column("answer", Text, nullable=False),
    Column("made_at", Double, nullable=False, index=True),
    #: To the one browser that may answer it.
    Column("handed_at", Double),
    Column("tried_at", Double),
)
