"""The rules of the game: what things cost, how long they take, and where things may be. Pure.

Times are seconds at the game's own pace; whoever is in a hurry has the game divide them.
"""

from __future__ import annotations

from math import hypot
from typing import Final, NamedTuple

__all__ = [
    "CHUNK",
    "EDGE",
    "FIRST_ORE",
    "HIGHEST",
    "KINDS",
    "MINE",
    "SECTORS",
    "SHIFT_SECONDS",
    "SHIPYARD",
    "SHIP_ORE",
    "Span",
    "chunk_corner",
    "construction_seconds",
    "dug",
    "flight_seconds",
    "hastened",
    "is_chunk",
    "turned_round",
    "upgrade_ore",
    "upgrade_seconds",
]

#: The buildings of every planet that somebody lives on.
COMMAND: Final = "command centre"
MINE: Final = "mine"
SHIPYARD: Final = "shipyard"
KINDS: Final = (COMMAND, MINE, SHIPYARD)
#: Nothing is built higher.
HIGHEST: Final = 30

#: What an empire begins with.
FIRST_ORE: Final = 600
SHIP_ORE: Final = 30
#: Of one ship, in a shipyard of the first level.
SHIP_SECONDS: Final = 4.0
#: Units a second.
SPEED: Final = 8.0
#: What a mine works at a stretch, and what it digs meanwhile at the first level.
SHIFT_SECONDS: Final = 12.0
SHIFT_ORE: Final = 60

#: Only one sector is defined; it reaches so far from its middle.
SECTORS: Final = (0,)
EDGE: Final = 500
#: Units along the side of a chunk of the star map.
CHUNK: Final = 50


class Span(NamedTuple):
    """From when to when something takes, in seconds since the epoch."""

    started_at: float
    ends_at: float


# Buildings


def upgrade_ore(level: int) -> int:
    """What it costs to have a building one level higher than this."""
    return 50 * level


def upgrade_seconds(level: int) -> float:
    """How long that takes."""
    return 4.0 + 4.0 * level


def hastened(span: Span, now: float) -> Span:
    """The same with half of the time that was left."""
    return Span(span.started_at, now + max(span.ends_at - now, 0.0) / 2)


def dug(level: int) -> int:
    """The ore that a mine of that level has dug at the end of its shift."""
    return SHIFT_ORE * level


# Fleets


def construction_seconds(ships: int, level: int) -> float:
    """How long a shipyard of that level is at so many ships."""
    return SHIP_SECONDS * ships / level


def flight_seconds(x: float, y: float, to_x: float, to_y: float) -> float:
    """How long a fleet is on its way."""
    return hypot(to_x - x, to_y - y) / SPEED


def turned_round(span: Span, now: float) -> Span:
    """The flight back of a fleet that turns round now: as long as it has flown.

    It is told as a flight from where it was bound for, so that where it is follows from the span as for any
    other.
    """
    flown = max(now - span.started_at, 0.0)
    ends_at = now + flown
    return Span(ends_at - (span.ends_at - span.started_at), ends_at)


# The star map


def is_chunk(sector: int, left: int, bottom: int) -> bool:
    """Whether the star map has a chunk there: on a boundary of 50 units, within the sector."""
    corners = (left, bottom)
    return sector in SECTORS and all(at % CHUNK == 0 and -EDGE <= at < EDGE for at in corners)


def chunk_corner(at: float) -> int:
    """The left, or the bottom, of the chunk that something at this coordinate is in."""
    return int(at // CHUNK) * CHUNK
