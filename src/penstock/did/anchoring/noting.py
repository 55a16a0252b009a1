"""What the row of a batch and that of its anchor know of each other: functions of a database connection.

An anchor that is completed is soon forgotten, and its witnesses at once; the batch is known for longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from sqlalchemy import case, func, select, update

from penstock.did.anchoring.batch import are_verified
from penstock.did.anchoring.tables import anchors, witnesses
from penstock.did.cas.hashes import resource_hash
from penstock.did.operation_queue.tables import cuts
from penstock.messaging.texts import clean

if TYPE_CHECKING:
    from typing import Any

    from sqlalchemy import Update
    from sqlalchemy.engine import Connection

__all__ = ["HAS_PROVED", "WAS_ASKED", "note_proved", "note_published", "note_trouble", "was_verified"]

# A witness has a row for each of its roles, and counts once.
WAS_ASKED: Any = func.count(case((witnesses.c.asked_in > 0, witnesses.c.iri)).distinct())
HAS_PROVED: Any = func.count(case((witnesses.c.proof.is_not(None), witnesses.c.iri)).distinct())


def note_proved(connection: Connection, anchor: str, linkset: bytes, now: float) -> None:
    """Its proofs are enough, and this is what is published."""
    counted = select(WAS_ASKED, HAS_PROVED).where(witnesses.c.anchor == anchor)
    asked, proofs = connection.execute(counted).one()
    told = {"asked": asked, "proofs": proofs, "proved_at": now, "linkset": resource_hash(linkset)}
    connection.execute(_batch_of(anchor).values(**told))


def note_published(connection: Connection, anchor: str, now: float) -> None:
    """It was handed on to be published; the first time counts, should that be done again."""
    connection.execute(_batch_of(anchor).where(cuts.c.published_at.is_(None)).values(published_at=now))


def note_trouble(connection: Connection, linkset: str, reason: str) -> None:
    """The anchor with that linkset could not be observed here; another domain's is no batch of this one."""
    # It may quote whoever has written the anchor, and nobody is to wait for what PostgreSQL never takes.
    connection.execute(update(cuts).where(cuts.c.linkset == linkset).values(trouble=clean(reason)))


def was_verified(connection: Connection, linkset: str) -> bool:
    """Whether the anchor with that linkset is of this domain's own batch, and all signatures in it were.

    Of a batch that is not remembered any more nobody can tell.
    """
    files = connection.scalar(select(cuts.c.files).where(cuts.c.linkset == linkset))
    return files is not None and are_verified(msgspec.json.decode(files))


def _batch_of(anchor: str) -> Update:
    number = select(anchors.c.cut).where(anchors.c.anchor == anchor).scalar_subquery()
    return update(cuts).where(cuts.c.id == number)
