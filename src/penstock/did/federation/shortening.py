"""Old activities, shortened: a function of a database connection, for the expiry service.

Offers and Creates hold the whole linkset of a batch, which may have megabytes. Of an offer it is no use once
its witnesses have had their time; of a Create that was handled it is in the storage, under the URL that the
Create names. What stays is what others ask for: who asked whom about which anchor, and where an anchor is,
which is all that a replay reads in a box.

None is ever deleted: boxes are read page by page, by number, and whoever remembers a place there would miss
what moves before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import select, update

from penstock.did.federation.archive import INBOX, OUTBOX
from penstock.did.federation.essentials import SHORTENED, essentials
from penstock.did.federation.tables import activities
from penstock.did.federation.words import put_word, read_word
from penstock.sidetree.canonical import canonical, parse

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["shorten_activities"]

#: Activities that are shortened in one transaction, however many may be.
AT_ONCE: Final = 100


def shorten_activities(connection: Connection, now: float, limit: int, *, kept_for: float) -> int:
    """Shorten some old activities, the oldest of each type first, no more than `limit`; returns how many.

    Args:
        now: Seconds since the epoch.
        limit: So many at most.
        kept_for: For so many seconds they stay as they were.
    """
    most = min(limit, AT_ONCE)
    total = 0
    for kind in SHORTENED:
        total += _shorten(connection, kind, now - kept_for, most - total)
    return total


def _shorten(connection: Connection, kind: str, until: float, limit: int) -> int:
    table, word = activities.c, f"{kind.lower()}s-shortened-to"
    done = int(read_word(connection, word) or 0)
    # Of each box, as the index has them: most of what is there is of other types.
    boxes = table.box.in_((INBOX, OUTBOX))
    old = (boxes, table.type == kind, table.sequence > done, table.added_at <= until)
    found = connection.execute(
        select(table.sequence, table.error).where(*old).order_by(table.sequence).limit(limit)
    ).all()
    for sequence, error in found:
        # What could not be handled may be redriven yet.
        if not error:
            this = table.sequence == sequence
            # One by one: a hundred of the largest would have a gigabyte.
            document = connection.scalars(select(table.document).where(this)).one()
            short = canonical(essentials(kind, parse(document)))
            connection.execute(update(activities).where(this).values(document=short))
    if found:
        put_word(connection, word, str(found[-1].sequence))
    return len(found)
