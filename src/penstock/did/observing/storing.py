"""Storing what was observed: everything about an anchor in one transaction. A function of a connection.

Once more is harmless, also at the same time in another process: operations are known by DID and anchor, the
latest anchor of a DID only moves forward. Rows are written in the order of the DIDs, so that two who store
anchors of the same DIDs wait for each other, and not in a circle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import exists, select

from penstock.did.anchoring.did_anchors import put_did_anchors
from penstock.did.anchoring.links import PENDING, known_links, put_observed
from penstock.did.cas.hashlink import HashLink
from penstock.did.observing.tries import end_tries
from penstock.did.operations import add_operations, remove_unpublished
from penstock.did.operations.tables import unpublished_operations

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

    from penstock.did.observing.observation import Observation

__all__ = ["store", "untold"]


def store(connection: Connection, observation: Observation, *, now: float) -> list[str]:
    """Keep what an anchor has shown; returns the hashlinks of those before it that nobody has told of.

    Args:
        connection: In a transaction that holds nothing else.
        observation: The anchor.
        now: Seconds since the epoch.
    """
    operations = sorted(observation.operations, key=lambda operation: operation.suffix)
    add_operations(connection, operations)
    # What is left out has not happened to its DID.
    put_did_anchors(
        connection,
        [operation.suffix for operation in operations],
        anchor=str(observation.link),
        issued_at=observation.issued_at,
    )
    # Most domains count nothing before it is anchored, and to name ten thousand operations takes a while.
    if connection.scalar(select(exists().select_from(unpublished_operations))):
        remove_unpublished(connection, [operation.request for operation in operations])
    put_observed(connection, observation.link, now, stored=len(operations), refused=observation.left_out)
    end_tries(connection, observation.hash)
    return untold(connection, observation.parents)


def untold(connection: Connection, parents: Iterable[str]) -> list[str]:
    """Those of these hashlinks whose anchors the observer may not have been told of."""
    by_hash = {HashLink.parse(link).hash: link for link in parents}
    known = known_links(connection, by_hash)
    # Of one that is pending nobody knows: whoever was to tell may have died.
    return [link for name, link in by_hash.items() if known.get(name, PENDING) == PENDING]
