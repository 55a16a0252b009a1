"""What the wiring's tests share: small wirings, short verbs, and a photograph that shows any change."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import count
from math import inf
from typing import TYPE_CHECKING, Any

import pytest

from penstock.wiring import Message, Reference, State, Terms, Wiring
from penstock.wiring.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from penstock.errors import WiringError
    from penstock.wiring import Consumer, Ledger, Proxy, Queue, Registration, Target

ALIVE = (State.READY, State.DELAYED, State.HELD, State.BURIED)
NAMES = "names"


# Making


def wired(**template: Any) -> tuple[Wiring, Queue]:
    """A wiring with a DEST-NAME proxy, and one queue that asks for what is sent to "q"."""
    wiring = Wiring(heard=True)
    wiring.create_proxy(NAMES, "DEST-NAME")
    return wiring, add_queue(wiring, "q", **template)


def journalled(**template: Any) -> tuple[Wiring, Queue, Journal]:
    """As wired, with a persistent queue and its journal."""
    journal = Journal()
    wiring = Wiring(journal=journal)
    wiring.create_proxy(NAMES, "DEST-NAME")
    queue = wiring.create_queue("q", persistent=True, now=0.0, **template)
    wiring.register(queue, NAMES, "q")
    return wiring, queue, journal


def add_queue(wiring: Wiring, name: str, **template: Any) -> Queue:
    """One more queue, registered under its own name."""
    queue = wiring.create_queue(name, **{"now": 0.0, **template})
    wiring.register(queue, NAMES, name)
    return queue


def add_home(wiring: Wiring, name: str = "dead") -> Queue:
    """A FANOUT proxy for dead letters, and the queue of the same name behind it."""
    wiring.create_proxy(name, "FANOUT")
    queue = wiring.create_queue(name, now=0.0)
    wiring.register(queue, name)
    return queue


def open_ledger(wiring: Wiring, name: str = "client") -> Ledger:
    return wiring.connect(name).open_ledger()


tags = count(1)


def consume(wiring: Wiring, queue: Queue, name: str = "", **how: Any) -> Consumer:
    """A consumer on a connection and ledger of its own."""
    name = name or f"consumer-{next(tags)}"
    return wiring.consume(open_ledger(wiring), queue, name, **{"now": 0.0, **how})


def reference(sequence: int, *, body: bytes = b"", expires_at: float = inf, **terms: Any) -> Reference:
    """A reference as a queue makes it."""
    made = Reference(Message(body, terms=Terms(**terms)), sequence)
    made.message.references = 1
    if expires_at != inf:
        made.noted().expires_at = expires_at
    return made


# Doing


def send(
    wiring: Wiring, *bodies: str, to: str = "q", proxy: str = NAMES, now: float = 0.0, **terms: Any
) -> list[Message]:
    """Publish one message for each body, all on the same terms."""
    shared = Terms(**terms)
    messages = [Message(body.encode(), to, terms=shared) for body in bodies]
    wiring.publish(proxy, messages, now)
    return messages


def deliver(wiring: Wiring, now: float = 0.0) -> list[tuple[str, str]]:
    """All there is to deliver: (consumer, body), in order."""
    got = []
    for _ in range(1000):
        for consumer, _tag, references in wiring.deliver(now):
            got += [(consumer.name, body) for body in bodies(references)]
        if not wiring.busy:
            return got
    raise AssertionError("the wiring stays busy")


def bodies(references: Iterable[Reference]) -> list[str]:
    return [bytes(found.message.body).decode() for found in references]


def ready(queue: Queue) -> list[str]:
    return bodies(queue.peek())


def sequences(references: Iterable[Reference]) -> list[int]:
    return [found.sequence for found in references]


def in_hand(wiring: Wiring, queue: Queue, now: float = 0.0, **how: Any) -> Consumer:
    """A consumer that has all there is in hand, and takes no more."""
    consumer = consume(wiring, queue, "c", **how)
    deliver(wiring, now)
    consumer.ledger.flowing = False
    return consumer


def aside(wiring: Wiring, queue: Queue, *bodies: str, **terms: Any) -> None:
    """Bury these."""
    send(wiring, *bodies, **terms)
    consumer = in_hand(wiring, queue)
    for tag in list(consumer.ledger.unsettled):
        consumer.ledger.bury(tag)
    wiring.cancel(consumer, now=0.0)


# Looking


def photograph(wiring: Wiring) -> dict[str, Any]:
    """Everything there is in a wiring, as plain values: two of the same wiring differ if it changed."""
    agenda = wiring._agenda
    return {
        "templates": dict(wiring.templates),
        "proxies": {name: _proxy(proxy) for name, proxy in wiring.proxies.items()},
        "queues": {queue.address: _queue(queue) for queue in wiring.queues.values()},
        "agenda": (len(agenda.graveyard), len(agenda.touched), len(agenda.cancelled), len(agenda.deadlines)),
        "dropped": {reason: times for reason, times in wiring.dropped.items() if times},
    }


def _proxy(proxy: Proxy) -> tuple[Any, ...]:
    common = (proxy.class_name, proxy.persistent, proxy.dynamic, proxy.internal, proxy.alternate)
    registrations = sorted(map(_registration, proxy.registrations.values()))
    elsewhere = sorted(map(_registration, proxy.registered_with))
    return common, dict(proxy.properties), registrations, elsewhere, proxy.detours


def _registration(registration: Registration) -> tuple[str, str, list[str]]:
    described = registration.proxy.describe(registration.pattern)
    return registration.proxy.name, described, list(map(_target, registration.targets))


def _target(target: Target) -> str:
    return f"{type(target).__name__} {getattr(target, 'name', '?')}"


def _queue(queue: Queue) -> dict[str, Any]:
    return {
        "template": queue.template,
        "owner": queue.owner and queue.owner.name,
        "registrations": sorted(map(_registration, queue.registrations)),
        "stack": [(stage.proxy.name, stage.pattern) for stage in queue.stack],
        "references": {state: [_reference(found) for found in queue.peek(state)] for state in ALIVE},
        "consumers": [_consumer(consumer) for consumer in queue.dispatch.consumers],
        "holders": [_consumer(consumer) for consumer in queue.dispatch.holders],
        "times": (queue.paused_until, queue.unused_at, queue.wake_at, queue.touched),
        "weight": queue.waiting.bytes,
    }


def _reference(found: Reference) -> tuple[Hashable, ...]:
    message = found.message
    counts = (found.acquired, found.failed, found.redelivered, message.references)
    return bytes(message.body), found.sequence, found.priority, found.expires_at, counts


def _consumer(consumer: Consumer) -> tuple[Hashable, ...]:
    ledger = consumer.ledger
    return consumer.name, consumer.held, consumer.held_bytes, tuple(ledger.unsettled), tuple(ledger.consumers)


@contextmanager
def refused(wiring: Wiring, error: type[WiringError], match: str | None = None) -> Iterator[None]:
    """What is tried in here raises the error, and the wiring is unchanged afterwards."""
    before = photograph(wiring)
    with pytest.raises(error, match=match):
        yield
    assert photograph(wiring) == before
