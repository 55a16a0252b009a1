"""Likes: who has observed an anchor tells its author, and where a copy of the linkset can be had."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from penstock.did.activities import PUBLIC, AnchorEvent, like, liked, names, unliked
from penstock.did.anchoring.links import forget_copy, known_links, put_copy
from penstock.errors import BadActivity, NotAcceptable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

    from penstock.clock import Clock
    from penstock.did.activities import Activity
    from penstock.did.anchoring.identity import Identity
    from penstock.did.anchoring.ports import Post
    from penstock.did.cas import HashLink
    from penstock.did.database import DomainDatabase

__all__ = ["Likes"]

_log = logging.getLogger(__name__)


class Likes:
    """Likes of this domain, and of others for what is known here."""

    def __init__(self, identity: Identity, database: DomainDatabase, *, post: Post, clock: Clock) -> None:
        self._identity = identity
        self._database = database
        self._post = post
        self._clock = clock

    async def like(self, link: HashLink, copy: HashLink, to: Iterable[str]) -> None:
        """Tell those who told of an anchor, and its author, that it is observed.

        One that can never be posted is told to the log, and that is all: nothing here depends on it.

        Args:
            link: The anchor, as it was told.
            copy: As it is here.
            to: IRIs of services; this domain's own is left out.

        Raises:
            TransientError, ClientError, StoreError: not now; it may be posted again, and counts once.
        """
        others = [iri for iri in dict.fromkeys(to) if iri and not self._identity.is_me(iri)]
        if not others:
            return
        activity = like(
            name=self._identity.activity_name("like", link.hash),
            actor=self._identity.service,
            to=[*others, PUBLIC],
            liked=AnchorEvent(url=link),
            copy=AnchorEvent(url=copy),
            at=self._clock.now(),
        )
        try:
            await self._post.post(activity)
        except NotAcceptable as exc:
            _log.warning("the Like of %s cannot be posted: %s", link.bare, exc)

    async def handle_like(self, told: Activity) -> None:
        """Remember where another domain has a copy of an anchor that is known here.

        Raises:
            BadActivity: it is no Like, or its copy is of something else.
        """
        event, copy = liked(told)
        if copy is None:
            return
        if copy.url.hash != event.url.hash:
            raise BadActivity("result", f"{told.actor[:120]!r} likes an anchor, and has a copy of another")
        await self._database.run(_remember, told.actor, copy.url)

    async def handle_undo(self, told: Activity) -> None:
        """Forget it again, if it is a Like that is undone.

        Raises:
            BadActivity: it is another's Like.
        """
        if told.inner.type == names.LIKE:
            await self._database.run(forget_copy, told.actor, unliked(told).url.hash)


def _remember(connection: Connection, owner: str, link: HashLink) -> None:
    # Anybody may like anything; what is not known here is none of our business.
    if known_links(connection, [link.hash]):
        put_copy(connection, owner, link)
