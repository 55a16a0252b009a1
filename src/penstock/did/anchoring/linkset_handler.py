"""The anchor linkset handler: a witnessed anchor goes to storage, to the observer, to followers.

Every step may be done again, and does the same: the content has the same hash, the activity the same name.
So a message of orb.anchor_linkset that is delivered twice, or fails half way, does no harm.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.did.activities import PUBLIC, AnchorEvent, create
from penstock.did.anchoring.credential_store import put_credential
from penstock.did.anchoring.links import put_pending, put_told
from penstock.did.anchoring.messages import ANCHOR, ANCHOR_LINKSET, AnchorInfo
from penstock.did.anchors import Anchor
from penstock.errors import BadAnchor, StoreError
from penstock.messaging.subscriptions import Consumer, ErrorClasses

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from penstock.clock import Clock
    from penstock.did.anchoring.identity import Identity
    from penstock.did.anchoring.ports import Post, Queues
    from penstock.did.cas import ContentStorage, HashLink
    from penstock.did.database import DomainDatabase
    from penstock.did.parameters import DidParameters
    from penstock.did.queues import DomainQueues
    from penstock.messaging.port import Received

__all__ = ["AnchorLinksetHandler"]


class AnchorLinksetHandler:
    """Publishes this domain's anchors."""

    def __init__(
        self,
        identity: Identity,
        database: DomainDatabase,
        *,
        cas: ContentStorage,
        queues: Queues,
        post: Post,
        clock: Clock,
    ) -> None:
        self._identity = identity
        self._database = database
        self._cas = cas
        self._queues = queues
        self._post = post
        self._clock = clock

    def consumer(self, parameters: DidParameters, queues: DomainQueues) -> Consumer:
        """Who takes the messages of orb.anchor_linkset."""
        return Consumer(
            name="anchor linkset",
            queue=queues.named(ANCHOR_LINKSET),
            handler=self.handle,
            decode=_body,
            retry=parameters.retry,
            errors=ErrorClasses(transient=(StoreError,)),
            pool=parameters.mq_anchor_linkset_pool,
            prefetch=parameters.mq_prefetch,
        )

    async def handle(self, payload: bytes) -> HashLink:
        """Publish an anchor linkset; returns where it is.

        Raises:
            BadAnchor, BadCredential: the message is no anchor of this domain; trying again will not help.
            Unavailable, StoreError, ClientError: something is away; the message is to be delivered again.
        """
        anchor = await asyncio.to_thread(Anchor.parse, payload)
        if anchor.author != self._identity.service:
            raise BadAnchor("author", f"{anchor.author[:120]!r} is the author of an anchor to publish here")
        link = await asyncio.to_thread(self._cas.put, anchor.content)
        await self._database.run(_keep, anchor, link, self._clock.now())
        await self._queues.publish(ANCHOR, AnchorInfo(hash_link=str(link)).encode())
        await self._tell(anchor, link)
        await self._database.run(put_told, link.hash, self._clock.now())
        return link

    async def _tell(self, anchor: Anchor, link: HashLink) -> None:
        await self._post.post(
            create(
                name=self._identity.activity_name("create", link.hash),
                actor=self._identity.service,
                to=[self._identity.followers, PUBLIC],
                event=AnchorEvent(url=link, linkset=anchor.document),
                at=self._clock.now(),
            )
        )


def _body(received: Received) -> bytes:
    return received.body


def _keep(connection: Connection, anchor: Anchor, link: HashLink, now: float) -> None:
    put_credential(connection, anchor.credential)
    put_pending(connection, link, now)
