"""The statistics of planets: what the game serves, and what is told on their channel. Knows no Spark.

examples/keno/statistics.py counts them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Column, Double, ForeignKey, Integer, Table, select

from examples.keno.tables import metadata, planets

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["ROUTE", "STATISTICS_CHANNEL", "planet_statistics", "statistics_of"]

#: What a client is told, by the channel that brings it, when a planet has other statistics than before.
ROUTE: Final = "/planet/statistics"
STATISTICS_CHANNEL: Final = "ps_statistics"

planet_statistics: Final = Table(
    "planet_statistics",
    metadata,
    Column("body_id", ForeignKey(planets.c.id), primary_key=True),
    Column("empire_id", Integer, nullable=False, index=True),
    Column("upgrades", Integer, nullable=False),
    #: The highest level of any building.
    Column("highest", Integer, nullable=False),
    #: Shifts of its mines, and the ore that they have dug.
    Column("shifts", Integer, nullable=False),
    Column("ore", Integer, nullable=False),
    Column("last_at", Double, nullable=False),
)


def statistics_of(connection: Connection, empire_id: int) -> list[dict[str, Any]]:
    """The statistics of an empire's planets, each with the planet's name."""
    found = (
        select(planet_statistics, planets.c.name)
        .join(planets, planet_statistics.c.body_id == planets.c.id)
        .where(planet_statistics.c.empire_id == empire_id)
        .order_by(planet_statistics.c.body_id)
    )
    return [dict(row) for row in connection.execute(found).mappings()]
