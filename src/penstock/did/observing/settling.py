"""Settling a batch that was observed: likes for what is stored, and the way of all failures for the rest.

    observed        its author, and whoever told of it, are told so; anchors before one of orb.anchor that
                    nobody has told of are put into that queue
    transient       a copy goes to redelivery, as if the message had been rejected: it comes back, later and
                    later, and is a dead letter in the end; then the anchor is pending again, so that it is
                    looked at again if it is told of again, or if another builds on it
    persistent      it is a dead letter at once, with its reason; the anchor is forgotten, so that it is
                    looked at again if it is told of again

A question of orb.did is no dead letter: anybody may ask for a DID that somebody has made up, and whoever
asked in earnest asks again. What could not be found is told to the log, and that is all.

When this returns, nothing depends on the messages any more. If it fails, or the process dies in between, the
batch is observed and settled once more, and does no more than it did: a Like has one name, a copy the id of
its message.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.did.anchoring.links import (
    forget_link,
    put_pending,
    put_told,
    put_untold,
    untold_among,
)
from penstock.did.anchoring.messages import ANCHOR, AnchorInfo
from penstock.did.anchoring.noting import note_trouble
from penstock.did.cas import HashLink
from penstock.did.observing.outcome import CLASSES
from penstock.did.observing.taken import Settled
from penstock.errors import InvalidMessage, StoreError, Unavailable
from penstock.messaging import headers as names
from penstock.messaging.headers import count_of
from penstock.messaging.message import Destination, Message
from penstock.messaging.redelivery.decision import COUNT, QUEUE
from penstock.messaging.subscriptions import Consumer, Counters, ErrorClass
from penstock.messaging.subscriptions.copies import LONGEST_ERROR
from penstock.messaging.subscriptions.failing import FailureRoad

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection

    from penstock.did.domain import Domain
    from penstock.did.observing.outcome import Outcome, Seen
    from penstock.did.observing.taken import Taken

__all__ = ["Settling"]

_log = logging.getLogger(__name__)


class Settling:
    """Settles the messages of one queue of a domain's observer."""

    def __init__(self, domain: Domain, queue: str) -> None:
        """Nothing is settled yet.

        Args:
            domain: Its parts are opened; no role is needed.
            queue: `anchor` or `did`.
        """
        self._domain = domain
        # Whoever wonders about one DID does not want to hear of all that its author ever anchored.
        self._follows_up = queue == ANCHOR
        self.queue = domain.queues.named(queue)
        consumer = Consumer(
            name=f"observer of {self.queue}",
            queue=self.queue,
            handler=self.settle,
            retry=domain.parameters.retry,
            errors=CLASSES,
        )
        self.counters = Counters()
        self._road = FailureRoad(
            consumer,
            domain.broker,
            self.counters,
            dead_letters=Destination.queue(domain.queues.dead_letters),
            alerts=domain.alerts,
        )

    async def settle(self, batch: Sequence[tuple[Taken, Outcome]]) -> None:
        """Do what is left to do for a batch.

        Raises:
            ClientError, Unavailable: the broker is away; the batch is to be observed once more.
            StoreError: the database is.
        """
        if any(isinstance(outcome.error, StoreError) for _, outcome in batch):
            # A database that is away for everybody is nobody's fault: the batch comes again as it is.
            await self._domain.database.check()
        # Each once, however many messages have told of it.
        seen = {each.info.hash_link: each for _, outcome in batch for each in outcome.seen}.values()
        for each in seen:
            await self._like(each)
        if self._follows_up:
            await self._follow_up(seen)
        for taken, outcome in batch:
            if outcome.error is None or self._is_unanswerable(taken, outcome.error):
                taken.ack()
                self.counters.handled += 1
            else:
                await self._fail(taken, outcome.error, outcome.failed)

    async def _like(self, seen: Seen) -> None:
        to = [seen.info.attributed_to, seen.author]
        link = HashLink.parse(seen.info.hash_link)
        await self._domain.anchoring.likes.like(link, HashLink.parse(seen.copy), to)

    async def _follow_up(self, seen: Iterable[Seen]) -> None:
        """Have anchors observed that others build on, and that nobody has told of."""
        told = {HashLink.parse(link).hash: (link, each.info) for each in seen for link in each.unknown}
        # Those of the same batch may have become known meanwhile.
        untold = await self._domain.database.ask(untold_among, told)
        for name, (link, child) in told.items():
            if name in untold:
                info = AnchorInfo(hash_link=link, attributed_to=child.attributed_to)
                await self._ask_for(info, HashLink.parse(link))

    async def _ask_for(self, info: AnchorInfo, link: HashLink) -> None:
        domain = self._domain
        await domain.database.run(put_pending, link, domain.clock.now())
        to = domain.queues.destination(domain.queues.named(ANCHOR))
        await domain.broker.publish(Message(body=info.encode()), to)
        await domain.database.run(put_told, link.hash, domain.clock.now())

    def _is_unanswerable(self, taken: Taken, error: Exception) -> bool:
        """Whether a question about a DID ends here; what is no question, or our own fault, does not."""
        if self._follows_up or isinstance(error, InvalidMessage):
            return False
        kind = CLASSES.of(error)
        if kind is ErrorClass.PERSISTENT or (kind is ErrorClass.TRANSIENT and self._is_last(taken)):
            _log.info("a DID that somebody asked for is not found: %s", error)
            return True
        return False

    def _is_last(self, taken: Taken) -> bool:
        """Whether it has been tried as often as it is."""
        message = taken.message
        tries = max(count_of(message.headers, COUNT), message.attempts)
        return tries >= self._domain.parameters.mq_redelivery_max_attempts

    async def _fail(self, taken: Taken, error: Exception, failed: str) -> None:
        if failed:
            is_last, now = self._is_last(taken), self._domain.clock.now()
            await self._domain.database.run(_note_failed, failed, error, is_last=is_last, now=now)
        await self._road.fail(taken, error)
        if taken.settled is Settled.REJECTED:
            await self._redeliver(taken, error)
        elif taken.settled is not Settled.DONE:
            raise Unavailable(f"a message of {self.queue} failed, and nobody can be told: {error}")

    async def _redeliver(self, taken: Taken, error: Exception) -> None:
        """What a broker does with a rejected message: it goes to its queue's dead-letter home."""
        message, queues = taken.message, self._domain.queues
        why = {names.ERROR: str(error)[:LONGEST_ERROR], names.CONSUMER: self.queue, QUEUE: self.queue}
        copy = replace(message, headers=names.carried(message.headers) | why)
        await self._domain.broker.publish(copy, Destination(queues.redelivery, queues.redelivery))


def _note_failed(connection: Connection, name: str, error: Exception, *, is_last: bool, now: float) -> None:
    """Tell the batch, if it is this domain's; and look at the anchor anew, should it be told of anew."""
    note_trouble(connection, name, str(error)[:LONGEST_ERROR])
    if CLASSES.of(error) is ErrorClass.PERSISTENT:
        forget_link(connection, name)
    elif is_last:
        put_untold(connection, name, now)
