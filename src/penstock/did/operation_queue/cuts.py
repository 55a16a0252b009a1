"""Cuts in the database: batches that were cut, each with its operations in order, until they are acked.

A cut is the anchor of exactly once. Its operations are marked with its number in the same transaction that
makes it, so none is in two cuts; it can be read again after a crash, with the same content; and each step is
a comparison and a change in one statement, so that an instance which was taken for dead, and is not, can
change nothing in a cut that another has adopted.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import delete, insert, select, update

from penstock.did.among import named_among
from penstock.did.operation_queue.cut_states import ACKED, ANCHORED, BEFORE, CUT, FILES, OPEN
from penstock.did.operation_queue.detached import detached_values
from penstock.did.operation_queue.tables import cuts, held_by, operations
from penstock.errors import CutLost

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from sqlalchemy.engine import Connection

    #: The type of an operation, and the suffix of its DID.
    Contents = Sequence[tuple[str, str]]

__all__ = [
    "CutRecord",
    "LeftOut",
    "ack_cut",
    "adopt_cut",
    "adopt_cuts",
    "is_acked",
    "make_cut",
    "nack_cut",
    "open_cuts",
    "read_cut",
    "record_anchor",
    "record_files",
]


class LeftOut(msgspec.Struct, frozen=True):
    """The operations of a cut that its files do not have."""

    #: Their turn comes with a later batch.
    deferred: tuple[str, ...] = ()
    #: They can be in no batch: the reason by the id.
    refused: dict[str, str] = {}

    @property
    def ids(self) -> set[str]:
        """Those of all of them."""
        return {*self.deferred, *self.refused}


@dataclass(frozen=True, slots=True, kw_only=True)
class CutRecord:
    """A cut as the database has it."""

    id: int
    task: str
    state: str
    #: The genesis time of the protocol that all its operations were checked by.
    version: int
    made_at: float
    #: Their ids, in order.
    operations: tuple[str, ...]
    #: The numbers that their rows had when it was made, in the same order; none if not all were known.
    sequences: tuple[int, ...] = ()
    left_out: LeftOut = field(default_factory=LeftOut)
    #: What the batch writer wrote down of the files.
    files: Any = None
    anchor: str | None = None

    @property
    def included(self) -> list[str]:
        """The ids of those that the files have."""
        out = self.left_out.ids
        return [each for each in self.operations if each not in out]


_encode: Final = msgspec.json.Encoder().encode
_ids: Final = msgspec.json.Decoder(tuple[str, ...]).decode
_sequences: Final = msgspec.json.Decoder(tuple[int, ...]).decode
_left_out: Final = msgspec.json.Decoder(LeftOut).decode


# Making and reading


def make_cut(
    connection: Connection,
    me: str,
    ids: Sequence[str],
    *,
    version: int,
    now: float,
    queued_at: float | None = None,
    sequences: Sequence[int] = (),
) -> CutRecord | None:
    """Cut those of the operations that still wait at this instance, each once; None if none does.

    Args:
        queued_at: Since when the first of them waits.
        sequences: The numbers of their rows, in the same order, 0 for one that is not known. They are for
            who reads the cut: a number may be another row's by now, and does not say what is cut.
    """
    made = insert(cuts).values(
        task=me,
        state=CUT,
        version=version,
        made_at=now,
        queued_at=queued_at,
        operations="[]",
        left_out=_text(LeftOut()),
    )
    number = connection.execute(made.returning(cuts.c.id)).scalar_one()
    table = operations.c
    these = named_among(connection, table.id, ids, number=table.sequence)
    mine = these & (held_by == me) & table.cut.is_(None)
    count = connection.execute(update(operations).where(mine).values(cut=number)).rowcount
    if not count:
        connection.execute(delete(cuts).where(cuts.c.id == number))
        return None
    kept = tuple(dict.fromkeys(ids))
    if count < len(kept):
        # Asked only if some are in other hands: ten thousand ids take as long to return as to change.
        taken = set(connection.scalars(select(table.id).where(these, table.cut == number)))
        kept = tuple(each for each in kept if each in taken)
    numbered = _numbered(kept, ids, sequences)
    told = {"operations": _text(kept), "size": len(kept), "sequences": _text(numbered) if numbered else None}
    connection.execute(update(cuts).where(cuts.c.id == number).values(**told))
    return CutRecord(
        id=number, task=me, state=CUT, version=version, made_at=now, operations=kept, sequences=numbered
    )


def _numbered(kept: Sequence[str], ids: Sequence[str], sequences: Sequence[int]) -> tuple[int, ...]:
    """The numbers of those that are kept; none if not all are known."""
    if len(sequences) != len(ids) or not all(sequences):
        return ()
    if len(kept) == len(ids):
        return tuple(sequences)
    of_each = dict(zip(ids, sequences, strict=True))
    return tuple(of_each[each] for each in kept)


def read_cut(connection: Connection, number: int) -> CutRecord | None:
    """The cut of that number, in whatever state; None if there is none."""
    row = connection.execute(select(cuts).where(cuts.c.id == number)).mappings().first()
    return None if row is None else _record(row)


def open_cuts(connection: Connection, task: str) -> list[CutRecord]:
    """The cuts that this instance must go on with, the oldest first."""
    mine = select(cuts).where(cuts.c.state.in_(OPEN), cuts.c.task == task).order_by(cuts.c.id)
    return [_record(row) for row in connection.execute(mine).mappings()]


def adopt_cuts(connection: Connection, task: str, me: str) -> int:
    """Go on with the open cuts of a dead instance; returns how many."""
    theirs = update(cuts).where(cuts.c.state.in_(OPEN), cuts.c.task == task)
    return connection.execute(theirs.values(task=me)).rowcount


def adopt_cut(connection: Connection, number: int, me: str) -> CutRecord:
    """Go on with an open cut, whoever had it.

    Raises:
        CutLost: there is none of that number.
    """
    mine = update(cuts).where(cuts.c.id == number, cuts.c.state.in_(OPEN)).values(task=me)
    found = read_cut(connection, number) if connection.execute(mine).rowcount else None
    if found is None:
        raise CutLost(f"cut {number} was settled before, or never made")
    return found


# From state to state


def record_files(
    connection: Connection, cut: CutRecord, files: Any, left_out: LeftOut, *, now: float
) -> None:
    """The batch's files are written, and this is what they leave out."""
    told = {"files": _text(files), "left_out": _text(left_out), "written_at": now}
    _move(connection, cut, "files", state=FILES, **told)


def record_anchor(connection: Connection, cut: CutRecord, anchor: str, *, now: float) -> None:
    """The batch is anchored."""
    _move(connection, cut, "anchor", state=ANCHORED, anchor=anchor, anchored_at=now)


def ack_cut(
    connection: Connection,
    cut: CutRecord,
    *,
    claim: str,
    now: float,
    lifespan: float,
    expires_at: float,
    contents: Contents = (),
) -> None:
    """The batch is done with. Its operations stay until it expires: late copies are known by them.

    Those that the files left out go on: deferred ones wait here again, refused ones are detached under the
    claim, as posted anew too often.

    Args:
        claim: Under which refused operations are detached.
        lifespan: op-queue-operation-lifespan, in seconds, of those that are deferred.
        expires_at: Until when they stay.
        contents: Types and suffixes of all its operations, in order: refused ones leave it, and it is told of
            all without a look into any.
    """
    verb = "ack" if cut.included else "ack nothing"
    _move(connection, cut, verb, state=ACKED, expires_at=expires_at, contents=_text(contents))
    again = {"cut": None, "task": cut.task, "expires_at": now + lifespan}
    _change(connection, cut, cut.left_out.deferred, again)
    by_reason: dict[str, list[str]] = {}
    for each, reason in cut.left_out.refused.items():
        by_reason.setdefault(reason, []).append(each)
    for reason, ids in by_reason.items():
        values = detached_values(claim, now, error=reason, is_refused=True)
        _change(connection, cut, ids, values)


def is_acked(connection: Connection, cut: CutRecord) -> bool:
    """Whether this very instance has acked it: what is deferred waits here, and nowhere else."""
    found = read_cut(connection, cut.id)
    return found is not None and (found.state, found.task) == (ACKED, cut.task)


def nack_cut(
    connection: Connection, cut: CutRecord, *, claim: str, now: float, error: str, blamed: Collection[str]
) -> None:
    """The batch failed and is no more: its operations are detached under the claim, to be posted anew."""
    mine = _mine(cut, "nack")
    if not connection.execute(delete(cuts).where(*mine)).rowcount:
        raise _lost(cut)
    values = detached_values(claim, now, error=error)
    _change(connection, cut, blamed, {"has_error": True})
    _change(connection, cut, cut.operations, values)


# How


def _move(connection: Connection, cut: CutRecord, verb: str, **values: Any) -> None:
    if not connection.execute(update(cuts).where(*_mine(cut, verb)).values(**values)).rowcount:
        raise _lost(cut)


def _mine(cut: CutRecord, verb: str) -> Iterable[Any]:
    return (cuts.c.id == cut.id, cuts.c.task == cut.task, cuts.c.state.in_(BEFORE[verb]))


def _change(connection: Connection, cut: CutRecord, ids: Collection[str], values: Mapping[str, Any]) -> None:
    if ids:
        table = operations.c
        these = named_among(connection, table.id, ids, number=table.sequence) & (table.cut == cut.id)
        connection.execute(update(operations).where(these).values(**values))


def _lost(cut: CutRecord) -> CutLost:
    return CutLost(f"cut {cut.id} is not {cut.task}'s any more, or has gone another way than {cut.state}")


def _record(row: Mapping[Any, Any]) -> CutRecord:
    return CutRecord(
        id=row["id"],
        task=row["task"],
        state=row["state"],
        version=row["version"],
        made_at=row["made_at"],
        operations=_ids(row["operations"]),
        sequences=() if row["sequences"] is None else _sequences(row["sequences"]),
        left_out=_left_out(row["left_out"]),
        files=None if row["files"] is None else msgspec.json.decode(row["files"]),
        anchor=row["anchor"],
    )


def _text(value: Any) -> str:
    return _encode(value).decode()
