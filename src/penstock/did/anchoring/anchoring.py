"""Anchoring of a domain, put together: what the batch writer calls, and who handles what others tell."""

from __future__ import annotations

from random import Random, SystemRandom
from typing import TYPE_CHECKING

from penstock.did.anchoring.candidates import Candidates
from penstock.did.anchoring.completion import Completion
from penstock.did.anchoring.likes import Likes
from penstock.did.anchoring.linkset_handler import AnchorLinksetHandler
from penstock.did.anchoring.monitor import AnchorStatusMonitor
from penstock.did.anchoring.offer_handler import OfferHandler
from penstock.did.anchoring.offering import Offering
from penstock.did.anchoring.proof_handler import ProofHandler
from penstock.did.anchoring.receiver import AnchorReceiver
from penstock.did.anchoring.writer import AnchorWriter

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.did.anchoring.identity import Identity
    from penstock.did.anchoring.ports import Neighbours, Policies, Post, Queues, Services
    from penstock.did.cas import ContentStorage
    from penstock.did.credentials import Keys
    from penstock.did.database import DomainDatabase
    from penstock.did.federation import Handlers
    from penstock.did.parameters import DidParameters

__all__ = ["Anchoring"]


class Anchoring:
    """All parts of anchoring, on one database."""

    def __init__(
        self,
        identity: Identity,
        database: DomainDatabase,
        *,
        cas: ContentStorage,
        keys: Keys,
        services: Services,
        neighbours: Neighbours,
        policies: Policies,
        post: Post,
        queues: Queues,
        parameters: DidParameters,
        clock: Clock,
        chance: Random | None = None,
    ) -> None:
        """Nothing is done yet.

        Args:
            identity: Who anchors and witnesses.
            database: With the layouts ANCHORING and OPERATION_QUEUE.
            cas: Where linksets are stored.
            keys: Where others' keys come from.
            services: What those of other domains tell of themselves.
            neighbours: Who has to do with this domain.
            policies: How many witnesses an anchor needs.
            post: The outbox.
            queues: The domain's.
            parameters: The domain's.
            clock: What tells the time.
            chance: Which witnesses are asked; nobody can foresee it, if it is None.
        """
        chance = chance or SystemRandom()
        skew = parameters.max_clock_skew
        candidates = self._candidates = Candidates(identity, neighbours, services, clock)
        offering = Offering(identity, database, post)
        completion = Completion(
            database, queues=queues, policies=policies, parameters=parameters, clock=clock
        )
        #: Anchors batches.
        self.writer = AnchorWriter(
            identity, database, candidates=candidates, policies=policies, offering=offering,
            completion=completion, parameters=parameters, clock=clock, chance=chance,
        )  # fmt: skip
        #: Goes on with anchors that lack proofs.
        self.monitor = AnchorStatusMonitor(
            database, candidates=candidates, policies=policies, offering=offering,
            completion=completion, parameters=parameters, clock=clock, chance=chance,
        )  # fmt: skip
        self.offers = OfferHandler(
            identity, neighbours=neighbours, keys=keys, post=post, clock=clock, max_clock_skew=skew
        )
        self.proofs = ProofHandler(identity, database, keys=keys, completion=completion, max_clock_skew=skew)
        #: Handles the messages of orb.anchor_linkset.
        self.linksets = AnchorLinksetHandler(
            identity, database, cas=cas, queues=queues, post=post, clock=clock
        )
        self.receiver = AnchorReceiver(identity, database, cas=cas, queues=queues, post=post, clock=clock)
        #: What the observer says when it has observed an anchor; and what others say.
        self.likes = Likes(identity, database, post=post, clock=clock)

    def close(self) -> None:
        """Ask nobody any more: it has threads."""
        self._candidates.close()
        self.receiver.close()

    def register(self, handlers: Handlers) -> None:
        """Handle what other domains tell about anchors."""
        handlers.on_offer(self.offers.handle)
        handlers.on_accept(self.proofs.handle)
        handlers.on_create(self.receiver.handle_create)
        handlers.on_announce(self.receiver.handle_announce)
        handlers.on_like(self.likes.handle_like)
        handlers.on_undo(self.likes.handle_undo)
