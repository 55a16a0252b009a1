"""Marks: how far the outboxes of other services were read. Functions of a database connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, select

from penstock.did.federation.membership import add_member
from penstock.did.federation.tables import members

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["mark_of", "put_mark"]

#: A collection that nobody is shown.
READ: Final = "read"


def mark_of(connection: Connection, service: str) -> str | None:
    """The last thing that was read in a service's outbox; None if nobody has ever read there."""
    mine = (members.c.collection == READ, members.c.subject == service)
    return connection.scalar(
        select(members.c.entry).where(*mine).order_by(members.c.sequence.desc()).limit(1)
    )


def put_mark(connection: Connection, service: str, name: str, now: float) -> None:
    """It was read up to this, whatever was said before."""
    connection.execute(delete(members).where(members.c.collection == READ, members.c.subject == service))
    add_member(connection, READ, name, at=now, subject=service)
