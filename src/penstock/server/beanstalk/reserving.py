"""Reserving: what one client waits for and has in hand.

A client that waits is a consumer of all the tubes it watches, with as much credit as it has asked for; one
that does not wait has none. So jobs reach who waits in the broker's turn, as they reach AMQP's consumers.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final, cast

from penstock.server.beanstalk.watching import DEFAULT_TTR, Watching
from penstock.wire.beanstalk import Word, replies

if TYPE_CHECKING:
    from penstock.clock import Alarm
    from penstock.server.amqp.bodies import LargeBody
    from penstock.server.amqp.message import AmqpMessage
    from penstock.server.beanstalk.session import BeanstalkSession
    from penstock.server.beanstalk.watching import Watch
    from penstock.wiring import Connection, Delivery, Queue, Reference

__all__ = ["Reserving"]

#: Seconds before a job times out in which its worker is not made to wait (beanstalk protocol: reserve).
MARGIN: Final = 1.0


class Reserving(Watching):
    """One client's jobs in hand, and how it gets more."""

    __slots__ = ("_alarm", "_timeout", "_timeout_at")

    def __init__(self, session: BeanstalkSession, connection: Connection) -> None:
        super().__init__(session, connection)
        #: Seconds each reserve that is pending may wait, and until when the first does.
        self._timeout: int | None = None
        self._timeout_at = inf
        self._alarm: Alarm | None = None

    def __repr__(self) -> str:
        return f"<Reserving from {', '.join(self.watched)}, {self.pending} waited for, {self.ledger!r}>"

    # Asking

    def ask(self, count: int, timeout: int | None) -> None:
        """Answer so many reserves, or wait with those for which there is nothing.

        Args:
            timeout: seconds each may wait; None is for ever.
        """
        front = self._session.front
        if not any(map(self._may_take, self.watched.values())):
            self._session.say(replies.NOT_PERMITTED * count)
            return
        if front.host.wiring.busy:
            # Whoever waits already comes first.
            front.broker.settle(front.host)
        left = count - self._take(count)
        if not left:
            return
        self._look_in()
        if self._soonest() - MARGIN <= front.broker.now:
            self._session.say(replies.DEADLINE_SOON * left)
        elif timeout == 0 or self._session.is_half_closed:
            self._session.say(replies.TIMED_OUT * left)
        else:
            self._wait(left, timeout)

    def _take(self, count: int) -> int:
        """What is ready goes to the client at once, so many at most; how many did."""
        if self._session.front.is_stopping or not self.ledger.flowing:
            return 0
        if len(self.watched) == 1:
            (watch,) = self.watched.values()
            return self._take_from(watch, count)
        taken = 0
        while taken < count and (best := self._best()) is not None:
            taken += self._take_from(best, 1)
        return taken

    def _take_from(self, watch: Watch, count: int) -> int:
        queue = self._session.front.tubes.queue_of(watch.tube)
        consumer = self._join(watch) if queue.ready else None
        if consumer is None:
            return 0
        self.ledger.credit = count
        deliveries = queue.ask(consumer, count, self._session.front.broker.now)
        self.ledger.credit = 0
        for delivery in deliveries:
            self._say(delivery)
        return sum(len(delivery.references) for delivery in deliveries)

    def take_this(self, queue: Queue, reference: Reference) -> None:
        """One job by its id."""
        self.ledger.credit = 1
        self._say(queue.hand(reference, self.ledger, self._session.front.broker.now, lease_in=DEFAULT_TTR))
        self.ledger.credit = 0

    def _say(self, delivery: Delivery) -> None:
        id_of, queue, say = self._session.front.jobs.id_of, delivery.consumer.queue, self._session.say
        for tag, reference in enumerate(delivery.references, delivery.first_tag):
            number, message = id_of(reference, queue), cast("AmqpMessage", reference.message)
            if message.large is None:
                say(replies.reserved(number, bytes(message.body)))
            else:
                self._say_large(number, tag, message.large)

    def _say_large(self, number: int, tag: int, body: LargeBody) -> None:
        def lost() -> None:
            # Nobody can ever have it: it must not come back.
            if tag in self.ledger.unsettled:
                self.ledger.ack(tag)

        self._session.say_large(replies.head(Word.RESERVED, number, body.length), body, lost)

    # Waiting

    def _wait(self, count: int, timeout: int | None) -> None:
        front = self._session.front
        self.pending = count
        self._timeout = timeout
        self.ledger.credit = 0 if front.is_stopping else count
        for watch in self.watched.values():
            self._join(watch)
        self.ledger.wake()
        self._set_alarm()

    def _set_alarm(self) -> None:
        front = self._session.front
        self._timeout_at = inf if self._timeout is None else front.broker.now + self._timeout
        self._cancel_alarm()
        at = min(self._timeout_at, self._soonest() - MARGIN)
        if at < inf:
            self._alarm = front.broker.clock.call_at(at, self._ring)

    def _cancel_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def deliver(self, delivery: Delivery) -> None:
        """Jobs that were waited for, never more than were asked for."""
        self._say(delivery)
        self.pending -= len(delivery.references)
        if self.pending:
            self._set_alarm()
        else:
            self._cancel_alarm()
            self._session.go_on()

    def _ring(self) -> None:
        """The first that waits has waited long enough, or something in hand is about to time out."""
        self._alarm = None
        self._session.act(self._give_up)

    def _give_up(self) -> None:
        now = self._session.front.broker.now
        is_late = self._soonest() - MARGIN <= now
        if self.pending and (is_late or self._timeout_at <= now):
            self._session.say(replies.DEADLINE_SOON if is_late else replies.TIMED_OUT)
            left, timeout = self.pending - 1, self._timeout
            self._stop_waiting()
            self.ask(left, timeout)
        elif self.pending:
            self._set_alarm()

    def give_up_all(self) -> None:
        """The client has half closed: it waits no longer (beanstalk protocol: reserve)."""
        left = self.pending
        self._stop_waiting()
        if left:
            self._session.say(replies.TIMED_OUT * left)

    def leave(self) -> None:
        self._stop_waiting()
        super().leave()

    def stop(self) -> None:
        """The broker stops: nothing is handed out any more."""
        self.ledger.credit = 0

    def _stop_waiting(self) -> None:
        self.pending = 0
        self.ledger.credit = 0
        self._cancel_alarm()

    def _soonest(self) -> float:
        """When the first job in hand times out; inf if none does."""
        held = self.ledger.unsettled.values()
        return min((reference.notes.lease_at for reference in held if reference.notes), default=inf)

    # In hand

    def tag_of(self, reference: Reference | None) -> int | None:
        """Under which the client has a job in hand; None if it has not."""
        if reference is None or reference.notes is None:
            return None
        tag = reference.notes.tag
        return tag if self.ledger.unsettled.get(tag) is reference else None
