"""How far batches are, from being cut to being observed, for those who look: functions of a connection.

    cut → files → witnessing → witnessed → published → observed

The first two are the cut's own states, the next its anchor's; it is observed when this domain has stored its
operations, as every domain does for itself, and from then on they count. A batch whose files leave out all
of its operations has nothing to anchor, and is `empty`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import select

from penstock.did.anchoring.links import OBSERVED
from penstock.did.anchoring.noting import HAS_PROVED, WAS_ASKED
from penstock.did.anchoring.tables import links, witnesses
from penstock.did.cas.hashlink import HashLink
from penstock.did.operation_queue.cut_states import ACKED, CUT, FILES
from penstock.did.operation_queue.cuts import LeftOut
from penstock.did.operation_queue.tables import cuts

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.engine import Connection, Row

__all__ = ["BatchProgress", "batches_in_progress", "maybe_batch"]

EMPTY: Final = "empty"
WITNESSING: Final = "witnessing"
WITNESSED: Final = "witnessed"
PUBLISHED: Final = "published"

_ids: Final = msgspec.json.Decoder(list[str]).decode
_left_out: Final = msgspec.json.Decoder(LeftOut).decode
#: What is read of a batch: nothing that grows with its operations.
_TOLD: Final = [column for column in cuts.c if column.name not in {"operations", "contents"}]


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchProgress:
    """One batch. What has not happened yet has no time."""

    id: int
    state: str
    #: How many it was cut with; how many of them wait for a later batch, and how many can be in none.
    operations: int
    deferred: int
    refused: int
    #: When the first of them was taken.
    queued_at: float | None
    cut_at: float
    written_at: float | None
    anchored_at: float | None
    #: How many witnesses were asked, and how many have proved it.
    witnesses: int
    proofs: int
    proved_at: float | None
    published_at: float | None
    #: When its operations were stored here, how many, and how many of them can never count.
    observed_at: float | None
    stored: int
    unfit: int
    #: Why it could not be observed, the last time; None once it was.
    trouble: str | None
    #: The anchor's name; the hash of its linkset, and where that can be had.
    anchor: str | None
    linkset: str | None
    url: str | None


def batches_in_progress(connection: Connection, limit: int) -> list[BatchProgress]:
    """The newest batches, the newest first."""
    newest = _batches().order_by(cuts.c.id.desc()).limit(limit)
    return [_progress(connection, row) for row in connection.execute(newest).all()]


def maybe_batch(connection: Connection, number: int) -> BatchProgress | None:
    """The batch of that number; None if there is none, or none any more."""
    row = connection.execute(_batches().where(cuts.c.id == number)).first()
    return None if row is None else _progress(connection, row)


def _batches() -> Select[Any]:
    seen = (links.c.state.label("link_state"), links.c.updated_at.label("seen_at"))
    observed = (links.c.link, *seen, links.c.stored, links.c.refused)
    asked = select(WAS_ASKED).where(witnesses.c.anchor == cuts.c.anchor).scalar_subquery()
    proved = select(HAS_PROVED).where(witnesses.c.anchor == cuts.c.anchor).scalar_subquery()
    return select(*_TOLD, asked.label("asked_now"), proved.label("proved_now"), *observed).select_from(
        cuts.outerjoin(links, links.c.hash == cuts.c.linkset)
    )


def _progress(connection: Connection, row: Row[Any]) -> BatchProgress:
    left_out = _left_out(row.left_out)
    is_observed = row.link_state == OBSERVED
    return BatchProgress(
        id=row.id,
        state=_state(row),
        operations=row.size if row.size is not None else _counted(connection, row.id),
        deferred=len(left_out.deferred),
        refused=len(left_out.refused),
        queued_at=row.queued_at,
        cut_at=row.made_at,
        written_at=row.written_at,
        anchored_at=row.anchored_at,
        witnesses=row.asked_now if row.asked is None else row.asked,
        proofs=row.proved_now if row.proofs is None else row.proofs,
        proved_at=row.proved_at,
        published_at=row.published_at,
        observed_at=row.seen_at if is_observed else None,
        stored=row.stored or 0,
        unfit=row.refused or 0,
        trouble=None if is_observed else row.trouble,
        anchor=row.anchor,
        linkset=row.linkset,
        url=None if row.link is None else next(iter(HashLink.parse(row.link).links), None),
    )


def _state(row: Row[Any]) -> str:
    if row.link_state == OBSERVED:
        return OBSERVED
    if row.published_at is not None:
        return PUBLISHED
    if row.proved_at is not None:
        return WITNESSED
    if row.anchor is not None:
        return WITNESSING
    return {CUT: CUT, FILES: FILES, ACKED: EMPTY}[row.state]


def _counted(connection: Connection, number: int) -> int:
    """How many operations a batch has that an older Penstock has cut."""
    ids = connection.execute(select(cuts.c.operations).where(cuts.c.id == number)).scalar_one()
    return len(_ids(ids))
