from __future__ import annotations

import asyncio
from collections import deque
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import (
    NotConnected,
    PersistentError,
    PublishTimeout,
    TimeLimitExceeded,
    TransientError,
    Unroutable,
)
from penstock.messaging import Destination, Message
from penstock.messaging.subscriptions import (
    AtMostOnce,
    Backoff,
    Consumer,
    Counters,
    DeadLetters,
    ErrorClass,
    ForwardTo,
    Immediate,
    Rejecting,
    Requeue,
)
from penstock.messaging.subscriptions.failing import WAITS, FailureRoad
from penstock.wire.amqp import CannotEncode
from tests.messaging.fakes import FakeAlerts, FakeBroker, FakeReceived, headers_of, turns

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.messaging.subscriptions import Failure, RetryStrategy, Verdict

HOME = Destination.queue("shop.dead-letters")
QUEUE = Destination.queue("shop.bills")


class Road:
    """A failure road, and all that it touches."""

    def __init__(self, retry: RetryStrategy, died: Callable[[Failure, str], None] | None = None) -> None:
        consumer = Consumer(name="shop.bills", queue="shop.bills", handler=print, retry=retry, died=died)
        self.broker = FakeBroker()
        self.counters = Counters()
        self.alerts = FakeAlerts()
        self._road = FailureRoad(
            consumer, self.broker, self.counters, dead_letters=HOME, alerts=self.alerts, random=Random(1)
        )

    async def fail(self, received: FakeReceived, error: Exception | None = None) -> ErrorClass:
        return await self._road.fail(received, error or ValueError("what"))


def run(story: Awaitable[Any]) -> Any:
    async def main() -> Any:
        return await story

    return asyncio.run(main())


def test_a_retry_is_a_confirmed_copy_to_the_own_queue_then_an_ack() -> None:
    road, received = Road(Backoff(initial=4, jitter=0)), FakeReceived()
    assert run(road.fail(received)) is ErrorClass.UNKNOWN
    ((copy, to),) = road.broker.published
    assert (copy.id, copy.delay, copy.attempts, to) == ("m1", 4.0, 1, QUEUE)
    assert (copy.headers["x-penstock-exchange"], copy.headers["x-penstock-key"]) == ("shop", "Bill")
    assert received.settled == ["ack"]
    assert (road.counters.failed, road.counters.retried, road.counters.dead) == (1, 1, 0)
    assert road.alerts.raised == []


def test_attempts_and_the_first_failure_are_told_from_copy_to_copy() -> None:
    road = Road(Immediate(attempts=5))
    run(road.fail(FakeReceived()))
    road.broker.clock.advance(60)
    ((copy, _),) = road.broker.published
    road.broker.published.clear()
    run(road.fail(FakeReceived(copy)))
    headers = headers_of(road.broker)
    assert headers["x-penstock-attempts"] == 2
    assert headers["x-penstock-first-failure"] == "1000.000"
    assert headers["x-penstock-last-failure"] == "1060.000"


def test_an_exhausted_message_is_a_dead_letter_and_a_critical_alert() -> None:
    road = Road(Immediate(attempts=1))
    message = Message(body=b"{}", id="m1", type="Bill", headers={"x-penstock-attempts": 1})
    received = FakeReceived(message)
    run(road.fail(received))
    ((copy, to),) = road.broker.published
    assert (to, copy.attempts, copy.headers["x-penstock-reason"]) == (HOME, 2, "tried 2 times")
    assert received.settled == ["ack"]
    assert road.counters.dead == 1
    (alert,) = road.alerts.raised
    assert (alert.kind, alert.is_critical) == ("exhausted", True)
    assert alert.text == "shop.bills could not handle m1 (Bill): what; tried 2 times"


def test_a_persistent_error_is_a_dead_letter_at_once_and_nobody_is_woken() -> None:
    road, received = Road(Immediate()), FakeReceived()
    assert run(road.fail(received, PersistentError("no such customer"))) is ErrorClass.PERSISTENT
    assert [to for _, to in road.broker.published] == [HOME]
    assert [alert.is_critical for alert in road.alerts.raised] == [False]


def test_forwarding_goes_elsewhere_and_to_the_dead_letters_if_nobody_is_there() -> None:
    elsewhere = Destination("shop", "second-try")
    road, received = Road(ForwardTo(to=elsewhere)), FakeReceived()
    run(road.fail(received))
    assert [to for _, to in road.broker.published] == [elsewhere]
    assert (received.settled, road.counters.forwarded) == (["ack"], 1)

    road, received = Road(ForwardTo(to=elsewhere)), FakeReceived()
    road.broker.errors = deque([Unroutable("nobody")])
    run(road.fail(received))
    ((copy, to),) = road.broker.published
    assert (to, received.settled) == (HOME, ["ack"])
    assert copy.headers["x-penstock-reason"] == "nobody takes it at shop/second-try"


@pytest.mark.parametrize(
    ("strategy", "settled", "counter"),
    [
        (Rejecting(), "reject", "rejected"),
        (Requeue(), "requeue", "redelivered"),
        (AtMostOnce(), "ack", "dropped"),
    ],
)
def test_some_verdicts_publish_nothing(strategy: RetryStrategy, settled: str, counter: str) -> None:
    road, received = Road(strategy), FakeReceived()
    run(road.fail(received, TransientError("away")))
    assert (received.settled, road.broker.published) == ([settled], [])
    assert getattr(road.counters, counter) == 1


def test_without_a_confirm_the_original_stays_and_the_copy_is_tried_again() -> None:
    async def story() -> None:
        road, received = Road(DeadLetters()), FakeReceived()
        road.broker.errors = deque([PublishTimeout("late"), NotConnected("away"), Unroutable("not yet")])
        failing = asyncio.create_task(road.fail(received))
        for wait in WAITS[:3]:
            await turns()
            assert (received.settled, road.broker.published) == ([], [])
            road.broker.clock.advance(wait)
        await failing
        assert received.settled == ["ack"]
        assert [to for _, to in road.broker.published] == [HOME]

    asyncio.run(story())


def test_a_copy_that_cannot_be_published_gives_the_original_back() -> None:
    async def story() -> None:
        road, received = Road(Immediate()), FakeReceived()
        road.broker.errors = deque([PublishTimeout("late")] * (len(WAITS) + 1))
        failing = asyncio.create_task(road.fail(received))
        for wait in WAITS:
            await turns()
            road.broker.clock.advance(wait)
        await failing
        assert received.settled == ["requeue"]
        assert (road.counters.retried, road.counters.redelivered, road.broker.published) == (0, 1, [])

    asyncio.run(story())


def test_a_copy_that_nobody_waits_for_any_more_gives_the_original_back() -> None:
    async def story() -> None:
        road, received = Road(Immediate()), FakeReceived()
        road.broker.errors = deque([PublishTimeout("late")])
        failing = asyncio.create_task(road.fail(received))
        await turns()
        failing.cancel()
        await asyncio.wait([failing])
        assert (received.settled, road.counters.redelivered) == (["requeue"], 1)

    asyncio.run(story())


def test_a_copy_that_cannot_even_be_made_leaves_the_original_to_the_brokers_dead_letters() -> None:
    road, received = Road(Immediate()), FakeReceived()
    road.broker.errors = deque([RuntimeError("a mistake of ours")])  # type: ignore[list-item]
    run(road.fail(received))
    assert (received.settled, road.counters.rejected) == (["reject"], 1)


def test_a_strategy_that_fails_itself_leaves_a_dead_letter_and_nothing_in_hand() -> None:
    class Mistaken:
        def decide(self, failure: Failure) -> Verdict:
            raise KeyError(failure.message.type)

    road, received = Road(Mistaken()), FakeReceived()
    run(road.fail(received))
    assert (received.settled, road.counters.dead) == (["ack"], 1)
    headers = headers_of(road.broker)
    assert headers["x-penstock-error"] == "what"
    assert headers["x-penstock-reason"] == "its retry strategy failed: KeyError('Bill')"


def test_a_copy_that_has_no_room_says_less_about_the_failure() -> None:
    road, received = Road(DeadLetters()), FakeReceived()
    road.broker.errors = deque([CannotEncode("at most so many bytes")])
    run(road.fail(received, ValueError("!" * 500)))
    headers = headers_of(road.broker)
    assert "x-penstock-trace" not in headers
    assert headers["x-penstock-error"] == "!" * 100
    assert headers["x-penstock-reason"] == "tried once"
    assert received.settled == ["ack"]


def test_a_copy_that_has_no_room_at_all_leaves_the_original_to_the_brokers_dead_letters() -> None:
    road, received = Road(DeadLetters()), FakeReceived()
    road.broker.errors = deque([CannotEncode("at most so many bytes")] * 2)
    run(road.fail(received))
    assert (received.settled, road.broker.published) == (["reject"], [])


def test_a_message_whose_time_to_live_ends_before_the_next_attempt_is_a_dead_letter() -> None:
    road = Road(Backoff(initial=10, jitter=0))
    received = FakeReceived(Message(body=b"", id="m1", expires_in=60, timestamp=945.0))
    run(road.fail(received))
    ((copy, to),) = road.broker.published
    assert (to, copy.expires_in) == (HOME, None)
    assert "time to live" in copy.headers["x-penstock-reason"]


def test_a_time_limit_is_counted() -> None:
    road = Road(Immediate())
    assert run(road.fail(FakeReceived(), TimeLimitExceeded("slow"))) is ErrorClass.TRANSIENT
    assert (road.counters.timed_out, road.counters.retried) == (1, 1)


def test_nobody_has_to_be_told() -> None:
    consumer = Consumer(name="shop.bills", queue="shop.bills", handler=print, retry=DeadLetters())
    road = FailureRoad(consumer, FakeBroker(), Counters(), dead_letters=HOME)
    received = FakeReceived()
    run(road.fail(received, ValueError()))
    assert received.settled == ["ack"]


def test_the_consumer_is_told_of_its_dead_letters_and_of_nothing_else() -> None:
    told: list[tuple[str, str]] = []

    async def story() -> None:
        road = Road(
            Immediate(attempts=1), died=lambda failure, reason: told.append((failure.message.id, reason))
        )
        await road.fail(FakeReceived())
        assert told == []
        await road.fail(FakeReceived(road.broker.published[0][0]))

    run(story())
    assert told == [("m1", "tried 2 times")]
