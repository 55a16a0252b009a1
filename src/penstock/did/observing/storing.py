"""Storing what was observed: everything about an anchor in one transaction. A function of a connection.

Once more is harmless, also at the same time in another process: the second waits for the first, and finds the
anchor observed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import exists, select

from penstock.did.anchoring.links import OBSERVED, held_link, put_observed, untold_among
from penstock.did.cas.hashlink import HashLink
from penstock.did.observing.tries import end_tries
from penstock.did.operations import remove_unpublished
from penstock.did.operations.adding import add_rows
from penstock.did.operations.tables import unpublished_operations

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

    from penstock.did.observing.observation import Observation
    from penstock.did.operations.adding import Rows

__all__ = ["store", "untold"]


def store(connection: Connection, observation: Observation, rows: Rows, *, now: float) -> list[str]:
    """Keep what an anchor has shown; returns the hashlinks of those before it that nobody has told of.

    Args:
        connection: In a transaction that holds nothing else.
        observation: The anchor.
        rows: Its operations, by `rows_of`: they are made before, as others wait while this is going on.
        now: Seconds since the epoch.
    """
    if held_link(connection, observation.link, now) != OBSERVED:
        _add(connection, observation, rows, now)
    end_tries(connection, observation.hash)
    return untold(connection, observation.parents)


def _add(connection: Connection, observation: Observation, rows: Rows, now: float) -> None:
    add_rows(connection, rows)
    # Most domains count nothing before it is anchored, and to name ten thousand operations takes a while.
    if connection.scalar(select(exists().select_from(unpublished_operations))):
        remove_unpublished(connection, [operation.request for operation in observation.operations])
    put_observed(
        connection,
        observation.link,
        now,
        issued_at=observation.issued_at,
        stored=len(observation.operations),
        refused=observation.left_out,
    )


def untold(connection: Connection, parents: Iterable[str]) -> list[str]:
    """Those of these hashlinks whose anchors the observer may not have been told of."""
    by_hash = {HashLink.parse(link).hash: link for link in parents}
    found = untold_among(connection, by_hash)
    return [link for name, link in by_hash.items() if name in found]
