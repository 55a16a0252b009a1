"""Writing in a hurry: transactions that a power cut may undo, each as a whole, until one is made durable.

For work that is done again anyway if it is broken off: then nobody waits for the disk after each anchor. The
next transaction of a connection that is in no hurry makes durable whatever was written before it, in SQLite
as in PostgreSQL: both have one log, and all of it up to that transaction is synced (`make_durable`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import event

from penstock.did.anchoring.links import put_observed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import Connection

    from penstock.did.cas import HashLink
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


def make_durable(connection: Connection, link: HashLink, now: float) -> None:
    """Have on disk what was written in a hurry before this, by a connection that is in none.

    Args:
        connection: In a transaction of its own.
        link: An anchor that was observed; its row is written once more, as a transaction that writes nothing
            is not synced.
        now: Seconds since the epoch.
    """
    put_observed(connection, link, now)
