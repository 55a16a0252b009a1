from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.clock import VirtualClock
from penstock.messaging import Message
from penstock.messaging.subscriptions.consumer import Batching
from penstock.messaging.subscriptions.gathering import Gathering
from tests.messaging.fakes import FakeReceived

if TYPE_CHECKING:
    from collections.abc import Iterable


def received(*ids: str, attempts: int = 0) -> list[Any]:
    headers = {"x-penstock-attempts": attempts} if attempts else {}
    return [FakeReceived(Message(body=b"", id=each, headers=headers)) for each in ids]


def ids(messages: Iterable[Any]) -> str:
    return "".join(each.message.id for each in messages)


class Basket:
    def __init__(self, size: int = 3, wait: float = 0.2) -> None:
        self.clock = VirtualClock(100.0)
        self.batches: list[tuple[float, str]] = []
        self.gathering = Gathering(Batching(size=size, wait=wait), self.clock, self.full)

    def full(self, batches: list[Any]) -> None:
        self.batches += [(began, ids(messages)) for began, messages in batches]


def test_a_batch_is_ready_when_it_is_full() -> None:
    basket = Basket()
    basket.gathering.add(received(*"ab"))
    assert basket.batches == []
    basket.gathering.add(received(*"cdefgh"))
    assert basket.batches == [(100.0, "abc"), (100.0, "def")]
    assert repr(basket.gathering) == "<Gathering 2 fresh, 0 tried>"


def test_a_batch_is_ready_when_its_first_message_has_waited_long_enough() -> None:
    basket = Basket()
    basket.gathering.add(received("a"))
    basket.clock.advance(0.15)
    basket.gathering.add(received("b"))
    assert basket.batches == []
    basket.clock.advance(0.05)
    assert basket.batches == [(100.0, "ab")]


def test_the_time_of_a_full_batch_does_not_count_for_the_next() -> None:
    basket = Basket()
    basket.gathering.add(received(*"abc"))
    basket.clock.advance(0.1)
    basket.gathering.add(received("d"))
    basket.clock.advance(0.15)
    assert basket.batches == [(100.0, "abc")]
    basket.clock.advance(0.05)
    assert basket.batches[1:] == [(100.1, "d")]


def test_what_has_failed_before_is_gathered_apart() -> None:
    basket = Basket()
    basket.gathering.add(received(*"ab"))
    basket.gathering.add(received(*"xyz", attempts=1))
    assert basket.batches == [(100.0, "xyz")]
    basket.gathering.add(received("c"))
    assert basket.batches[1:] == [(100.0, "abc")]


def test_what_is_in_no_batch_can_be_taken_back() -> None:
    basket = Basket()
    basket.gathering.add([*received("a"), *received("x", attempts=2)])
    assert ids(basket.gathering.take_back()) == "ax"
    assert basket.gathering.take_back() == []
    basket.clock.advance(1)
    assert basket.batches == []
