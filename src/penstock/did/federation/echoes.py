"""Echoes of anchors: who likes one, who has told others of it, and which ones this domain likes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.activities import announced, liked, names, unliked
from penstock.did.credentials import domain_of
from penstock.did.federation.membership import LIKED, LIKES, SHARES, add_member, remove_member
from penstock.errors import BadActivity

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from penstock.clock import Clock
    from penstock.did.activities import Activity, AnchorEvent
    from penstock.did.database import DomainDatabase
    from penstock.did.federation.handlers import Handlers

__all__ = ["Echoes"]


class Echoes:
    """Fills likes, liked and shares. An anchor is known there by its hash."""

    def __init__(self, database: DomainDatabase, *, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def register(self, coming: Handlers, going: Handlers) -> None:
        """Hear what comes in, and what this domain itself sends."""
        coming.on_like(self.was_liked)
        coming.on_announce(self.was_shared)
        coming.on_undo(self.was_unliked)
        going.on_like(self.likes)
        going.on_undo(self.likes_no_more)

    async def was_liked(self, told: Activity) -> None:
        """Somebody has observed an anchor."""
        await self._add(LIKES, told, [liked(told)[0]])

    async def was_shared(self, told: Activity) -> None:
        """Somebody tells of anchors."""
        await self._add(SHARES, told, announced(told))

    async def was_unliked(self, told: Activity) -> None:
        """Somebody takes a Like back."""
        if told.inner.type == names.LIKE:
            subject = unliked(told).url.hash
            # Whatever it says of whose it was: by its name it is kept.
            if domain_of(told.inner.name) != domain_of(told.actor):
                raise BadActivity(
                    "name", f"{told.actor[:120]!r} takes back {told.inner.name[:120]!r}, which is not its own"
                )
            await self._database.run(remove_member, LIKES, told.inner.name, subject=subject)

    async def likes(self, told: Activity) -> None:
        """This domain has observed an anchor."""
        await self._database.run(add_member, LIKED, str(liked(told)[0].url), at=self._clock.now())

    async def likes_no_more(self, told: Activity) -> None:
        """This domain takes a Like back."""
        if told.inner.type == names.LIKE:
            await self._database.run(remove_member, LIKED, str(unliked(told).url))

    async def _add(self, collection: str, told: Activity, events: list[AnchorEvent]) -> None:
        subjects = [event.url.hash for event in events]
        await self._database.run(_echo, collection, told.name, subjects, self._clock.now())


def _echo(connection: Connection, collection: str, name: str, subjects: list[str], now: float) -> None:
    for subject in subjects:
        add_member(connection, collection, name, at=now, subject=subject)
