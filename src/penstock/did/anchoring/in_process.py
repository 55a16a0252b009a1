"""Anchors of this domain until they are completed, as the database has them: functions of a connection.

Each change compares what is there with what was seen, in one statement: two instances that go on with an
anchor at once do it no harm. Whoever is to read and then to write locks the anchor's row, so that of two
proofs that come at once the second is judged with the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, select, update

from penstock.did.anchoring.links import PENDING, TOLD
from penstock.did.anchoring.statuses import COMPLETED, IN_PROCESS, OPEN, PROVED
from penstock.did.anchoring.tables import anchors, links, witnesses
from penstock.did.operation_queue.tables import cuts
from penstock.messaging.engine import INSERTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

__all__ = [
    "AnchorRecord",
    "complete",
    "due_anchors",
    "expire_completed",
    "has_waited",
    "is_any_overdue",
    "mark_offered",
    "mark_proved",
    "next_round",
    "postpone",
    "read_anchor",
    "record_anchor",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorRecord:
    """An anchor as the database has it."""

    #: Its name: a hashlink without hints.
    anchor: str
    #: The number of the cut that it anchors.
    cut: int
    status: str = IN_PROCESS
    #: Canonical; None when it is completed.
    linkset: bytes | None
    #: How many offers were made; 0 if no witness is needed.
    round: int
    #: Whether the last of them is certainly posted.
    is_offered: bool = False
    #: When the last offer was made, and until when proofs are taken.
    asked_at: float
    ends_at: float
    #: When the monitor looks at it.
    check_at: float

    @property
    def awaits_posting(self) -> bool:
        """Whether its last offer may not have been posted."""
        return self.status == IN_PROCESS and self.round > 0 and not self.is_offered


_COLUMNS = [anchors.c[name] for name in AnchorRecord.__dataclass_fields__]


def record_anchor(connection: Connection, record: AnchorRecord) -> None:
    """A batch is anchored: from now on its anchor collects proofs.

    Done in the transaction in which the cut becomes `anchored`. An anchor that is there has the same batch.
    """
    values = {name: getattr(record, name) for name in AnchorRecord.__dataclass_fields__}
    connection.execute(INSERTS[connection.dialect.name](anchors).values(**values).on_conflict_do_nothing())


def read_anchor(connection: Connection, anchor: str, *, lock: bool = False) -> AnchorRecord | None:
    """The anchor of that name; None if it is not known, or was completed long ago.

    Args:
        lock: Whether nobody else may change it before this transaction ends.
    """
    wanted = select(*_COLUMNS).where(anchors.c.anchor == anchor)
    row = connection.execute(wanted.with_for_update() if lock else wanted).mappings().first()
    return None if row is None else AnchorRecord(**dict(row))


def due_anchors(connection: Connection, now: float, limit: int) -> list[str]:
    """Those that the monitor is to look at, the longest overdue first."""
    table = anchors.c
    due = select(table.anchor).where(table.status != COMPLETED, table.check_at <= now)
    return list(connection.scalars(due.order_by(table.check_at, table.anchor).limit(limit)))


def has_waited(connection: Connection, record: AnchorRecord, since: float) -> bool:
    """Whether it was anchored by then."""
    anchored_at = connection.scalar(select(cuts.c.anchored_at).where(cuts.c.id == record.cut))
    # A batch that is forgotten is older than anything that is waited for.
    return anchored_at is None or anchored_at <= since


def is_any_overdue(connection: Connection, since: float) -> bool:
    """Whether a batch that was cut by then has an anchor which is not completed, or not observed, yet."""
    made_at = func.coalesce(cuts.c.made_at, 0.0)
    joined = anchors.outerjoin(cuts, cuts.c.id == anchors.c.cut)
    lacking = select(anchors.c.anchor).select_from(joined)
    incomplete = lacking.where(anchors.c.status != COMPLETED, made_at <= since)
    # One that is not known is on its way to the observer, unless that could make nothing of it.
    state = func.coalesce(links.c.state, cuts.c.trouble, PENDING)
    published = select(cuts.c.id).outerjoin(links, links.c.hash == cuts.c.linkset)
    unobserved = published.where(
        cuts.c.linkset.is_not(None), cuts.c.made_at <= since, state.in_((PENDING, TOLD))
    )
    return any(connection.scalar(each.limit(1)) is not None for each in (incomplete, unobserved))


# From state to state


def mark_offered(connection: Connection, seen: AnchorRecord) -> None:
    """The offer of that round is posted."""
    connection.execute(update(anchors).where(*_as_seen(seen)).values(is_offered=True))


def next_round(
    connection: Connection, seen: AnchorRecord, *, asked_at: float, ends_at: float, check_at: float
) -> bool:
    """Make another offer, which is still to be posted; whether nobody else has meanwhile."""
    further = (
        update(anchors)
        .where(*_as_seen(seen))
        .values(round=seen.round + 1, is_offered=False, asked_at=asked_at, ends_at=ends_at, check_at=check_at)
    )
    return connection.execute(further).rowcount == 1


def postpone(connection: Connection, seen: AnchorRecord, check_at: float) -> None:
    """Leave it alone until then."""
    connection.execute(update(anchors).where(*_as_seen(seen)).values(check_at=check_at))


def mark_proved(connection: Connection, anchor: str, linkset: bytes) -> None:
    """It has the proofs that it needs, and this is what is published."""
    mine = update(anchors).where(anchors.c.anchor == anchor, anchors.c.status == IN_PROCESS)
    # The monitor is to look at it at once, should nobody publish it.
    connection.execute(mine.values(status=PROVED, linkset=linkset, check_at=0.0))


def complete(connection: Connection, anchor: str, expires_at: float) -> None:
    """It is published. It is remembered for a while, so that late proofs are known as such."""
    mine = update(anchors).where(anchors.c.anchor == anchor, anchors.c.status.in_(OPEN))
    connection.execute(mine.values(status=COMPLETED, linkset=None, expires_at=expires_at))
    connection.execute(delete(witnesses).where(witnesses.c.anchor == anchor))


def expire_completed(connection: Connection, now: float, limit: int) -> int:
    """Forget anchors that were completed long ago; returns how many. What is open never expires."""
    table = anchors.c
    expired = select(table.anchor).where(table.status == COMPLETED, table.expires_at <= now).limit(limit)
    return connection.execute(delete(anchors).where(table.anchor.in_(expired))).rowcount


def _as_seen(seen: AnchorRecord) -> Sequence[Any]:
    table = anchors.c
    return (table.anchor == seen.anchor, table.status == IN_PROCESS, table.round == seen.round)
