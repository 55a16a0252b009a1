"""Wiring: a whole broker without the wires: messages come in, are routed, wait, go out, are settled.

The catalogue says what exists; here is what flows. It is pure: time is told to it, and what is to be
sent it returns. After anything was published or settled, call `deliver`; call `tick` no later than
the time it returned last.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from penstock.errors import AlreadyDifferent, ConstraintBroken
from penstock.wiring.catalogue import Catalogue
from penstock.wiring.connection import Connection
from penstock.wiring.consumer import Consumer
from penstock.wiring.death import Reason, bury_with, is_cycle
from penstock.wiring.explain import Explanation, explain
from penstock.wiring.router import Router, blocking_stage

if TYPE_CHECKING:
    from collections.abc import Collection

    from penstock.wiring.agenda import Dead
    from penstock.wiring.consumer import Delivery
    from penstock.wiring.ledger import Ledger
    from penstock.wiring.message import Message
    from penstock.wiring.proxy import Proxy
    from penstock.wiring.queue import Queue
    from penstock.wiring.reference import Reference

__all__ = ["Published", "Wiring"]


class Published(NamedTuple):
    """What became of the messages of one publish that did not simply go into their queues."""

    #: Nobody asked for these.
    unroutable: list[Message]
    #: At least one queue had no room for these.
    refused: list[Message]


class Wiring(Catalogue):
    """Messages in, messages out."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._router = Router(self.proxies)
        #: Messages sent to proxies, wherever they went.
        self.published = 0
        #: Dead letters that found no home, by the reason they died of or what cut their way.
        self.dropped: Counter[str] = Counter()

    # In

    def publish(self, proxy: str, messages: Collection[Message], now: float) -> Published:
        """Send messages to a proxy, which passes them to the queues that asked for them."""
        place = self.proxy(proxy)
        if place.internal:
            raise ConstraintBroken(f"proxy {proxy!r} is internal: publish to one that leads to it")
        self.published += len(messages)
        place.published += len(messages)
        published = Published([], [])
        straight = not (place.detours or place.loses)
        # Where there are no detours all targets are queues.
        ways = cast("dict[str, dict[Queue, None]] | None", place.known_ways)
        ways = {} if ways is None else ways
        routed = 0
        for message in messages:
            message.proxy = proxy
            if straight and not message.terms.also:
                # The hot path: to a destination seen before it costs no call but the queue's own.
                queues = ways.get(message.destination)
                if queues is None:
                    queues = cast("dict[Queue, None]", place.route(message, message.destination))
                if queues:
                    count = len(queues)
                    routed += count
                    message.references += count
                    for queue in queues:
                        if not queue.put(message, now) and message not in published.refused[-1:]:
                            published.refused.append(message)
                    continue
            self._publish_round(place, message, now, published)
        place.routed += routed
        return published

    def place(self, queue: Queue, message: Message, now: float) -> Reference | None:
        """Send a message to one queue; its place there, None if it was refused or lost on the way."""
        self.published += 1
        if queue.stack and blocking_stage(queue, message, (message.destination,)) is not None:
            return None
        message.references += 1
        return queue.put(message, now)

    def _publish_round(self, place: Proxy, message: Message, now: float, published: Published) -> None:
        """By way of stacks, further proxies, several destinations, or the alternate proxy."""
        way = self._router.route(place, message)
        message.references += len(way.queues)
        place.routed += len(way.queues)
        # Each queue is offered the message, whatever another has said.
        taken = [queue.put(message, now) for queue in way.queues]
        if not all(taken):
            published.refused.append(message)
        if not taken and not way.lost:
            published.unroutable.append(message)

    # Out

    def consume(self, ledger: Ledger, queue: Queue, name: str, *, now: float, **how: Any) -> Consumer:
        """Consume messages from a queue.

        Args:
            how: acks, prefetch, prefetch_bytes, priority, exclusive, remarks; see Consumer.
        """
        if name in ledger.consumers:
            raise AlreadyDifferent(f"this ledger has a consumer {name!r} already: choose another name")
        consumer = Consumer(name, queue, ledger, **how)
        queue.dispatch.join(consumer)
        ledger.consumers[name] = consumer
        queue.use(now)
        return consumer

    def cancel(self, consumer: Consumer, now: float) -> None:
        """Stop consuming; a dynamic queue goes with its last consumer."""
        if consumer.cancelled:
            return
        queue = consumer.queue
        queue.dispatch.leave(consumer)
        queue.use(now)
        if queue.template.dynamic and not queue.dispatch.consumers:
            self.destroy_queue(queue)

    def deliver(self, now: float) -> list[Delivery]:
        """What consumers get now; call it again while the wiring is `busy`."""
        self._route_dead(now)
        out: list[Delivery] = []
        touched = self._agenda.touched
        self._agenda.touched = []
        for queue in touched:
            if not queue.destroyed:
                queue.pump(now, out)
        self._route_dead(now)
        return out

    @property
    def next_at(self) -> float:
        """When `tick` wants to be called; inf for never."""
        return self._agenda.deadlines.next_at()

    @property
    def busy(self) -> bool:
        """Whether there is more to deliver at once."""
        return bool(self._agenda.touched or self._agenda.graveyard)

    @property
    def has_news(self) -> bool:
        """Whether `take_cancelled` or `take_destroyed` have something to tell."""
        return bool(self._agenda.cancelled or self._agenda.destroyed)

    def take_cancelled(self) -> list[Consumer]:
        """The consumers that lost their queue since this was asked last: somebody should tell them.

        Always empty in a wiring that was not told that its news are `heard`.
        """
        cancelled = self._agenda.cancelled
        self._agenda.cancelled = []
        return cancelled

    def take_destroyed(self) -> list[Queue | Proxy]:
        """The queues and proxies that went since this was asked last, by a verb or by themselves.

        Always empty in a wiring that was not told that its news are `heard`.
        """
        destroyed = self._agenda.destroyed
        self._agenda.destroyed = []
        return destroyed

    # Clients

    def connect(self, name: str) -> Connection:
        """A client has come."""
        return Connection(name)

    def disconnect(self, connection: Connection, now: float, *, failed: bool = True) -> None:
        """A client has gone, and with it what is private; what it had in hand goes back."""
        for ledger in list(connection.ledgers):
            self.close(ledger, now, failed=failed)
        for queue in list(connection.private):
            self.destroy_queue(queue)

    def close(self, ledger: Ledger, now: float, *, failed: bool = True) -> None:
        """A stream of deliveries ends: its consumers leave, and what is in hand goes back.

        Args:
            failed: whether the consumers are to blame, as when a connection is lost.
        """
        ledger.connection.ledgers.pop(ledger, None)
        consumers = list(ledger.consumers.values())
        ledger.flowing = False
        ledger.return_all(now, failed=failed)
        for consumer in consumers:
            self.cancel(consumer, now)

    # Time

    def tick(self, now: float) -> float:
        """Do what is due; when to call again, at the latest: now if there is something to deliver."""
        for queue in self._agenda.deadlines.due(now):
            queue.tick(now)
            if queue.unused_at <= now:
                self.destroy_queue(queue)
        self._route_dead(now)
        return now if self.busy else self.next_at

    # Dead letters

    def _route_dead(self, now: float) -> None:
        graveyard = self._agenda.graveyard
        while graveyard:
            self._bury(graveyard.popleft(), now)

    def _bury(self, dead: Dead, now: float) -> None:
        message, home = dead.reference.message, dead.queue.template.dead_letters
        message.references -= 1
        dead.queue.note_removed(dead.reference)
        if home is None or home.proxy not in self.proxies:
            self.dropped[dead.reason.value] += 1
            return
        deaths = bury_with(message, dead.queue.address, dead.reason, now, dead.error)
        letter = message.reborn(home.proxy, home.destination, deaths)
        way = self._router.route(self.proxies[home.proxy], letter)
        queues = way.queues
        if dead.reason is not Reason.REJECTED:
            queues = [queue for queue in queues if not is_cycle(queue.address, deaths)]
            self.dropped["cycle"] += len(way.queues) - len(queues)
        letter.references += len(queues)
        taken = [queue.put(letter, now) for queue in queues]
        self.dropped["refused"] += taken.count(None)
        if not way.queues:
            self.dropped["unroutable"] += 1

    # Looking

    def explain(self, proxy: str, message: Message) -> Explanation:
        """Where a message sent to this proxy would go, which registrations were tried, and why not."""
        return explain(self.proxies, self.proxy(proxy), message)
