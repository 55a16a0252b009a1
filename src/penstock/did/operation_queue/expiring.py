"""What the database expiry service may delete of the operation queue, some at a time.

An entry of an operation goes only if it has expired and no task is there that it could belong to: neither a
living one, nor a dead one whose operations are still to be posted anew, nor a cut. The ids of acked
operations go when their cut has expired.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import delete, exists, select

from penstock.did.among import among
from penstock.did.operation_queue.bodies import delete_operations
from penstock.did.operation_queue.cut_states import ACKED
from penstock.did.operation_queue.tables import DETACHED, cuts, operations, tasks

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["expire_acked", "expire_operations"]


def expire_operations(connection: Connection, now: float, limit: int) -> int:
    """Delete entries that are nobody's; returns how many."""
    table = operations.c
    expired = (
        select(table.sequence)
        .where(
            table.cut.is_(None),
            table.task != DETACHED,
            table.expires_at <= now,
            ~exists().where(tasks.c.task == table.task),
        )
        .limit(limit)
    )
    return delete_operations(connection, table.sequence.in_(expired))


def expire_acked(connection: Connection, now: float, limit: int) -> int:
    """Forget operations that were acked long ago; returns how many."""
    gone = 0
    while gone < limit:
        expired = select(cuts.c.id, cuts.c.operations).where(cuts.c.state == ACKED, cuts.c.expires_at <= now)
        cut = connection.execute(expired.order_by(cuts.c.expires_at).limit(1)).first()
        if cut is None:
            break
        gone += _forget(connection, cut.id, msgspec.json.decode(cut.operations), limit - gone)
    return gone


def _forget(connection: Connection, number: int, ids: list[str], limit: int) -> int:
    """Forget some of a cut's operations, and the cut with the last."""
    table = operations.c
    some = select(table.sequence).where(among(connection, table.id, ids), table.cut == number).limit(limit)
    gone = delete_operations(connection, table.sequence.in_(some))
    if gone < limit:
        connection.execute(delete(cuts).where(cuts.c.id == number))
    return gone
