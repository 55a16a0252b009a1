"""Ledger: what is in hand on one channel of a connection, by delivery tag, and how it is settled.

A session keeps one for each stream of deliveries that its peer acknowledges together. Settling here
never routes: what dies goes to the agenda's graveyard, and the wiring takes it from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.errors import UnknownDelivery
from penstock.wiring.consumer import UNLIMITED, Consumer
from penstock.wiring.death import Reason
from penstock.wiring.reference import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.wiring.connection import Connection
    from penstock.wiring.queue import Queue
    from penstock.wiring.reference import Reference

__all__ = ["Ledger"]

GONE = State.GONE

#: Tags of lapsed deliveries that are remembered.
LAPSED_MOST: Final = 10_000


class Ledger:
    """The unsettled deliveries of one channel."""

    __slots__ = (
        "_lowest",
        "connection",
        "consumers",
        "credit",
        "flowing",
        "getters",
        "lapsed",
        "last_tag",
        "prefetch",
        "resting",
        "unsettled",
    )

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.consumers: dict[str, Consumer] = {}
        #: Who holds what was got one by one, without a subscription; forgotten with the last of it.
        self.getters: dict[Queue, Consumer] = {}
        #: How many deliveries all consumers here may have in hand together.
        self.prefetch = UNLIMITED
        #: How many more its consumers have asked for, all together; None for what their windows allow.
        self.credit: int | None = None
        #: False while the peer has asked for a pause, or does not read.
        self.flowing = True
        self.unsettled: dict[int, Reference] = {}
        self.last_tag = 0
        #: No tag below this is unsettled.
        self._lowest = 1
        #: Tags whose lease ran out, the last of them: who is late with one is late, and makes no mistake.
        self.lapsed: dict[int, None] = {}
        #: Consumers that wait for room.
        self.resting: dict[Consumer, None] = {}

    def __repr__(self) -> str:
        return f"<Ledger of {self.connection.name!r}, {len(self.unsettled)} unsettled up to {self.last_tag}>"

    # Settling

    def ack(self, tag: int, *, up_to: bool = False) -> int:
        """Done: the reference goes, and with the last one the message. How many were settled."""
        settled = self._take(tag, up_to=up_to)
        self.settle(settled)
        return len(settled)

    def settle(self, settled: list[Reference]) -> None:
        """The same with references that were taken out of `unsettled`."""
        if not settled:
            return
        consumer, journal = settled[0].consumer, settled[0].consumer.queue.journal
        run = 0
        for reference in settled:
            if reference.consumer is not consumer:
                consumer.queue.tally.acked += run
                consumer.drop(run)
                consumer, run = reference.consumer, 0
                journal = consumer.queue.journal
            run += 1
            reference.state = GONE
            reference.message.references -= 1
            if journal is not None:
                consumer.queue.note_removed(reference)
            if reference.notes is not None:
                consumer.queue.settle(reference)
        consumer.queue.tally.acked += run
        consumer.drop(run)

    def nack(
        self,
        tag: int,
        now: float,
        *,
        up_to: bool = False,
        requeue: bool = True,
        delay_in: float = 0.0,
        priority: int | None = None,
    ) -> None:
        """Not done, and nobody is to blame: back to its place, or later, or to the dead letters."""
        for reference in self._release(self._take(tag, up_to=up_to)):
            queue = reference.consumer.queue
            if requeue:
                queue.take_back(reference, now, delay_in=delay_in, priority=priority)
            else:
                queue.die(reference, Reason.REJECTED)

    def reject(
        self, tag: int, now: float, *, up_to: bool = False, requeue: bool = False, error: str | None = None
    ) -> None:
        """The consumer failed on it: to the dead letters, or back to its place with the failure counted."""
        for reference in self._release(self._take(tag, up_to=up_to)):
            queue = reference.consumer.queue
            if requeue:
                queue.take_back(reference, now, failed=True, error=error)
            else:
                reference.noted().failed += 1
                queue.die(reference, Reason.REJECTED, error)

    def bury(self, tag: int, *, priority: int | None = None, error: str | None = None) -> None:
        """Put it aside until somebody kicks it."""
        for reference in self._release(self._take(tag)):
            reference.consumer.queue.bury(reference, priority=priority, error=error)

    def touch(self, tag: int, now: float) -> None:
        """The consumer is still at work on it: its lease starts anew."""
        if tag not in self.unsettled:
            raise self._unknown(tag)
        reference = self.unsettled[tag]
        consumer = reference.consumer
        consumer.queue.timers.lease(reference, tag, now, consumer.lease_in)

    def lapse(self, reference: Reference, now: float) -> None:
        """Its lease ran out: it goes back to its place, with the failure counted."""
        tag = reference.noted().tag
        del self.unsettled[tag]
        self.lapsed[tag] = None
        if len(self.lapsed) > LAPSED_MOST:
            del self.lapsed[next(iter(self.lapsed))]
        reference.consumer.queue.tally.lapsed += 1
        for lapsed in self._release([reference]):
            lapsed.consumer.queue.take_back(lapsed, now, failed=True, error="the lease ran out")

    def return_all(self, now: float, *, failed: bool) -> None:
        """Everything in hand goes back, the channel being closed or lost."""
        everything = list(self.unsettled.values())
        self.unsettled.clear()
        self._lowest = self.last_tag + 1
        for reference in self._release(everything):
            reference.consumer.queue.take_back(reference, now, failed=failed)

    # Room

    def rest(self, consumer: Consumer) -> None:
        """A consumer has no room; it is served again when something is settled here."""
        self.resting[consumer] = None

    def wake(self, settler: Consumer | None = None) -> None:
        """There may be room again: for one who settled, or for all, as when a window here was changed."""
        for consumer in list(self.resting) if settler is None or self.prefetch else [settler]:
            if consumer in self.resting and consumer.room():
                del self.resting[consumer]
                consumer.queue.dispatch.serve(consumer)

    def forget(self, consumer: Consumer) -> None:
        """A consumer is gone."""
        self.resting.pop(consumer, None)
        self.consumers.pop(consumer.name, None)

    def getter(self, queue: Queue, *, acks: bool) -> Consumer:
        """Who holds what is got from a queue one by one."""
        if acks and queue in self.getters:
            return self.getters[queue]
        getter = Consumer("", queue, self, acks=acks)
        # It never subscribed: nothing is pushed to it, whatever it has room for.
        getter.cancelled = True
        return getter

    # Tags

    def _take(self, tag: int, *, up_to: bool = False) -> list[Reference]:
        if up_to:
            return self._take_up_to(tag or self.last_tag)
        reference = self.unsettled.pop(tag, None)
        if reference is None:
            raise self._unknown(tag)
        return [reference]

    def _take_up_to(self, tag: int) -> list[Reference]:
        if tag > self.last_tag:
            raise self._unknown(tag)
        pop = self.unsettled.pop
        # Each tag is looked at once in the ledger's life: a dict emptied from its front would be
        # scanned again and again.
        taken = [r for t in range(self._lowest, tag + 1) if (r := pop(t, None)) is not None]
        self._lowest = max(self._lowest, tag + 1)
        return taken

    def _unknown(self, tag: int) -> UnknownDelivery:
        return UnknownDelivery(
            f"delivery {tag} is not in hand: settled before, or never sent (the last tag was {self.last_tag})"
        )

    def _release(self, references: Iterable[Reference]) -> Iterator[Reference]:
        """References leave their consumers' hands, one after the other."""
        for reference in references:
            consumer = reference.consumer
            consumer.drop(1)
            if reference.notes is not None:
                consumer.queue.leave_hand(reference)
            yield reference
