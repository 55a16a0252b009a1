"""What domains have granted each other, each Follow and Invite by its name. Functions of a connection.

Messages keep no order. So what was taken back is remembered, and a Follow that arrives after its own Undo
changes nothing; and a domain stays in a collection as long as one of its grants is left, so that the Undo of
an old Follow does not end a new one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete

from penstock.did.federation.membership import (
    add_member,
    count_members,
    has_member,
    page_of_members,
    remove_member,
)
from penstock.did.federation.tables import members
from penstock.messaging.engine import INSERTS

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["Bond", "dismiss", "grant", "grants_of", "is_taken_back", "revoke", "take_back"]

# Collections that nobody is shown.
GRANTED: Final = "granted"
TAKEN_BACK: Final = "taken back"
HELD: Final = "held"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bond:
    """What is granted, or is not."""

    #: The collection that somebody is in by it, and who.
    collection: str
    member: str
    #: The Follow or Invite, and whose it was: only together are they a name.
    asking: str
    asker: str

    @property
    def pair(self) -> str:
        """What all bonds of that member in that collection have in common."""
        return _pair(self.collection, self.member)


def _pair(collection: str, member: str) -> str:
    return f"{collection} {member}"


def grant(connection: Connection, bond: Bond, now: float) -> bool:
    """The member is in the collection by this bond, too; False if it was taken back before."""
    _hold(connection, bond, now)
    if is_taken_back(connection, bond):
        return False
    add_member(connection, GRANTED, bond.asking, at=now, subject=bond.pair)
    add_member(connection, bond.collection, bond.member, at=now)
    return True


def revoke(connection: Connection, bond: Bond, now: float) -> None:
    """This bond is no more; with the last of them the member leaves the collection."""
    _hold(connection, bond, now)
    remove_member(connection, GRANTED, bond.asking, subject=bond.pair)
    if not count_members(connection, GRANTED, subject=bond.pair):
        remove_member(connection, bond.collection, bond.member)


def take_back(connection: Connection, bond: Bond, now: float) -> None:
    """Who had asked for it no longer wants it, and never will under that name."""
    add_member(connection, TAKEN_BACK, bond.asking, at=now, subject=bond.asker)
    revoke(connection, bond, now)


def dismiss(connection: Connection, bond: Bond, now: float) -> None:
    """The member leaves the collection, whatever it was granted before."""
    _hold(connection, bond, now)
    connection.execute(delete(members).where(members.c.collection == GRANTED, members.c.subject == bond.pair))
    remove_member(connection, bond.collection, bond.member)


def grants_of(connection: Connection, collection: str, member: str) -> list[str]:
    """The Follows and Invites by which the member is in the collection, the oldest first."""
    pair = _pair(collection, member)
    return page_of_members(
        connection, GRANTED, range(count_members(connection, GRANTED, subject=pair)), subject=pair
    )


def is_taken_back(connection: Connection, bond: Bond) -> bool:
    """Whether who had asked for it no longer wants it."""
    return has_member(connection, TAKEN_BACK, bond.asking, subject=bond.asker)


def _hold(connection: Connection, bond: Bond, now: float) -> None:
    """Let nobody else change this pair's bonds until the transaction ends."""
    values = {"collection": HELD, "subject": "", "entry": bond.pair, "added_at": now}
    insert = INSERTS[connection.dialect.name](members).values(values)
    named = [members.c.collection, members.c.subject, members.c.entry]
    connection.execute(insert.on_conflict_do_update(index_elements=named, set_={"added_at": now}))
