"""Anchors for those who look: what this domain anchors, and what it has observed of all domains.

    witnessing → witnessed → pending → told → observed

The first two are of an anchor of one's own, before it is published; the others as links.py has them. A
function of a connection.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from sqlalchemy import func, select

from penstock.did.among import among
from penstock.did.anchoring.links import OBSERVED
from penstock.did.anchoring.statuses import COMPLETED, IN_PROCESS, PROVED
from penstock.did.anchoring.tables import anchors, copies, links
from penstock.did.batches.progress import WITNESSED, WITNESSING
from penstock.did.cas.hashlink import HashLink
from penstock.did.operation_queue.tables import cuts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Connection, Row

__all__ = ["KnownAnchor", "known_anchors"]

_STATES: Final = {IN_PROCESS: WITNESSING, PROVED: WITNESSED}
_reasons: Final = msgspec.json.Decoder(list[dict[str, str]]).decode


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAnchor:
    """One anchor."""

    #: See above.
    state: str
    #: Since when it is in it; of one of our own that is not published yet, when witnesses were last asked.
    updated_at: float
    #: The hash of its linkset, once that is final, and where it can be had.
    linkset: str | None = None
    url: str | None = None
    #: The batch that it is of, and its name there, if it is our own and still known.
    batch: int | None = None
    anchor: str | None = None
    #: How many of its operations are stored, and how many can never count.
    stored: int = 0
    unfit: int = 0
    #: Why it could not be observed, or the first of these cannot count.
    reason: str = ""
    #: Domains that have told that they have a copy of it.
    copies: int = 0


class _Batch(NamedTuple):
    id: int
    anchor: str | None
    trouble: str | None


def known_anchors(connection: Connection, limit: int) -> list[KnownAnchor]:
    """Those that are not published yet, and then the newest, first; so many in all."""
    found = _open(connection, limit)
    return found + _told(connection, limit - len(found))


def _open(connection: Connection, limit: int) -> list[KnownAnchor]:
    """Our own on the way to being published, of which the index holds no others."""
    wanted = select(anchors.c.anchor, anchors.c.cut, anchors.c.status, anchors.c.asked_at)
    newest = wanted.where(anchors.c.status != COMPLETED).order_by(anchors.c.check_at.desc()).limit(limit)
    return [
        KnownAnchor(state=_STATES[row.status], updated_at=row.asked_at, batch=row.cut, anchor=row.anchor)
        for row in connection.execute(newest)
    ]


def _told(connection: Connection, limit: int) -> list[KnownAnchor]:
    newest = select(links).order_by(links.c.updated_at.desc()).limit(limit)
    rows = connection.execute(newest).all()
    hashes = [row.hash for row in rows]
    batches, counts = _batches(connection, hashes), _copies(connection, hashes)
    return [_known(row, batches.get(row.hash), counts.get(row.hash, 0)) for row in rows]


def _batches(connection: Connection, hashes: Sequence[str]) -> Mapping[str, _Batch]:
    """Our own batches, by the hash of their linkset."""
    told = select(cuts.c.linkset, cuts.c.id, cuts.c.anchor, cuts.c.trouble)
    found = connection.execute(told.where(among(connection, cuts.c.linkset, hashes)))
    return {linkset: _Batch(*more) for linkset, *more in found}


def _copies(connection: Connection, hashes: Sequence[str]) -> Mapping[str, int]:
    counted = select(copies.c.hash, func.count()).where(among(connection, copies.c.hash, hashes))
    return {row[0]: row[1] for row in connection.execute(counted.group_by(copies.c.hash))}


def _known(row: Row[Any], batch: _Batch | None, copied: int) -> KnownAnchor:
    is_observed = row.state == OBSERVED
    reasons = _reasons(row.reasons or "[]")
    trouble = None if batch is None or is_observed else batch.trouble
    return KnownAnchor(
        state=row.state,
        updated_at=row.updated_at,
        linkset=row.hash,
        url=next(iter(HashLink.parse(row.link).links), None),
        batch=None if batch is None else batch.id,
        anchor=None if batch is None else batch.anchor,
        stored=row.stored or 0,
        unfit=row.refused or 0,
        reason=trouble or next((each["reason"] for each in reasons), ""),
        copies=copied,
    )
