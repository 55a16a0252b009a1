"""How often something was begun by somebody who has died since: functions of a connection.

An anchor, a DID or a batch may do to Python what no exception tells: end it. Whoever begins writes it down
first, and it is struck out at the end, however that is, or as it is stored. So what is left tells of deaths
alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete

from penstock.did.anchoring.tables import tries
from penstock.messaging.engine import INSERTS

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["begin_try", "end_tries"]


def begin_try(connection: Connection, name: str) -> int:
    """Begin with it, by the name that all know it by: an anchor's is its resource hash.

    Returns how many have died at it.
    """
    fresh = INSERTS[connection.dialect.name](tries).values(hash=name, count=1)
    counted = fresh.on_conflict_do_update(index_elements=[tries.c.hash], set_={"count": tries.c.count + 1})
    count: int = connection.execute(counted.returning(tries.c.count)).scalar_one()
    return count - 1


def end_tries(connection: Connection, name: str) -> None:
    """Whoever was at it lives."""
    connection.execute(delete(tries).where(tries.c.hash == name))
