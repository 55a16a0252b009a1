"""What the doctor says of a database: roles beside the application's own that can write its shared tables.

Loaded only if somebody asks: the database's library is a large one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import create_engine, make_url
from sqlalchemy.exc import ArgumentError

from penstock.errors import BadSetting
from penstock.messaging.doctor import Finding, Severity
from penstock.messaging.engine import give_up, translating
from penstock.outbox.guard import other_writers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import URL

    from penstock.outbox.guard import Writer

__all__ = ["examine_roles"]

#: Ways to write that no grant can take away.
FOR_GOOD: Final = ("superuser", "owner")


def examine_roles(database: str, role: str | None, tables: Sequence[str]) -> list[Finding]:
    """Who else can write the tables.

    Args:
        database: A URL of SQLAlchemy, for PostgreSQL.
        role: The application's own; the one in the URL if None.
        tables: Those that other services are told of.

    Raises:
        BadSetting: it is no URL of a PostgreSQL database, or nobody has said whose the tables are.
        OutboxError: there is no such table or role.
        StoreError: the database does not answer.
    """
    url = _url(database)
    own = role or url.username
    if not own:
        raise BadSetting("whose tables are they? Name the application's role with --role", setting="role")
    with translating("the database"):
        engine = create_engine(url, connect_args=give_up(url))
        try:
            with engine.connect() as connection:
                return [_finding(writer) for writer in other_writers(connection, own, tables)]
        finally:
            engine.dispose()


def _url(text: str) -> URL:
    try:
        url = make_url(text)
    except ArgumentError as exc:
        raise BadSetting("a database is named like postgresql://user@host/name", setting="database") from exc
    if url.get_backend_name() != "postgresql":
        raise BadSetting(f"{url.get_backend_name()} has no roles: only PostgreSQL has", setting="database")
    return url.set(drivername="postgresql+psycopg")


def _finding(writer: Writer) -> Finding:
    subject = f"role {writer.role} on table {writer.table}"
    told = f"it can {', '.join(writer.privileges)} ({writer.how}), and consumers would not be told"
    if writer.how in FOR_GOOD:
        return Finding(Severity.NOTE, subject, told)
    return Finding(Severity.RISK, subject, f"{told}: `penstock outbox guard` takes that away")
