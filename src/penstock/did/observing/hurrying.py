"""Writing in a hurry: transactions that a power cut may undo, each as a whole, until one is made durable.

For work that is done again anyway if it is broken off: then nobody waits for the disk after each anchor. The
next transaction of a connection that is in no hurry makes durable whatever was written before it, in SQLite
as in PostgreSQL: both have one log, and all of it up to that transaction is synced (`make_durable`). What a
crash has undone before that is told there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import event

from penstock.did.anchoring.links import OBSERVED, known_links, put_observed
from penstock.did.cas import HashLink
from penstock.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Connection

    from penstock.did.database import DomainDatabase

__all__ = ["hurry", "make_durable"]

#: How each is told. In WAL mode SQLite's file stays whole with it (sqlite.org/pragma.html, synchronous).
HURRIED: Final[Mapping[str, str]] = {
    "sqlite": "PRAGMA synchronous = NORMAL",
    "postgresql": "SET synchronous_commit TO off",
}


def hurry(database: DomainDatabase) -> DomainDatabase:
    """The database, of which no connection is open yet, with connections that are in a hurry."""
    statement = HURRIED[database.engine.dialect.name]

    def tell(connection: Any, _record: object) -> None:
        connection.execute(statement)
        # PostgreSQL forgets what was set in a transaction that ends with no commit.
        connection.commit()

    event.listen(database.engine, "connect", tell)
    return database


def make_durable(connection: Connection, hashes: Sequence[str], now: float) -> None:
    """Have on disk what was written in a hurry before this, by a connection that is in none.

    Args:
        connection: In a transaction of its own.
        hashes: The anchors that were observed, one at least; the row of the last is written once more, as a
            transaction that writes nothing is not synced.
        now: Seconds since the epoch.

    Raises:
        StoreError: some are not observed any more; all of them are to be observed again.
    """
    known = known_links(connection, hashes)
    # PostgreSQL is back a second after a crash, and none of those who are connected anew need notice.
    if lost := [name for name in hashes if known.get(name) != OBSERVED]:
        raise StoreError(f"{len(lost)} anchors were stored, and are not there: the database has crashed")
    put_observed(connection, HashLink(hashes[-1]), now)
