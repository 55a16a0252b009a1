"""What tests of the queue's tables say often."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from penstock.did.operation_queue.cuts import make_cut
from penstock.did.operation_queue.tables import operations
from penstock.did.operation_queue.taking import take

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue.cuts import CutRecord
    from penstock.did.operation_queue.operation import Posted

NOW = 1_000_000.0


def take_all(database: DomainDatabase, me: str, *batch: Posted, now: float = NOW) -> set[str]:
    """Take them, and return the suffixes of those that wait."""
    mine = database.do(take, me, batch, now=now, lifespan=120.0)
    return {each.operation.unique_suffix for each in batch if each.id in mine}


def cut_all(database: DomainDatabase, me: str, *batch: Posted) -> CutRecord:
    """Take them, and cut them."""
    mine = database.do(take, me, batch, now=NOW, lifespan=120.0)
    ids = [each.id for each in batch]
    sequences = [mine.get(each, 0) for each in ids]
    record = database.do(make_cut, me, ids, version=0, now=NOW, sequences=sequences)
    assert record is not None
    return record


def rows(database: DomainDatabase, *names: str, table: sa.Table = operations) -> list[Any]:
    """All rows in order, or the values of one column."""
    (order, *_) = table.primary_key
    chosen = sa.select(*(table.c[name] for name in names)).order_by(order)
    found = database.do(lambda connection: connection.execute(chosen).all())
    return [row[0] if len(names) == 1 else tuple(row) for row in found]
