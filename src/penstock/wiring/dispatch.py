"""Dispatch: how one queue shares its messages out among its consumers.

It knows windows, turns and leases; what waits, and in which order, is the queue's.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from penstock.errors import ConstraintBroken, Locked
from penstock.wiring.consumer import Consumer, Delivery
from penstock.wiring.rotation import Rotation

if TYPE_CHECKING:
    from penstock.wiring.ledger import Ledger
    from penstock.wiring.queue import Queue
    from penstock.wiring.reference import Reference
    from penstock.wiring.rotation import Level

__all__ = ["Dispatch"]

#: How many messages a consumer is given in one turn, so that others get theirs soon.
BURST: Final = 256


class Dispatch:
    """The consumers of a queue, and what they get."""

    __slots__ = ("_queue", "_rotation", "active", "consumers", "holders")

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._rotation = Rotation()
        self.consumers: dict[Consumer, None] = {}
        #: All who have something in hand, or may get it.
        self.holders: dict[Consumer, None] = {}
        #: Who is served until it leaves, where only one at a time is.
        self.active: Consumer | None = None

    # Coming and going

    def join(self, consumer: Consumer) -> None:
        """A consumer subscribes.

        Raises:
            Locked: somebody has the queue for itself, or wants it although there are others.
            ConstraintBroken: the template allows no more consumers.
        """
        queue, limit = self._queue, self._queue.template.max_consumers
        # Who is exclusive is alone.
        if any(other.exclusive for other in islice(self.consumers, 1)):
            raise Locked(f"queue {queue.address!r} has an exclusive consumer: wait until it leaves")
        if consumer.exclusive and self.consumers:
            raise Locked(f"queue {queue.address!r} has consumers: nobody can have it for itself now")
        if limit is not None and len(self.consumers) >= limit:
            raise ConstraintBroken(
                f"queue {queue.address!r} takes at most {limit} consumers: raise its max_consumers"
            )
        self.consumers[consumer] = None
        self.holders[consumer] = None
        if queue.template.single_active and self.active is None:
            self.active = consumer
        self.serve(consumer)

    def leave(self, consumer: Consumer) -> None:
        """A consumer stops; what it has in hand is still its own to settle."""
        consumer.cancelled = True
        del self.consumers[consumer]
        self._rotation.leave(consumer)
        consumer.ledger.forget(consumer)
        consumer.drop(0)
        if consumer is self.active:
            # The next is the first to come of the highest priority.
            self.active = max(self.consumers, key=lambda other: other.priority, default=None)
            if self.active is not None:
                self.serve(self.active)

    def serve(self, consumer: Consumer) -> None:
        """A consumer has room."""
        if consumer in self.consumers and self.active in (None, consumer) and consumer not in self._rotation:
            self._rotation.join(consumer)
            self._queue.touch()

    def _rest(self, consumer: Consumer) -> None:
        self._rotation.leave(consumer)
        consumer.ledger.rest(consumer)

    # Sharing out

    def pump(self, now: float, out: list[Delivery]) -> None:
        """Give consumers with room what waits, a burst at most."""
        waiting, rotation = self._queue.waiting, self._rotation
        burst = BURST
        while burst > 0 and rotation:
            level = rotation.turn()
            first = next(iter(level))
            if len(level) == 1 and waiting.is_plain() and not first.prefetch_bytes:
                turns = self._give(first, burst, now, out)
            else:
                turns = self._deal(level, burst * len(level), now, out)
            if not turns or not len(waiting):
                return
            burst -= turns
        if burst <= 0 and len(waiting):
            self._queue.touch()

    def get(self, ledger: Ledger, now: float, *, acks: bool) -> Delivery | None:
        """One message for somebody who did not subscribe; None if none is ready."""
        getter = ledger.getter(self._queue, acks=acks)
        chosen = self._queue.waiting.next_for(getter, shared=False)
        if chosen is None or chosen[0] is None:
            return None
        if acks:
            ledger.getters[self._queue] = getter
            self.holders[getter] = None
        out: list[Delivery] = []
        self._hand(getter, chosen[0], now, {}, out)
        return out[0]

    def ask(self, consumer: Consumer, limit: int, now: float) -> list[Delivery]:
        """Up to so many for one who has room for them and asks at once, whoever's turn it is."""
        out: list[Delivery] = []
        waiting = self._queue.waiting
        if waiting.is_plain():
            self._give(consumer, limit, now, out)
            return out
        hands: dict[Consumer, Delivery] = {}
        while limit and (chosen := waiting.next_for(consumer, shared=False)) and chosen[0] is not None:
            self._hand(consumer, chosen[0], now, hands, out)
            limit -= 1
        return out

    def hand(self, ledger: Ledger, reference: Reference, now: float, lease_in: float) -> Delivery:
        """One that stands nowhere any more, to somebody who need not subscribe."""
        getter = ledger.getter(self._queue, acks=True)
        getter.lease_in = lease_in
        ledger.getters[self._queue] = getter
        self.holders[getter] = None
        out: list[Delivery] = []
        self._hand(getter, reference, now, {}, out)
        return out[0]

    def _give(self, consumer: Consumer, burst: int, now: float, out: list[Delivery]) -> int:
        """All to the only consumer whose turn it is."""
        room = consumer.room()
        references = self._queue.waiting.take(min(room, burst))
        if references:
            tag = consumer.hold(references)
            timers = self._queue.timers
            if consumer.acks and (timers.is_leasing or consumer.lease_in is not None):
                for offset, reference in enumerate(references):
                    timers.lease(reference, tag + offset, now, consumer.lease_in)
            out.append(Delivery(consumer, tag, references))
        if room > len(references):
            return len(references)
        self._rest(consumer)
        return max(len(references), 1)

    def _deal(self, level: Level, limit: int, now: float, out: list[Delivery]) -> int:
        """One each, in turn."""
        hands: dict[Consumer, Delivery] = {}
        turns = 0
        next_for = self._queue.waiting.next_for
        while turns < limit and level and (chosen := next_for(next(iter(level)))) is not None:
            turns += 1
            reference, consumer = chosen
            if reference is not None:
                self._hand(consumer, reference, now, hands, out)
            if reference is None or not consumer.room():
                self._rest(consumer)
            elif consumer in level:
                level.move_to_end(consumer)
        return turns

    def _hand(
        self,
        consumer: Consumer,
        reference: Reference,
        now: float,
        hands: dict[Consumer, Delivery],
        out: list[Delivery],
    ) -> None:
        """One reference to one consumer, in the same delivery as the one before if the tags allow."""
        tag = consumer.hold([reference])
        if consumer.acks:
            self._queue.timers.lease(reference, tag, now, consumer.lease_in)
        hand = hands.get(consumer)
        if hand is not None and tag == hand.first_tag + len(hand.references):
            hand.references.append(reference)
        else:
            hands[consumer] = hand = Delivery(consumer, tag, [reference])
            out.append(hand)
