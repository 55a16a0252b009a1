"""Activities that were sent or received, each once. Functions of a database connection.

One that could not be handled is kept with the reason, and is none that was handled: redriven from the dead
letters, it is handled then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import case, func, select

from penstock.did.activities.names import PUBLIC
from penstock.did.federation.essentials import SHORTENED, essentials
from penstock.did.federation.tables import activities
from penstock.messaging.engine import INSERTS
from penstock.messaging.texts import clean
from penstock.sidetree.canonical import canonical, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from penstock.did.activities import Activity

__all__ = [
    "INBOX",
    "OUTBOX",
    "count_public",
    "count_type",
    "find_activity",
    "is_handled",
    "keep_activity",
    "public_activities",
]

INBOX: Final = "inbox"
OUTBOX: Final = "outbox"

#: Bytes of an activity that is not shown whole among others.
LARGE: Final = 64 * 1024


def keep_activity(connection: Connection, box: str, told: Activity, *, at: float, error: str = "") -> None:
    """Keep an activity; one that is there as handled stays as it is.

    Args:
        box: INBOX or OUTBOX.
        at: Now.
        error: Why it could not be handled; empty if it was.
    """
    insert = INSERTS[connection.dialect.name](activities).values(
        box=box,
        actor=told.actor,
        id=told.name,
        type=told.type,
        is_public=PUBLIC in told.to,
        added_at=at,
        error=clean(error),
        document=canonical(dict(told.document)),
    )
    connection.execute(
        insert.on_conflict_do_update(
            index_elements=[activities.c.box, activities.c.actor, activities.c.id],
            set_={"error": insert.excluded.error},
            where=activities.c.error != "",
        )
    )


def is_handled(connection: Connection, box: str, actor: str, name: str) -> bool:
    """Whether that activity was handled before."""
    found = select(activities.c.error).where(*_named(box, actor, name))
    return connection.scalar(found) == ""


def find_activity(connection: Connection, box: str, actor: str, name: str) -> Any | None:
    """The activity as JSON; None if there is none."""
    found = connection.scalar(select(activities.c.document).where(*_named(box, actor, name)))
    return None if found is None else parse(found)


def count_public(connection: Connection, box: str) -> int:
    """How many activities whoever asks may see."""
    return connection.scalar(select(func.count()).select_from(activities).where(*_shown(box))) or 0


def public_activities(connection: Connection, box: str, span: Sequence[int]) -> list[Any]:
    """Those of them at these places, counted from the oldest; a span may run backwards.

    Of large ones it is the essentials: a page of fifty may be asked for by anybody, as often as they like.
    """
    if not span:
        return []
    table, low = activities.c, min(span[0], span[-1])
    document = case((func.length(table.document) <= LARGE, table.document))
    rows = connection.execute(
        select(table.sequence, table.type, table.actor, table.id, document)
        .where(*_shown(box))
        .order_by(table.sequence)
        .offset(low)
        .limit(len(span))
    ).all()
    found = [
        _essentials_of(connection, box, sequence, kind, actor, name) if whole is None else parse(whole)
        for sequence, kind, actor, name, whole in rows
    ]
    return found if span[0] == low else found[::-1]


def _essentials_of(connection: Connection, box: str, sequence: int, kind: str, actor: str, name: str) -> Any:
    least = {"id": name, "type": kind, "actor": actor, "to": [PUBLIC]}
    # What this domain has sent is looked into. A stranger's may have sixteen megabytes: with fifty of those
    # a page took ten seconds, in which nobody else was told what stands in the database.
    if box != OUTBOX or kind not in SHORTENED:
        return least
    this = select(activities.c.document).where(activities.c.sequence == sequence)
    short = essentials(kind, parse(connection.scalars(this).one()))
    return short if len(canonical(short)) <= LARGE else least


def count_type(connection: Connection, box: str, kind: str) -> int:
    """How many activities of a type there are."""
    found = select(func.count()).where(activities.c.box == box, activities.c.type == kind)
    return connection.scalar(found) or 0


def _named(box: str, actor: str, name: str) -> tuple[Any, ...]:
    return activities.c.box == box, activities.c.actor == actor, activities.c.id == name


def _shown(box: str) -> tuple[Any, ...]:
    return activities.c.box == box, activities.c.is_public.is_(True)
