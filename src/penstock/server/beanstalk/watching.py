"""Watching: which tubes a client takes jobs from, and may."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.errors import ConstraintBroken, Locked
from penstock.server.permissions import Action

if TYPE_CHECKING:
    from penstock.server.beanstalk.session import BeanstalkSession
    from penstock.server.beanstalk.tubes import Tube
    from penstock.wiring import Connection, Consumer, Delivery

__all__ = ["DEFAULT_TTR", "Watch", "Watching"]

#: Seconds a worker has for a message that came by AMQP and says nothing about it, nor does its queue.
DEFAULT_TTR: Final = 60.0


class Watch:
    """One tube that a client watches."""

    __slots__ = ("_watching", "consumer", "tube")

    def __init__(self, watching: Watching, tube: Tube) -> None:
        self._watching = watching
        self.tube = tube
        #: None until the client has to wait, or gets something.
        self.consumer: Consumer | None = None

    def deliver(self, delivery: Delivery) -> None:
        """What the client waited for."""
        self._watching.deliver(delivery)

    def cancelled(self) -> None:
        """The queue was deleted over AMQP; but while somebody watches a tube it is there."""
        self.consumer = None
        self._watching.rejoin(self)


class Watching:
    """What one client watches; the rest of it is Reserving."""

    __slots__ = ("_session", "ledger", "pending", "watched")

    def __init__(self, session: BeanstalkSession, connection: Connection) -> None:
        self._session = session
        self.ledger = connection.open_ledger()
        self.ledger.credit = 0
        self.watched: dict[str, Watch] = {}
        #: Reserves that are not answered yet.
        self.pending = 0

    def deliver(self, delivery: Delivery) -> None:
        """Jobs that were waited for."""
        raise NotImplementedError

    def watch(self, tube: Tube) -> None:
        """Take jobs from this tube, too."""
        if tube.name not in self.watched:
            self.watched[tube.name] = Watch(self, tube)
            tube.watchers += 1

    def ignore(self, name: str) -> None:
        """Take no more jobs from this tube; those in hand stay there."""
        watch = self.watched.pop(name)
        self._part(watch)
        watch.tube.watchers -= 1
        self._session.front.tubes.settle(watch.tube)

    def part_from_all(self) -> None:
        """The client becomes somebody else, who may not have what this one may."""
        for watch in self.watched.values():
            self._part(watch)

    def _part(self, watch: Watch) -> None:
        if watch.consumer is not None:
            front = self._session.front
            front.host.wiring.cancel(watch.consumer, front.broker.now)
            watch.consumer = None

    def leave(self) -> None:
        """The client is gone, and its consumers with it."""
        for watch in self.watched.values():
            watch.tube.watchers -= 1
            self._session.front.tubes.settle(watch.tube)
        self.watched.clear()

    def _join(self, watch: Watch) -> Consumer | None:
        """The client as a consumer of a tube; None if it may not be, or AMQP keeps the queue for another."""
        if watch.consumer is None and self._may_take(watch):
            front = self._session.front
            queue = front.tubes.queue_of(watch.tube)
            consume, name, now = front.host.wiring.consume, watch.tube.name, front.broker.now
            if queue.destroyed:
                return None
            try:
                watch.consumer = consume(
                    self.ledger, queue, name, now=now, lease_in=DEFAULT_TTR, remarks=watch
                )
            except (Locked, ConstraintBroken):
                return None
        return watch.consumer

    def _may_take(self, watch: Watch) -> bool:
        # The first tube is watched before it is known who the client is, and all are when it is another.
        return watch.consumer is not None or self._session.may(Action.READ, watch.tube.name)

    def rejoin(self, watch: Watch) -> None:
        """A tube that is watched was made anew."""
        if self.pending and watch.tube.name in self.watched:
            self._join(watch)

    def _look_in(self) -> None:
        """The client asks without waiting: a queue that expires for want of interest does not, for now."""
        front = self._session.front
        for watch in self.watched.values():
            queue = front.tubes.queue_of(watch.tube)
            if queue.template.unused_in is not None and self._may_take(watch):
                queue.use(front.broker.now)

    def _best(self) -> Watch | None:
        """Whose first job is the most urgent, or came first of those that are."""
        front = self._session.front
        heads: list[tuple[int, int, Watch]] = []
        for watch in self.watched.values():
            queue = front.tubes.queue_of(watch.tube)
            if queue.ready and queue.paused_until <= front.broker.now and self._join(watch) is not None:
                head = queue.waiting.first()
                if head is not None:
                    heads.append((head.priority, front.jobs.id_of(head, queue), watch))
        return min(heads, key=lambda head: head[:2])[2] if heads else None
