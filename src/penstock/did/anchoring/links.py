"""Anchors that this domain was told of, by the hash of their linkset: functions of a database connection.

    pending     its linkset is here; the observer may not have been told
    told        the observer was told
    observed    its operations are stored

An anchor is told of by many: its author, and everybody who follows the author. What is told or observed
already is left alone, so that duplicates do not flood the observer (orb#1565). One that was told and has come
to nothing is pending again, since what stood in its way may be mended, and forgotten after a while.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import delete, func, select, update

from penstock.did.among import among
from penstock.did.anchoring.tables import UNOBSERVED, copies, links
from penstock.messaging.engine import INSERTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from sqlalchemy.engine import Connection

    from penstock.did.cas import HashLink

__all__ = [
    "OBSERVED",
    "PENDING",
    "TOLD",
    "copies_of",
    "expire_links",
    "forget_copy",
    "forget_link",
    "held_link",
    "known_links",
    "overdue_links",
    "put_copy",
    "put_observed",
    "put_pending",
    "put_told",
    "put_untold",
    "untold_among",
]

PENDING: Final = "pending"
TOLD: Final = "told"
OBSERVED: Final = "observed"

#: Operations of an anchor of which it is kept why they can never count.
REASONS: Final = 100
#: Copies of an anchor that are told of: anybody may like it, and say that it has one.
COPIES: Final = 50
#: Seconds after which an anchor that was never observed is forgotten; no message is tried again for so long.
FORGOTTEN_AFTER: Final = 7 * 24 * 3600.0


def known_links(connection: Connection, hashes: Iterable[str]) -> dict[str, str]:
    """The states of these anchors; those that nobody has told of are left out."""
    wanted = select(links.c.hash, links.c.state).where(among(connection, links.c.hash, hashes))
    return {row.hash: row.state for row in connection.execute(wanted)}


def untold_among(connection: Connection, hashes: Collection[str]) -> set[str]:
    """Those of these anchors that the observer may not have been told of.

    Of one that is pending nobody knows: whoever was to tell may have died.
    """
    known = known_links(connection, hashes)
    return {name for name in hashes if known.get(name, PENDING) == PENDING}


def put_pending(connection: Connection, link: HashLink, now: float) -> None:
    """Its linkset is here. One that is known stays as it is."""
    connection.execute(_pending(connection, link, now).on_conflict_do_nothing())


def held_link(connection: Connection, link: HashLink, now: float) -> str:
    """The state of an anchor, which nobody else changes before this transaction ends.

    By one statement: somebody may forget the anchor between two.
    """
    fresh = _pending(connection, link, now)
    held = fresh.on_conflict_do_update(index_elements=[links.c.hash], set_={"state": links.c.state})
    return str(connection.execute(held.returning(links.c.state)).scalar_one())


def _pending(connection: Connection, link: HashLink, now: float) -> Any:
    values = {"hash": link.hash, "link": str(link), "state": PENDING, "updated_at": now, "since": now}
    return INSERTS[connection.dialect.name](links).values(**values)


def put_told(connection: Connection, name: str, now: float) -> None:
    """The observer was told. One that it has observed meanwhile stays so."""
    mine = update(links).where(links.c.hash == name, links.c.state == PENDING)
    connection.execute(mine.values(state=TOLD, updated_at=now))


def put_untold(connection: Connection, name: str, now: float) -> None:
    """The observer tries no more: whoever tells of it, or builds on it, has the observer told anew."""
    mine = update(links).where(links.c.hash == name, links.c.state != OBSERVED)
    # Of one that an older version was told of, it is not known for how long it has been: from now on it is.
    since = func.coalesce(links.c.since, links.c.updated_at)
    connection.execute(mine.values(state=PENDING, updated_at=now, since=since))


def overdue_links(connection: Connection, now: float, *, least: float, limit: int) -> list[str]:
    """Those that are pending and that the observer is to be told of anew, the longest pending first.

    Each time it waits as long as it has been known, so that what never comes is asked for ever more rarely.

    Args:
        now: Seconds since the epoch.
        least: Seconds that each waits at least: who has put it there may be about to tell the observer.
        limit: How many at most.
    """
    table = links.c
    waited, known = now - table.updated_at, table.updated_at - func.coalesce(table.since, table.updated_at)
    overdue = (UNOBSERVED, table.state == PENDING, table.updated_at <= now - least, waited >= known)
    return list(
        connection.scalars(select(table.link).where(*overdue).order_by(table.updated_at).limit(limit))
    )


def put_observed(
    connection: Connection,
    link: HashLink,
    now: float,
    *,
    issued_at: float | None = None,
    stored: int | None = None,
    refused: Sequence[object] = (),
) -> None:
    """Its operations are stored.

    Args:
        link: Which anchor it is.
        now: Seconds since the epoch.
        issued_at: When its credential was.
        stored: How many; None leaves what is known of the anchor as it is.
        refused: Those that can never count, as JSON can say it.
    """
    values: dict[str, Any] = {"state": OBSERVED, "updated_at": now}
    if stored is not None:
        reasons = msgspec.json.encode(refused[:REASONS]).decode()
        values |= {"issued_at": issued_at, "stored": stored, "refused": len(refused), "reasons": reasons}
    fresh = INSERTS[connection.dialect.name](links).values(hash=link.hash, link=str(link), **values)
    connection.execute(fresh.on_conflict_do_update(index_elements=[links.c.hash], set_=values))


def forget_link(connection: Connection, name: str) -> None:
    """The observer could not take it: if it is told of again, it is looked at again."""
    connection.execute(delete(links).where(links.c.hash == name, links.c.state != OBSERVED))


def expire_links(connection: Connection, now: float, limit: int) -> int:
    """Forget some that were told long ago and never observed, for the expiry service; returns how many."""
    table = links.c
    old = (UNOBSERVED, func.coalesce(table.since, table.updated_at) <= now - FORGOTTEN_AFTER)
    hashes = list(connection.scalars(select(table.hash).where(*old).limit(limit)))
    connection.execute(delete(copies).where(among(connection, copies.c.hash, hashes)))
    return connection.execute(delete(links).where(among(connection, table.hash, hashes), *old)).rowcount


# Copies


def put_copy(connection: Connection, owner: str, link: HashLink) -> None:
    """Another domain has a copy of the linkset there."""
    fresh = INSERTS[connection.dialect.name](copies).values(hash=link.hash, owner=owner, link=str(link))
    moved = {"link": fresh.excluded.link}
    connection.execute(
        fresh.on_conflict_do_update(index_elements=[copies.c.hash, copies.c.owner], set_=moved)
    )


def forget_copy(connection: Connection, owner: str, name: str) -> None:
    """It has none any more."""
    connection.execute(delete(copies).where(copies.c.hash == name, copies.c.owner == owner))


def copies_of(connection: Connection, name: str) -> list[str]:
    """Hashlinks that lead to others' copies, in the order of their owners; so many at most."""
    found = select(copies.c.link).where(copies.c.hash == name).order_by(copies.c.owner).limit(COPIES)
    return list(connection.scalars(found))
