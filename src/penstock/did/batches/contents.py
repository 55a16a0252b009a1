"""What became of each operation of a batch, for those who look: a function of a connection.

    queued        in the batch; its files are not written yet, or it is not observed yet
    deferred      its turn came, or comes, with a later batch
    refused       it can be in no batch, and why
    unfit         in the batch, but it can never count, and why
    resolvable    stored; its DID resolves with it
    idle          stored; its DID resolves without it, and why
    unresolved    stored; its DID does not resolve

What went wrong comes first. Only what is shown is resolved: a batch may have ten thousand operations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import msgspec
from sqlalchemy import select

from penstock.did.anchoring.tables import links
from penstock.did.batches.judged import judged, why_idle
from penstock.did.operation_queue.cuts import read_cut
from penstock.did.operation_queue.tables import cuts
from penstock.did.operation_queue.taking import read_operations_of
from penstock.did.operations.history import operations_of_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Connection

    from penstock.did.operation_queue.cuts import CutRecord
    from penstock.sidetree.anchored import Anchored

__all__ = ["BatchOperation", "operations_of_batch"]

QUEUED: Final = "queued"
DEFERRED: Final = "deferred"
REFUSED: Final = "refused"
UNFIT: Final = "unfit"
RESOLVABLE: Final = "resolvable"
IDLE: Final = "idle"
UNRESOLVED: Final = "unresolved"

_contents: Final = msgspec.json.Decoder(list[tuple[str, str]]).decode
_reasons: Final = msgspec.json.Decoder(list[dict[str, str]]).decode


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOperation:
    """One operation."""

    id: str
    #: None of one that an older Penstock has acked.
    type: str | None
    suffix: str | None
    #: See above.
    outcome: str
    reason: str = ""
    #: The DID in its canonical form, once it resolves.
    did: str | None = None


def operations_of_batch(connection: Connection, number: int, start: int, limit: int) -> list[BatchOperation]:
    """Some operations of a batch; none if there is no such batch."""
    cut = read_cut(connection, number)
    if cut is None:
        return []
    told = _told(connection, cut)
    linkset, unfit = _observed(connection, number)
    shown = [
        _before(cut, each, told.get(each), unfit)
        for each in _in_order(cut, told, unfit)[start : start + limit]
    ]
    if linkset is None:
        return shown
    histories = operations_of_all(connection, [each.suffix for each in shown if each.suffix is not None])
    return [_after(each, histories.get(each.suffix or "", ()), linkset) for each in shown]


def _in_order(cut: CutRecord, told: Mapping[str, tuple[str, str]], unfit: Mapping[str, str]) -> Sequence[str]:
    """The ids: refused, unfit, deferred, and the others as they are in the batch."""
    out = cut.left_out
    bad = [each for each in cut.included if each in told and told[each][1] in unfit] if unfit else []
    first = dict.fromkeys((*out.refused, *bad, *out.deferred))
    return [*first, *(each for each in cut.operations if each not in first)]


def _told(connection: Connection, cut: CutRecord) -> Mapping[str, tuple[str, str]]:
    """Type and suffix of each operation: of the batch that is acked, or of those that are still there."""
    kept = connection.scalar(select(cuts.c.contents).where(cuts.c.id == cut.id))
    if kept is not None:
        return dict(zip(cut.operations, _contents(kept), strict=False))
    posted = read_operations_of(connection, cut)
    return {each.id: (each.operation.type, each.operation.unique_suffix) for each in posted}


def _observed(connection: Connection, number: int) -> tuple[str | None, Mapping[str, str]]:
    """The hash of the linkset, if it was observed, and why operations can never count, by their suffix."""
    seen = select(links.c.hash, links.c.reasons).join(cuts, cuts.c.linkset == links.c.hash)
    row = connection.execute(seen.where(cuts.c.id == number, links.c.stored.is_not(None))).first()
    if row is None:
        return None, {}
    return row.hash, {each["suffix"]: each["reason"] for each in _reasons(row.reasons)}


def _before(
    cut: CutRecord, name: str, told: tuple[str, str] | None, unfit: Mapping[str, str]
) -> BatchOperation:
    """What is known without a look at the DID."""
    type_, suffix = told or (None, None)
    outcome, reason = QUEUED, ""
    if name in cut.left_out.refused:
        outcome, reason = REFUSED, cut.left_out.refused[name]
    elif name in cut.left_out.deferred:
        outcome = DEFERRED
    elif suffix is not None and suffix in unfit:
        outcome, reason = UNFIT, unfit[suffix]
    return BatchOperation(id=name, type=type_, suffix=suffix, outcome=outcome, reason=reason)


def _after(known: BatchOperation, history: Sequence[Anchored], linkset: str) -> BatchOperation:
    """The same of one that was observed."""
    if known.outcome != QUEUED or known.suffix is None:
        return known
    if not any(each.reference == linkset for each in history):
        # Not all reasons are kept, but what can count is stored.
        return replace(known, outcome=UNFIT)
    found = judged(known.suffix, history)
    if found.did is None:
        return replace(known, outcome=UNRESOLVED, reason=found.reason)
    why = why_idle(found, known.suffix, history, linkset)
    return replace(known, outcome=IDLE if why else RESOLVABLE, reason=why, did=found.did)
