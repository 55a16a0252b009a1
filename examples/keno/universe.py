"""The universe: stars and planets, the same in every game. Made once, when there are none."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, insert, select

from examples.keno.rules import CHUNK, EDGE, SECTORS
from examples.keno.tables import planets, stars

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

__all__ = ["make_universe"]

#: Stars in each chunk.
STARS: Final = 3
MOST_PLANETS: Final = 3
COLOURS: Final = ("blue", "white", "yellow", "orange", "red")
KINDS: Final = ("rock", "ocean", "ice", "gas", "desert")
ORBITS: Final = ("I", "II", "III")
SYLLABLES: Final = ("ke", "no", "an", "ti", "gen", "la", "cu", "na", "or", "vel", "ix", "thal", "rum", "es")


def make_universe(connection: Connection) -> None:
    """Make the stars and their planets, unless there are some."""
    if connection.scalar(select(func.count()).select_from(stars)):
        return
    chance = Random(4)  # noqa: S311  the map is no secret
    made = [star for sector in SECTORS for star in _stars(chance, sector)]
    connection.execute(insert(stars), [{"id": number, **star} for number, star in enumerate(made, 1)])
    circling = [
        planet for number, star in enumerate(made, 1) for planet in _planets(chance, number, star["name"])
    ]
    connection.execute(insert(planets), circling)


def _stars(chance: Random, sector: int) -> Iterator[dict[str, Any]]:
    corners = range(-EDGE, EDGE, CHUNK)
    for left in corners:
        for bottom in corners:
            for _ in range(STARS):
                name = "".join(chance.choices(SYLLABLES, k=chance.randint(2, 3))).capitalize()
                x, y = left + chance.randrange(CHUNK), bottom + chance.randrange(CHUNK)
                yield {"sector": sector, "x": x, "y": y, "name": name, "colour": chance.choice(COLOURS)}


def _planets(chance: Random, star_id: int, star: str) -> Iterator[dict[str, Any]]:
    for orbit in range(chance.randint(1, MOST_PLANETS)):
        name = f"{star} {ORBITS[orbit]}"
        yield {"star_id": star_id, "orbit": orbit + 1, "name": name, "kind": chance.choice(KINDS), "ore": 0}
