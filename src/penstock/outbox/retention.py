"""How long relayed messages are kept, and where they go then.

The outbox is also the log that is replayed after the total loss of a broker: rows stay when they are relayed,
until somebody decides otherwise. What waits, or was set aside, is never taken away.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, select

from penstock.outbox.archive import write_archive
from penstock.outbox.envelope import COLUMNS, Row
from penstock.outbox.table import WAITING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from sqlalchemy.engine import Connection

    from penstock.outbox.database import Database
    from penstock.outbox.outbox import Outbox

__all__ = ["prune"]

#: Rows that are archived into one file, and deleted in one transaction.
SLICE: Final = 1000


async def prune(database: Database, outbox: Outbox, *, keep: float, archive: Path | None = None) -> int:
    """Delete what was relayed more than `keep` seconds ago, and return how many rows that was.

    Args:
        database: Where the outbox is.
        outbox: The outbox.
        keep: Seconds.
        archive: A folder that the rows are written to before they are deleted; None is nowhere.
    """
    before = outbox.clock.now() - keep
    count = after = 0
    while rows := await database.run(_old_rows, outbox, before, after):
        if archive is not None:
            await asyncio.to_thread(write_archive, archive, outbox.table.name, rows)
        count += await database.run(_delete, outbox, before, rows)
        after = rows[-1].sequence
    return count


def _old_rows(connection: Connection, outbox: Outbox, before: float, after: int) -> list[Row]:
    table = outbox.table.c
    found = connection.execute(
        select(*(table[name] for name in COLUMNS))
        .where(table.sequence > after, table.relayed > WAITING, table.relayed_at < before)
        .order_by(table.sequence)
        .limit(SLICE)
    )
    return [Row._make(row) for row in found]


def _delete(connection: Connection, outbox: Outbox, before: float, rows: Sequence[Row]) -> int:
    table = outbox.table.c
    # Between the first and the last there are only rows that were read, and rows that must stay.
    done = connection.execute(
        delete(outbox.table).where(
            table.sequence.between(rows[0].sequence, rows[-1].sequence),
            table.relayed > WAITING,
            table.relayed_at < before,
        )
    )
    return done.rowcount
