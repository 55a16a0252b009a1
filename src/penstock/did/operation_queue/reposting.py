"""Posting detached operations anew: publish, and delete what the broker has confirmed, page by page."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from penstock.did.operation_queue.copies import copy_of, is_discarded
from penstock.did.operation_queue.detached import claim_due, claimed_page, delete_posted, release_claim
from penstock.errors import ClientError
from penstock.messaging.alerts import EXHAUSTED
from penstock.messaging.port import Alert

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue.detached import Claimed
    from penstock.did.queues import DomainQueues
    from penstock.messaging.port import Alerts, Broker
    from penstock.messaging.redelivery import RedeliveryPolicy

__all__ = ["Reposted", "Reposter", "new_claim"]

#: Operations that are read, published and deleted at a time.
PAGE: Final = 1000

_log = logging.getLogger(__name__)


def new_claim() -> str:
    """A claim that nobody else has made."""
    return uuid4().hex


@dataclass(frozen=True, slots=True)
class Reposted:
    """What became of a claim's operations."""

    posted: int = 0
    #: They are dead letters.
    discarded: int = 0
    #: The broker has not confirmed them; they are detached still.
    left: int = 0

    def __add__(self, other: Reposted) -> Reposted:
        return Reposted(self.posted + other.posted, self.discarded + other.discarded, self.left + other.left)


class Reposter:
    """Posts what is detached. What cannot be posted now stays detached, and is found by the next run."""

    def __init__(
        self,
        database: DomainDatabase,
        broker: Broker,
        *,
        policy: RedeliveryPolicy,
        queues: DomainQueues,
        alerts: Alerts | None = None,
    ) -> None:
        self._database = database
        self._broker = broker
        self._policy = policy
        self._queues = queues
        self._alerts = alerts

    async def repost_due(self) -> Reposted:
        """Post all that are detached and that nobody else is posting.

        Raises:
            StoreError: the database is away; nothing is lost.
        """
        claim = new_claim()
        if not await self._database.run(claim_due, claim, self._broker.clock.now()):
            return Reposted()
        return await self.repost(claim)

    async def repost(self, claim: str) -> Reposted:
        """Post all that are claimed so.

        Raises:
            StoreError: the database is away; nothing is lost.
        """
        done = Reposted()
        while page := await self._database.run(claimed_page, claim, PAGE):
            outcome = await self._publish(claim, page)
            done += outcome
            if outcome.left:
                await self._database.run(release_claim, claim, self._broker.clock.now())
                _log.warning("%d operations or more cannot be posted anew now", outcome.left)
                break
        return done

    async def _publish(self, claim: str, page: Sequence[Claimed]) -> Reposted:
        now = self._broker.clock.now()
        copies = [copy_of(claimed, self._policy, self._queues, now) for claimed in page]
        errors: Sequence[ClientError | None]
        try:
            errors = await self._broker.publish_many(copies)
        except ClientError as exc:
            errors = [exc] * len(copies)
        confirmed = [claimed for claimed, error in zip(page, errors, strict=True) if error is None]
        await self._database.run(delete_posted, claim, [claimed.posted.id for claimed in confirmed])
        discarded = [claimed for claimed in confirmed if is_discarded(claimed, self._policy)]
        for claimed in discarded:
            self._tell(claimed)
        return Reposted(len(confirmed) - len(discarded), len(discarded), len(page) - len(confirmed))

    def _tell(self, claimed: Claimed) -> None:
        posted = claimed.posted
        _log.warning("operation %s is a dead letter: %s", posted.id, claimed.error)
        if self._alerts is not None:
            self._alerts.raise_alert(
                Alert(
                    kind=EXHAUSTED,
                    subject=f"operation of {posted.operation.unique_suffix}",
                    text=f"operation {posted.id} was given up: {claimed.error}",
                    details={"operation": posted.id, "dead_letters": self._queues.dead_letters},
                    is_critical=True,
                )
            )
