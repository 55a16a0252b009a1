"""The latest anchor of each DID, many at once: functions of a database connection.

An anchor never gives way to one that was issued before it, in whatever order they are observed; of two of the
same instant the greater hashlink stays, so that it is the same one wherever they are observed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import String, and_, func, literal, or_, select, true
from sqlalchemy.types import ARRAY

from penstock.did.among import among
from penstock.did.anchoring.tables import did_anchors
from penstock.messaging.engine import INSERTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

__all__ = ["anchored_among", "latest_anchors", "put_did_anchors"]


def latest_anchors(connection: Connection, suffixes: Iterable[str]) -> dict[str, str]:
    """The hashlinks of the latest anchors of these DIDs; those that have none are left out."""
    table = did_anchors.c
    wanted = select(table.suffix, table.anchor).where(among(connection, table.suffix, suffixes))
    return dict(connection.execute(wanted).all())


def anchored_among(connection: Connection, suffixes: Iterable[str]) -> set[str]:
    """Those of these DIDs that have an anchor."""
    table = did_anchors.c
    return set(connection.scalars(select(table.suffix).where(among(connection, table.suffix, suffixes))))


def put_did_anchors(
    connection: Connection, suffixes: Iterable[str], *, anchor: str, issued_at: float
) -> None:
    """Remember an anchor of all its DIDs, unless later ones are known.

    Args:
        suffixes: The DIDs.
        anchor: The hashlink of its linkset.
        issued_at: When its credential was.
    """
    # Each once: a row cannot be changed twice by one statement. And in one order everywhere: two who write
    # the same DIDs at once wait for each other, and not in a circle.
    listed = _table_of(connection, sorted(set(suffixes)))
    table = did_anchors.c
    # Without a condition SQLite takes ON CONFLICT for the beginning of a join.
    rows = select(listed.c.value, literal(anchor), literal(issued_at)).where(true())
    columns = [table.suffix, table.anchor, table.issued_at]
    fresh = INSERTS[connection.dialect.name](did_anchors).from_select(columns, rows)
    told = fresh.excluded
    is_later = or_(
        told.issued_at > table.issued_at,
        and_(told.issued_at == table.issued_at, told.anchor > table.anchor),
    )
    connection.execute(
        fresh.on_conflict_do_update(
            index_elements=[table.suffix],
            set_={"anchor": told.anchor, "issued_at": told.issued_at},
            where=is_later,
        )
    )


def _table_of(connection: Connection, values: list[str]) -> Any:
    """The values as a table, with one parameter however many there are."""
    if connection.dialect.name == "postgresql":
        return func.unnest(literal(values, ARRAY(String))).table_valued("value").render_derived()
    return func.json_each(msgspec.json.encode(values).decode()).table_valued("value")
