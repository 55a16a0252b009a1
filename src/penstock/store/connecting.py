"""Connecting to the database of a store: one connection writes, another reads beside it.

With a write-ahead log the reader sees the last committed state and neither waits for the other. A
commit is durable when it returns: synchronous=FULL syncs the log.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Final

from penstock.store.migrations import check, migrations, upgrade

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["open_reader", "open_writer"]

#: Seconds to wait for another program that looks into the database.
PATIENCE: Final = 5.0
#: Bytes of a page in a new store; one that is there keeps its own. Seven messages of 1 KB fit in, and into
#: SQLite's own 4 KiB only three: the store is a seventh smaller, and is read in a fifth less time.
PAGE: Final = 8192
#: Pages; a safety net. `tidy` checkpoints long before, when no confirm waits for it.
AUTOCHECKPOINT: Final = 8192
#: KiB; to what comes and goes 2, 16 and 64 MiB made no difference, a deep queue's index is happier.
CACHE: Final = 16_384


def open_writer(path: Path) -> sqlite3.Connection:
    """The connection of the writer thread; the database is made, or brought to this version."""
    steps = migrations()
    # Nothing is changed before it is known to be ours.
    with closing(_connect(path)) as looking:
        check(looking, path, newest=len(steps))
        looking.execute(f"PRAGMA page_size = {PAGE}")
        # Room is given back in pieces; it must be said before the first table, and costs 5 %.
        looking.execute("PRAGMA auto_vacuum = INCREMENTAL")
        looking.execute("PRAGMA journal_mode = WAL")
    connection = _connect(path)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {AUTOCHECKPOINT}")
        connection.execute(f"PRAGMA cache_size = -{CACHE}")
        upgrade(connection, steps)
    except BaseException:
        connection.close()
        raise
    return connection


def open_reader(path: Path) -> sqlite3.Connection:
    """The connection of the loop."""
    connection = _connect(path)
    connection.execute("PRAGMA query_only = ON")
    connection.execute(f"PRAGMA cache_size = -{CACHE}")
    return connection


def _connect(path: Path) -> sqlite3.Connection:
    # Transactions are written out; a connection is made in one thread and used in another, never in two.
    return sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
