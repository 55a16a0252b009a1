"""Empires: how one is founded, how it proves who it is, and what it has."""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import b64decode, b64encode
from secrets import token_bytes
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from examples.keno.rules import FIRST_ORE, KINDS, SHIFT_SECONDS, SHIP_ORE, SHIP_SECONDS
from examples.keno.star_map import tell_changed
from examples.keno.tables import buildings, empires, fleets, planets, stars
from examples.keno.views import building_views, fleet_views
from penstock.errors import RequestRefused

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from examples.keno.game import Game

__all__ = ["Empire", "found_empire", "known_empire", "status_of"]

NAME: Final = re.compile(r"[\w][\w .'-]{1,28}[\w]")
SHORTEST_PASSWORD: Final = 8
LONGEST_PASSWORD: Final = 200
#: scrypt's cost: some 50 ms.
COST: Final = {"n": 2**14, "r": 8, "p": 1}
SALT: Final = 16


class Empire(NamedTuple):
    """Who plays."""

    empire_id: int
    name: str
    home_id: int


# Founding


def found_empire(game: Game, name: str, password: str) -> Empire:
    """Have a new empire, on a planet that nobody lives on.

    Raises:
        RequestRefused: it cannot be called so, or another is.
    """
    if NAME.fullmatch(name) is None:
        raise RequestRefused("an empire's name has 3 to 30 letters, digits and spaces", status=400)
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise RequestRefused(f"a password has {SHORTEST_PASSWORD} characters or more", status=400)
    hashed = _hashed(password, token_bytes(SALT))
    try:
        with game.begin() as connection:
            return _settle(game, connection, name, hashed)
    except IntegrityError as exc:
        raise RequestRefused(f"there is an empire called {name} already", status=409) from exc


def _settle(game: Game, connection: Connection, name: str, hashed: str) -> Empire:
    # The nearest to the middle; two that are founded at once do not wait for the same.
    free = (
        select(planets.c.id)
        .join(stars, planets.c.star_id == stars.c.id)
        .where(planets.c.empire_id.is_(None), planets.c.orbit == 1)
        .order_by(stars.c.x * stars.c.x + stars.c.y * stars.c.y, planets.c.id)
        .limit(1)
        .with_for_update(of=planets, skip_locked=True)
    )
    home_id = connection.scalar(free)
    if home_id is None:
        raise RequestRefused("all planets are taken", status=503)
    row = {"name": name, "password": hashed, "home_id": home_id, "founded_at": game.clock.now()}
    empire_id = connection.execute(insert(empires).values(row).returning(empires.c.id)).scalar_one()
    settled = update(planets).where(planets.c.id == home_id)
    connection.execute(settled.values(empire_id=empire_id, ore=FIRST_ORE))
    connection.execute(
        insert(buildings), [{"planet_id": home_id, "kind": kind, "level": 1} for kind in KINDS]
    )
    tell_changed(game, connection, home_id)
    return Empire(empire_id, name, home_id)


# Who it is


def known_empire(game: Game, name: str, password: str) -> Empire:
    """The empire of that name, if it is its password.

    Raises:
        RequestRefused: it is not, or there is none.
    """
    with game.read() as connection:
        row = connection.execute(select(empires).where(empires.c.name == name)).first()
    # Somebody who is not there takes as long as somebody who is.
    kept = _hashed("", bytes(SALT)) if row is None else row.password
    salt = b64decode(kept.partition("$")[0])
    is_right = hmac.compare_digest(_hashed(password, salt), kept)
    if row is None or not is_right:
        raise RequestRefused("no empire has this name and this password", status=401)
    return Empire(row.id, row.name, row.home_id)


def _hashed(password: str, salt: bytes) -> str:
    digest = hashlib.scrypt(password.encode(), salt=salt, n=COST["n"], r=COST["r"], p=COST["p"])
    return f"{b64encode(salt).decode()}${b64encode(digest).decode()}"


# What it has


def status_of(game: Game, empire_id: int | str) -> dict[str, Any]:
    """All that an empire has.

    Raises:
        RequestRefused: there is none.
    """
    with game.read() as connection:
        mine = empires.c.id == int(empire_id)
        empire = connection.execute(select(empires).where(mine)).first()
        if empire is None:
            raise RequestRefused(f"there is no empire {empire_id}", status=404)
        return {
            "now": game.clock.now(),
            "empire": {"empire_id": empire.id, "name": empire.name, "home_id": empire.home_id},
            "planets": _planets(game, connection, empire.id),
            "fleets": fleet_views(connection, fleets.c.empire_id == empire.id),
            "prices": {
                "ship": {"ore": SHIP_ORE, "seconds": SHIP_SECONDS / game.pace},
                "shift": {"seconds": SHIFT_SECONDS / game.pace},
            },
        }


def _planets(game: Game, connection: Connection, empire_id: int) -> list[dict[str, Any]]:
    mine = planets.c.empire_id == empire_id
    built = building_views(connection, mine, game.pace)
    found = (
        select(
            planets.c.id.label("body_id"),
            planets.c.name,
            stars.c.sector,
            stars.c.x,
            stars.c.y,
            planets.c.ore,
        )
        .join(stars, planets.c.star_id == stars.c.id)
        .where(mine)
        .order_by(planets.c.id)
    )
    return [
        {**row, "buildings": [each for each in built if each.body_id == row["body_id"]]}
        for row in connection.execute(found).mappings()
    ]
