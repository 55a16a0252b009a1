from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import UnknownProxy
from penstock.wiring import DeadLetters, Message, Overflow, WatchedWiring

OWN = "lives"


class Watched:
    """A watched wiring with a proxy, and what its diary says."""

    def __init__(self) -> None:
        self.wiring = WatchedWiring(own=OWN)
        self.wiring.create_proxy("x", "DEST-NAME")
        self.wiring.create_proxy(OWN, "FANOUT")
        self.ledger = self.wiring.connect("client").open_ledger()

    def queue(self, name: str = "q", **changes: Any) -> Any:
        queue = self.wiring.create_queue(name, now=0.0, **changes)
        self.wiring.register(queue, "x", name)
        return queue

    def publish(self, *names: str, proxy: str = "x", to: str = "q") -> None:
        self.wiring.publish(proxy, [Message(name.encode(), destination=to) for name in names], 1.0)

    def told(self) -> list[tuple[str, ...]]:
        """Step and body, then what else there is."""
        return [
            (event.step.value, bytes(event.message.body).decode(), *(str(part) for part in event[2:] if part))
            for event in self.wiring.diary.take()
        ]


def test_a_message_that_goes_its_way() -> None:
    watched = Watched()
    queue = watched.queue()
    watched.publish("a")
    watched.wiring.consume(watched.ledger, queue, "me", now=1.0)
    watched.wiring.deliver(1.0)
    watched.ledger.ack(1)
    assert watched.told() == [
        ("published", "a"),
        ("routed", "a", "q"),
        ("delivered", "a", "q", "me", "1"),
        ("acked", "a", "q", "me", "1"),
    ]
    assert watched.told() == []


def test_all_that_are_acknowledged_at_once() -> None:
    watched = Watched()
    queue = watched.queue()
    watched.publish("a", "b", "c")
    watched.wiring.consume(watched.ledger, queue, "me", now=1.0)
    watched.wiring.deliver(1.0)
    watched.told()
    watched.ledger.ack(2, up_to=True)
    assert [step[:2] for step in watched.told()] == [("acked", "a"), ("acked", "b")]


def test_a_message_that_comes_back_and_dies() -> None:
    watched = Watched()
    watched.queue("dead")
    queue = watched.queue(dead_letters=DeadLetters("x", "dead"))
    watched.publish("a")
    queue.get(watched.ledger, 1.0)
    watched.ledger.reject(1, 1.0, requeue=True, error="not now")
    queue.get(watched.ledger, 1.0)
    watched.ledger.reject(2, 1.0, error="never")
    watched.wiring.deliver(2.0)
    assert watched.told() == [
        ("published", "a"),
        ("routed", "a", "q"),
        ("delivered", "a", "q", "1"),
        ("returned", "a", "q", "1", "not now"),
        ("delivered", "a", "q", "2"),
        ("dead", "a", "q", "2", "rejected: never"),
        ("routed", "a", "dead"),
    ]


def test_messages_that_find_no_place() -> None:
    watched = Watched()
    watched.queue("full", max_length=1, overflow=Overflow.REJECT_PUBLISH)
    watched.queue("deadly", max_length=1, overflow=Overflow.DEAD_LETTER)
    watched.publish("a", to="nowhere")
    watched.publish("b", "c", to="full")
    watched.publish("d", "e", to="deadly")
    watched.wiring.deliver(1.0)
    assert [step for step in watched.told() if step[0] != "published"] == [
        ("unroutable", "a"),
        ("routed", "b", "full"),
        ("refused", "c", "full"),
        ("routed", "d", "deadly"),
        ("dead", "e", "deadly", "maxlen"),
    ]


def test_what_tells_of_lives_has_none() -> None:
    watched = Watched()
    queue = watched.queue("log")
    watched.wiring.register(queue, OWN)
    watched.publish("a", proxy=OWN)
    queue.get(watched.ledger, 1.0)
    watched.ledger.ack(1)
    assert watched.told() == []


def test_a_proxy_that_is_not_there_is_no_step_in_a_life() -> None:
    watched = Watched()
    with pytest.raises(UnknownProxy):
        watched.publish("a", proxy="none")
    assert watched.told() == []


def test_what_a_destroyed_queue_lets_go_of_dies_nowhere() -> None:
    watched = Watched()
    queue = watched.queue()
    watched.publish("a")
    queue.get(watched.ledger, 1.0)
    watched.wiring.destroy_queue(queue)
    watched.told()
    watched.ledger.reject(1, 1.0)
    assert watched.told() == []


def test_a_message_that_is_placed_and_asked_for() -> None:
    watched = Watched()
    queue = watched.queue()
    watched.wiring.place(queue, Message(b"a", "q"), 1.0)
    consumer = watched.wiring.consume(watched.ledger, queue, "c", now=1.0)
    queue.ask(consumer, 1, 1.0)
    watched.ledger.ack(1)
    assert watched.told() == [
        ("published", "a"),
        ("routed", "a", "q"),
        ("delivered", "a", "q", "c", "1"),
        ("acked", "a", "q", "c", "1"),
    ]
