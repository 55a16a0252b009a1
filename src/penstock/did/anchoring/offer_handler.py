"""Witnessing: another domain offers an anchor, and this one vouches that it has seen it, if all is well.

What is signed is the author's credential. Whoever offers must be one whose anchors this domain has agreed to
witness, must be the anchor's author, and must have signed it itself; else the offer is refused, and the error
says why.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from penstock.did.activities import Offer, accept_offer
from penstock.did.anchors import Anchor
from penstock.did.credentials.methods import domain_of
from penstock.did.credentials.proofs import check, hosts_in, hosts_of
from penstock.errors import BadActivity

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.did.activities import Activity
    from penstock.did.anchoring.identity import Identity
    from penstock.did.anchoring.ports import Neighbours, Post
    from penstock.did.credentials import Keys

__all__ = ["OfferHandler"]

_log = logging.getLogger(__name__)


class OfferHandler:
    """Answers offers of other domains."""

    def __init__(
        self,
        identity: Identity,
        *,
        neighbours: Neighbours,
        keys: Keys,
        post: Post,
        clock: Clock,
        max_clock_skew: float,
    ) -> None:
        self._identity = identity
        self._neighbours = neighbours
        self._keys = keys
        self._post = post
        self._clock = clock
        self._skew = max_clock_skew

    async def handle(self, told: Activity) -> None:
        """Answer an offer with a proof. The same offer once more gets the same answer, by its name.

        Raises:
            BadActivity: it is no offer, or one that is refused; `rule` says why.
            BadAnchor: what is offered is no anchor.
            BadCredential: its credential does not hold.
            Unavailable: the author's key cannot be fetched now.
        """
        offered = Offer.of(told)
        await self._check_offerer(told.actor)
        self._check_window(offered)
        anchor = await asyncio.to_thread(self._checked, offered)
        now = self._clock.now()
        answer = accept_offer(
            offered,
            name=self._identity.activity_name("accept", told.name),
            actor=self._identity.service,
            anchor=anchor.uri,
            proof=self._identity.proof(anchor.credential.document, at=now),
            at=now,
            ends_at=offered.ends_at,
        )
        await self._post.post(answer)
        _log.info("witnessed %s of %s", anchor.uri, told.actor)

    async def _check_offerer(self, actor: str) -> None:
        if not await self._neighbours.is_witnessing(actor):
            raise BadActivity(
                "witnessing", f"{actor[:120]!r} offers an anchor, and this domain is none of its witnesses"
            )

    def _check_window(self, offered: Offer) -> None:
        now = self._clock.now()
        if offered.is_over(now - self._skew):
            raise BadActivity("endTime", "an offer came too late: its author takes no more proofs")
        if offered.starts_at > now + self._skew:
            raise BadActivity(
                "startTime", "an offer is of the future: a clock is wrong, here or at its author"
            )

    def _checked(self, offered: Offer) -> Anchor:
        """The anchor, which is the offerer's own and signed by it."""
        actor = offered.activity.actor
        anchor = Anchor.read(offered.linkset)
        if anchor.author != actor:
            raise BadActivity("author", f"{actor[:120]!r} offers an anchor of {anchor.author[:120]!r}")
        credential = anchor.credential
        if domain_of(actor) not in hosts_of(credential.document):
            raise BadActivity("unsigned", f"{actor[:120]!r} offers an anchor that it has not signed itself")
        if credential.issued_at > self._clock.now() + self._skew:
            raise BadActivity("issuanceDate", "an anchor of the future is offered: a clock is wrong")
        if domain_of(actor) not in hosts_in(check(credential.document, self._keys)):
            raise BadActivity(
                "unsigned", f"no signature of {actor[:120]!r} on its anchor can be checked here"
            )
        return anchor
