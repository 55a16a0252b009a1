"""The latest anchor of each DID, many at once: functions of a database connection.

It is told by the operations that were observed. An anchor never gives way to one that was issued before it,
in whatever order they are observed; of two of the same instant it is the greater hashlink, so that it is the
same one wherever they are observed.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Final

import msgspec
from sqlalchemy import func, select

from penstock.did.anchoring.tables import links
from penstock.did.cas.hashlink import PREFIX
from penstock.did.database import fetched
from penstock.did.operations.history import keyed_among
from penstock.did.operations.tables import did_batches, did_operations

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

__all__ = ["anchored_among", "latest_anchors"]

_NEVER: Final = (-inf, "")


def latest_anchors(connection: Connection, suffixes: Iterable[str]) -> dict[str, str]:
    """The hashlinks of the latest anchors of these DIDs, with hints; those that have none are left out."""
    wanted, batch = set(suffixes), did_batches.c
    issued_at = func.coalesce(links.c.issued_at, batch.time)
    told = select(did_operations.c.suffix, issued_at, batch.reference, batch.equivalents)
    whole = told.join_from(did_operations, did_batches, batch.id == did_operations.c.batch)
    dated = whole.outerjoin(links, links.c.hash == batch.reference).where(keyed_among(connection, wanted))
    latest: dict[str, tuple[float, str]] = {}
    for suffix, when, reference, equivalents in fetched(connection, dated):
        anchor = (when, _link(reference, equivalents))
        if suffix in wanted and anchor > latest.get(suffix, _NEVER):
            latest[suffix] = anchor
    return {suffix: link for suffix, (_, link) in latest.items()}


def anchored_among(connection: Connection, suffixes: Iterable[str]) -> set[str]:
    """Those of these DIDs that have an anchor."""
    wanted = set(suffixes)
    found = select(did_operations.c.suffix).where(keyed_among(connection, wanted))
    return wanted.intersection(connection.scalars(found))


@lru_cache(maxsize=128)
def _link(reference: str, equivalents: str) -> str:
    """The first of the ways to an anchor, or else its name; all operations of an anchor have the same."""
    return str(next(iter(msgspec.json.decode(equivalents)), PREFIX + reference))
