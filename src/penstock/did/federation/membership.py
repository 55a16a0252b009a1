"""Who is in which collection. Functions of a database connection; adding or removing twice is harmless."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import delete, func, select

from penstock.did.federation.tables import members
from penstock.messaging.engine import INSERTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

__all__ = [
    "FOLLOWERS",
    "FOLLOWING",
    "LIKED",
    "LIKES",
    "SHARES",
    "WITNESSES",
    "WITNESSING",
    "add_member",
    "all_members",
    "count_members",
    "has_member",
    "member_since",
    "page_of_members",
    "remove_member",
]

FOLLOWERS: Final = "followers"
FOLLOWING: Final = "following"
#: Who witnesses this domain's anchors.
WITNESSES: Final = "witnesses"
#: Whose anchors this domain witnesses.
WITNESSING: Final = "witnessing"
#: Like activities of others, by anchor; Announce activities likewise; and anchors that this domain likes.
LIKES: Final = "likes"
SHARES: Final = "shares"
LIKED: Final = "liked"


def add_member(connection: Connection, collection: str, entry: str, *, at: float, subject: str = "") -> None:
    """Add an entry at the end, unless it is there."""
    values = {"collection": collection, "subject": subject, "entry": entry, "added_at": at}
    insert = INSERTS[connection.dialect.name](members).values(values)
    connection.execute(insert.on_conflict_do_nothing())


def remove_member(connection: Connection, collection: str, entry: str, *, subject: str = "") -> None:
    """Take an entry out, if it is there."""
    connection.execute(delete(members).where(*_of(collection, subject), members.c.entry == entry))


def has_member(connection: Connection, collection: str, entry: str, *, subject: str = "") -> bool:
    """Whether an entry is there."""
    found = select(members.c.sequence).where(*_of(collection, subject), members.c.entry == entry)
    return connection.scalar(found) is not None


def member_since(connection: Connection, collection: str, entry: str) -> float | None:
    """When an entry was added; None if it is not there."""
    return connection.scalar(select(members.c.added_at).where(*_of(collection, ""), members.c.entry == entry))


def count_members(connection: Connection, collection: str, *, subject: str | None = "") -> int:
    """How many there are; of all subjects, if it is None."""
    found = select(func.count()).select_from(members).where(*_of(collection, subject))
    return connection.scalar(found) or 0


def all_members(connection: Connection, collection: str) -> list[str]:
    """All of them, the oldest first."""
    found = select(members.c.entry).where(*_of(collection, "")).order_by(members.c.sequence)
    return list(connection.scalars(found))


def page_of_members(
    connection: Connection, collection: str, span: Sequence[int], *, subject: str | None = ""
) -> list[str]:
    """Those at these places, counted from the oldest; a span may run backwards."""
    if not span:
        return []
    low = min(span[0], span[-1])
    found = list(
        connection.scalars(
            select(members.c.entry)
            .where(*_of(collection, subject))
            .order_by(members.c.sequence)
            .offset(low)
            .limit(len(span))
        )
    )
    return found if span[0] == low else found[::-1]


def _of(collection: str, subject: str | None) -> tuple[Any, ...]:
    mine = (members.c.collection == collection,)
    return mine if subject is None else (*mine, members.c.subject == subject)
