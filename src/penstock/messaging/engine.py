"""A database that Penstock keeps something in: how it is opened, and what its errors mean here."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import create_engine, event, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from penstock.clock import SystemClock
from penstock.errors import BadSetting, NotStorable, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sqlalchemy import URL, Connection, Engine

__all__ = ["GIVE_UP", "INSERTS", "READS", "give_up", "open_engine", "translating"]

#: How each dialect inserts where a row may be there already.
INSERTS: Final[Mapping[str, Callable[..., Any]]] = {"postgresql": postgresql.insert, "sqlite": sqlite.insert}

#: The execution option of a connection that only reads: in SQLite it need not wait for the lock that writes.
READS: Final = "penstock_reads"

#: The dialects whose conflicts the statements here know, and how each is reached.
DRIVERS: Final = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}
#: When libpq gives a server up that is silent, since nobody resets the connections of a machine that is gone,
#: and TCP by itself waits for hours: it is asked for signs of life, and gone if there was none for a minute.
#: Seconds, but for the last, which is in milliseconds.
GIVE_UP: Final[Mapping[str, int]] = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
#: The version of libpq that knows the last of these; older ones refuse what they do not know.
KNOWS_USER_TIMEOUT: Final = 12_00_00
#: Seconds to wait for another program that is writing in the same SQLite file.
BUSY_S: Final = 30
#: Between two tries where SQLite itself does not wait.
PAUSE_S: Final = 0.01
#: PostgreSQL's errors about what is in a statement: a value that none can be like, or that no index can have.
OF_VALUES: Final = ("22", "54")
#: Of SQLite's error codes, the bits that say what happened; the others say where.
PRIMARY: Final = 0xFF
_MEMORY: Final = {None, "", ":memory:"}


def open_engine(url: str, *, what: str = "dead letters", setting: str = "store") -> Engine:
    """An engine for a URL of SQLAlchemy: `sqlite:///file`, `sqlite://` in memory, `postgresql://…`.

    Args:
        url: Where the database is.
        what: What is kept there, in the plural, for the errors' words.
        setting: Where the URL was set.

    Raises:
        BadSetting: it is no such URL.
    """
    try:
        read = make_url(url)
    except ArgumentError as exc:
        named = what.replace(" ", "-")
        raise BadSetting(f"{what} are kept at a URL like sqlite:///{named}.db", setting=setting) from exc
    kind = read.get_backend_name()
    if kind not in DRIVERS:
        raise BadSetting(f"{what} are kept in SQLite or PostgreSQL, not in {kind}", setting=setting)
    with translating(f"the {what}"):
        if kind == "sqlite":
            return _sqlite(read)
        try:
            reached = read.set(drivername=DRIVERS[kind])
            return create_engine(reached, connect_args=give_up(read), pool_pre_ping=True)
        except (ModuleNotFoundError, NoSuchModuleError) as exc:
            raise BadSetting(
                "PostgreSQL needs psycopg: pip install penstock[postgresql]", setting=setting
            ) from exc


def give_up(url: URL) -> dict[str, Any]:
    """When PostgreSQL is given up at this URL, for libpq; but for what its user has said of it.

    Raises:
        ModuleNotFoundError: its driver is not installed.
    """
    from psycopg import pq  # noqa: PLC0415  SQLite needs none

    said = set(url.query)
    if "PGCONNECT_TIMEOUT" in os.environ:
        said.add("connect_timeout")
    if pq.version() < KNOWS_USER_TIMEOUT:
        said.add("tcp_user_timeout")
    return {name: value for name, value in GIVE_UP.items() if name not in said}


def _sqlite(url: URL) -> Engine:
    # The store has a thread of its own, which need not be the one that opens the connection.
    options: dict[str, Any] = {"connect_args": {"check_same_thread": False, "timeout": BUSY_S}}
    if url.database in _MEMORY:
        # Another connection would be another database.
        options["poolclass"] = StaticPool
    engine = create_engine(url, **options)
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: Any, _record: object) -> None:
    # Python's module begins a transaction only before it writes; ours begin before they read.
    connection.isolation_level = None
    _write_ahead(connection)
    connection.execute("PRAGMA synchronous = FULL")


def _write_ahead(connection: Any) -> None:
    """Have a log written ahead. Of several who make a file at once SQLite refuses some without a wait."""
    clock = SystemClock()
    until = clock.now() + BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as exc:
            if exc.sqlite_errorcode & PRIMARY != sqlite3.SQLITE_BUSY or clock.now() > until:
                raise
            time.sleep(PAUSE_S)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    is_reading = connection.get_execution_options().get(READS)
    connection.exec_driver_sql("BEGIN" if is_reading else "BEGIN IMMEDIATE")


@contextmanager
def translating(place: str) -> Iterator[None]:
    """Whatever goes wrong in here with the database is a StoreError, without what was to be written.

    But for values that it can never hold: who tries again with those would do so for ever.
    """
    try:
        yield
    except DBAPIError as exc:
        kind = NotStorable if _is_of_values(exc) else StoreError
        # The text of SQLAlchemy's own error has the statement's values in it: bodies and headers of messages.
        raise kind(f"{place} cannot be read or written: {exc.orig}") from exc.orig
    except SQLAlchemyError as exc:
        raise StoreError(f"{place} cannot be read or written: {type(exc).__name__}") from exc


def _is_of_values(error: DBAPIError) -> bool:
    state = getattr(error.orig, "sqlstate", None) or ""
    return isinstance(error, DataError) or state.startswith(OF_VALUES)
