"""Old offers, shortened: a function of a database connection, for the expiry service.

An offer holds the whole linkset of a batch, which may have megabytes, and is of no use once its witnesses
have had their time. It is never deleted: boxes are read page by page, by number, and whoever remembers a
place there would miss what moves before it. What stays is what an answer to it repeats: who asked whom about
which anchor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select, update

from penstock.did.activities import names
from penstock.did.federation.tables import activities, words
from penstock.messaging.engine import INSERTS
from penstock.sidetree.canonical import canonical, parse

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["shorten_offers"]

#: Seconds that an offer is kept as it was: far longer than any witness may take.
WHOLE_FOR: Final = 7 * 24 * 3600.0
#: Offers that are in memory at once, however many may be shortened.
AT_ONCE: Final = 100
#: The word by which the last that was looked at is remembered.
SHORTENED_TO: Final = "offers-shortened-to"


def shorten_offers(connection: Connection, now: float, limit: int) -> int:
    """Shorten some old offers, the oldest first, no more than `limit`; returns how many."""
    table = activities.c
    done = int(connection.scalar(select(words.c.value).where(words.c.name == SHORTENED_TO)) or 0)
    old = (table.type == names.OFFER, table.sequence > done, table.added_at <= now - WHOLE_FOR)
    found = connection.execute(
        select(table.sequence, table.document).where(*old).order_by(table.sequence).limit(min(limit, AT_ONCE))
    ).all()
    for sequence, document in found:
        short = canonical(_essentials(parse(document)))
        connection.execute(update(activities).where(table.sequence == sequence).values(document=short))
    if found:
        _remember(connection, found[-1].sequence)
    return len(found)


def _essentials(offer: dict[str, Any]) -> dict[str, Any]:
    """The offer with its anchor's name in place of the linkset, as an Accept tells it."""
    match offer.get("object"):
        case {"linkset": [{"anchor": str(anchor)}, *_]}:
            return {**offer, "object": anchor}
    return offer


def _remember(connection: Connection, sequence: int) -> None:
    insert = INSERTS[connection.dialect.name](words).values(name=SHORTENED_TO, value=str(sequence))
    later = {"value": insert.excluded.value}
    connection.execute(insert.on_conflict_do_update(index_elements=[words.c.name], set_=later))
