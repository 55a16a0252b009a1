"""A database by its URL, for commands; an application has an engine of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import create_engine, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from penstock.errors import BadSetting
from penstock.messaging.engine import give_up

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

__all__ = ["open_engine"]

#: How each kind is reached, whichever driver the URL names.
DRIVERS: Final = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}
#: Seconds to wait for another program that is writing in the same SQLite file.
BUSY_S: Final = 30


def open_engine(url: str) -> Engine:
    """An engine for a URL of SQLAlchemy: `sqlite:///file` or `postgresql://…`.

    Raises:
        BadSetting: it is no such URL, or its driver is not installed.
    """
    try:
        read = make_url(url)
    except ArgumentError as exc:
        raise BadSetting("a database is named like postgresql://user@host/name", setting="database") from exc
    kind = read.get_backend_name()
    if kind not in DRIVERS:
        raise BadSetting(f"an outbox is kept in PostgreSQL or SQLite, not in {kind}", setting="database")
    try:
        options: dict[str, Any] = {"timeout": BUSY_S} if kind == "sqlite" else give_up(read)
        return create_engine(read.set(drivername=DRIVERS[kind]), connect_args=options)
    except (ModuleNotFoundError, NoSuchModuleError) as exc:
        told = "PostgreSQL needs psycopg: pip install penstock[postgresql]"
        raise BadSetting(told, setting="database") from exc
