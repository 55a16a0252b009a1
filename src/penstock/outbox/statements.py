"""The relay's statements: what waits, in order, and what became of it.

Each is built once, and has as many parameters whatever the size of the batch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import any_, bindparam, func, literal_column, or_, select, update
from sqlalchemy.types import ARRAY, BigInteger

from penstock.outbox.envelope import COLUMNS, Row
from penstock.outbox.table import SET_ASIDE, WAITING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection

    from penstock.outbox.outbox import Outbox

__all__ = ["NextRows", "Settlement", "Settling"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """What became of a claim's rows, by their sequence."""

    at: float
    relayed: Sequence[int]
    #: Error text by sequence: tried once more, and failed.
    failed: dict[int, str] = field(default_factory=dict)
    #: They hold up the others no longer.
    set_aside: Sequence[int] = ()


class NextRows:
    """The statements that read what waits, the first to be published first."""

    def __init__(self, outbox: Outbox, *, has_locks: bool = False) -> None:
        table = outbox.table.c
        waiting = (
            select(*(table[name] for name in COLUMNS))
            .where(table.relayed == literal_column(str(WAITING)))
            .order_by(table.priority.desc(), table.sequence)
            .limit(bindparam("limit"))
        )
        priority: ColumnElement[int] = bindparam("priority")
        sequence: ColumnElement[int] = bindparam("sequence")
        further = waiting.where(
            table.priority <= priority, or_(table.priority < priority, table.sequence > sequence)
        )
        self._first = waiting.with_for_update(skip_locked=True) if has_locks else waiting
        self._further = further.with_for_update(skip_locked=True) if has_locks else further

    def read(self, connection: Connection, limit: int, after: Row | None) -> list[Row]:
        """The next rows; after one, only those that come behind it."""
        if after is None:
            found = connection.execute(self._first, {"limit": limit})
        else:
            place = {"priority": after.priority, "sequence": after.sequence}
            found = connection.execute(self._further, {"limit": limit, **place})
        return [Row._make(row) for row in found.all()]


class Settling:
    """The statements that write down what became of rows."""

    def __init__(self, outbox: Outbox, *, by_array: bool) -> None:
        table = outbox.table.c
        these = self._among(table.sequence, by_array=by_array)
        self._is_by_array = by_array
        self._relayed = (
            update(outbox.table)
            .where(these)
            .values(relayed=table.relayed + 1, relayed_at=bindparam("at"), attempts=0, error=None)
        )
        self._failed = (
            update(outbox.table).where(these).values(attempts=table.attempts + 1, error=bindparam("because"))
        )
        self._set_aside = update(outbox.table).where(these).values(relayed=SET_ASIDE)

    @staticmethod
    def _among(sequence: ColumnElement[int], *, by_array: bool) -> ColumnElement[bool]:
        """One parameter however many rows: a statement with thousands would be compiled for each number."""
        if by_array:
            return sequence == any_(bindparam("these", type_=ARRAY(BigInteger)))
        numbers = func.json_each(bindparam("these")).table_valued("value")
        return sequence.in_(select(numbers.c.value))

    def settle(self, connection: Connection, settlement: Settlement) -> None:
        """Write it all down."""
        if settlement.relayed:
            these = self._these(settlement.relayed)
            connection.execute(self._relayed, {"these": these, "at": settlement.at})
        by_reason: dict[str, list[int]] = {}
        for sequence, because in settlement.failed.items():
            by_reason.setdefault(because, []).append(sequence)
        for because, sequences in by_reason.items():
            connection.execute(self._failed, {"these": self._these(sequences), "because": because})
        if settlement.set_aside:
            connection.execute(self._set_aside, {"these": self._these(settlement.set_aside)})

    def _these(self, sequences: Sequence[int]) -> list[int] | str:
        return list(sequences) if self._is_by_array else f"[{','.join(map(str, sequences))}]"
