from __future__ import annotations

import asyncio
from typing import Any

import pytest

from penstock.errors import PersistentError, TransientError
from penstock.messaging import Message
from penstock.messaging.subscriptions import Consumer, Counters, Pausing
from penstock.messaging.subscriptions.breaker import Breaker, BreakerState
from penstock.messaging.subscriptions.failure import ErrorClass
from penstock.messaging.subscriptions.settling import Settling
from tests.messaging.fakes import FakeReceived


class Away(TransientError):
    """What all messages of a queue need is away."""


class Desk:
    """Settling, and all that it touches."""

    def __init__(self, *, pausing: Pausing | None = Pausing(after=2)) -> None:  # noqa: B008  a value
        self.failed: list[tuple[Any, Exception]] = []
        self.pauses = 0
        self.counters = Counters()
        self.breaker = Breaker(pausing) if pausing else None
        consumer = Consumer(name="bills", queue="shop.bills", handler=print, pausing=pausing)
        self.settling = Settling(consumer, self.counters, self, self.breaker, self.pause)  # type: ignore[arg-type]

    def pause(self) -> None:
        self.pauses += 1

    async def fail(self, received: Any, error: Exception) -> ErrorClass:
        self.failed.append((received, error))
        return ErrorClass.UNKNOWN

    def fails(self, error: Exception, received: FakeReceived | None = None) -> None:
        asyncio.run(self.settling.failed(received or FakeReceived(), error))


def test_what_worked_is_acked_and_counted() -> None:
    desk, received = Desk(), FakeReceived()
    desk.settling.worked(received)
    assert (received.settled, desk.counters.handled) == (["ack"], 1)
    Desk(pausing=None).settling.worked(received)


def test_transient_failures_in_a_row_pause_the_queue_and_take_the_road_all_the_same() -> None:
    desk = Desk()
    desk.fails(TransientError("away"))
    desk.settling.worked(FakeReceived())
    desk.fails(TransientError("away"))
    assert desk.pauses == 0
    desk.fails(TransientError("away"))
    assert (desk.pauses, len(desk.failed)) == (1, 3)


@pytest.mark.parametrize("error", [ValueError("what"), PersistentError("no")])
def test_other_failures_say_nothing_about_the_dependency(error: Exception) -> None:
    desk = Desk()
    for _ in range(5):
        desk.fails(error)
    assert (desk.pauses, len(desk.failed)) == (0, 5)


def test_a_queue_may_pause_for_one_of_its_dependencies_alone() -> None:
    desk = Desk(pausing=Pausing(after=2, on=(Away,)))
    for _ in range(9):
        desk.fails(TransientError("another"))
    assert (desk.pauses, len(desk.failed)) == (0, 9)
    for _ in range(2):
        desk.fails(Away("this one"))
    assert (desk.pauses, len(desk.failed)) == (1, 11)
    # Nor does the other's trouble tell whether this one is back.
    assert desk.breaker is not None
    desk.breaker.probe()
    desk.fails(TransientError("another"))
    assert desk.breaker.state is BreakerState.PROBING


def test_a_queue_that_never_pauses_does_not() -> None:
    desk = Desk(pausing=None)
    for _ in range(9):
        desk.fails(TransientError("away"))
    assert (desk.pauses, len(desk.failed)) == (0, 9)


def test_a_probe_that_fails_goes_back_without_having_used_an_attempt() -> None:
    desk, received = Desk(), FakeReceived()
    assert desk.breaker is not None
    desk.breaker.probe()
    desk.fails(TransientError("away"), received)
    assert (received.settled, desk.failed, desk.pauses) == (["requeue"], [], 1)
    assert desk.breaker.state is BreakerState.PAUSED


def test_a_batch_that_fails_for_one_reason_is_one_failure_of_the_dependency() -> None:
    desk = Desk()
    batch: list[Any] = [FakeReceived(Message(body=b"")) for _ in range(5)]
    asyncio.run(desk.settling.all_failed(batch, TransientError("away")))
    assert (desk.pauses, len(desk.failed)) == (0, 5)


def test_what_nobody_has_begun_is_given_back() -> None:
    desk, received = Desk(), FakeReceived()
    desk.settling.gave_back(received)
    assert (received.settled, desk.counters.returned) == (["requeue"], 1)
