"""Posting the offer of an anchor: once for certain, and a second time only as the same activity.

Whom to ask and until when is in the database before the offer is posted; a crash between the two leaves an
offer that is on record as not posted, and the monitor posts it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.activities import offer
from penstock.did.anchoring.anchor_witnesses import asked_in
from penstock.did.anchoring.in_process import mark_offered, read_anchor
from penstock.sidetree.canonical import parse

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from penstock.did.anchoring.identity import Identity
    from penstock.did.anchoring.in_process import AnchorRecord
    from penstock.did.anchoring.ports import Post
    from penstock.did.database import DomainDatabase

__all__ = ["Offering", "offer_name"]


def offer_name(identity: Identity, anchor: str, number: int) -> str:
    """The IRI of the offer of that round."""
    return identity.activity_name("offer", f"{anchor} {number}")


class Offering:
    """Posts offers."""

    def __init__(self, identity: Identity, database: DomainDatabase, post: Post) -> None:
        self._identity = identity
        self._database = database
        self._post = post

    async def post(self, anchor: str) -> None:
        """Post the anchor's last offer, unless it is known to be posted or is not needed any more.

        Raises:
            StoreError: the database is away.
            Exception: whatever the outbox says; the offer is still on record, and can be posted later.
        """
        record, asked = await self._database.ask(_read_offer, anchor)
        if record is None or record.linkset is None or not record.awaits_posting:
            return
        await self._post.post(
            offer(
                name=offer_name(self._identity, anchor, record.round),
                actor=self._identity.service,
                to=asked,
                linkset=parse(record.linkset),
                at=record.asked_at,
                ends_at=record.ends_at,
            )
        )
        await self._database.run(mark_offered, record)


def _read_offer(connection: Connection, anchor: str) -> tuple[AnchorRecord | None, list[str]]:
    record = read_anchor(connection, anchor)
    return record, [] if record is None else asked_in(connection, anchor, record.round)
