from __future__ import annotations

import asyncio
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import BrokerRefused, NotConnected, PersistentError, TransientError
from penstock.messaging import Message
from penstock.messaging.subscriptions import Batching, DeadLetters, Immediate, Pausing
from penstock.messaging.subscriptions.subscription import AGAIN_S
from tests.messaging.fakes import FakeReceived, FakeSubscribed, advance, turns
from tests.messaging.subscriptions.shop import Shop, opened, run

if TYPE_CHECKING:
    from collections.abc import Callable


class Dependency:
    """Something that a handler needs, and that may be away."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.asked: list[str] = []

    async def handle(self, message: Message) -> None:
        self.asked.append(message.id)
        if self.error is not None:
            raise self.error


# Taking


def test_a_pool_is_so_many_consumers_and_so_many_handlers_at_a_time() -> None:
    async def story() -> None:
        running: list[str] = []

        async def handler(message: Message) -> None:
            running.append(message.id)
            await asyncio.Event().wait()

        async with opened(handler, pool=2, prefetch=3) as shop:
            (subscribed,) = shop.broker.subscriptions
            assert (subscribed.queue, subscribed.prefetch, subscribed.pool) == ("shop.bills", 3, 2)
            shop.deliver(*"abcd")
            assert running == [], "nothing is handled where the socket is read"
            await turns()
            assert running == ["a", "b"]
            text = "<Subscription shop.bills to 'shop.bills', running, <Pool 2 of 2 busy, 2 waiting>>"
            assert repr(shop.subscription) == text

    run(story)


def test_a_batch_consumer_has_a_whole_batch_in_hand() -> None:
    async def story() -> None:
        async with opened(print, batching=Batching(size=50), prefetch=3, pool=1) as shop:
            assert shop.broker.subscriptions[0].prefetch == 50

    run(story)


def test_a_queue_that_cannot_be_consumed_is_told_at_the_start() -> None:
    async def story() -> None:
        shop = Shop(print)
        shop.broker.refusals = deque([BrokerRefused("no queue 'shop.bills'", code=404)])
        with pytest.raises(BrokerRefused):
            await shop.subscription.start()
        assert shop.subscription.state == "stopped"
        await shop.subscription.stop()

    run(story)


# Stopping


def test_a_stop_waits_for_what_is_begun_and_gives_back_the_rest() -> None:
    async def story() -> None:
        may_end = asyncio.Event()

        async def handler(_: Message) -> None:
            await may_end.wait()

        shop = Shop(handler, pool=1)
        await shop.subscription.start()
        received = shop.deliver(*"abc")
        await turns()
        stopping = asyncio.create_task(shop.subscription.stop(30))
        await turns()
        assert not shop.broker.subscriptions[0].is_live
        assert [each.settled for each in received] == [[], ["requeue"], ["requeue"]]
        late = shop.deliver("d")
        may_end.set()
        assert await stopping is True
        assert received[0].settled == ["ack"]
        assert late[0].settled == [], "the broker takes back what came too late"
        assert (shop.subscription.state, shop.counters.returned) == ("stopped", 2)

    run(story)


def test_a_handler_that_does_not_end_in_time_is_cancelled_and_its_message_given_back() -> None:
    async def story() -> None:
        async def handler(_: Message) -> None:
            await asyncio.Event().wait()

        shop = Shop(handler)
        await shop.subscription.start()
        (received,) = shop.deliver("a")
        await turns()
        stopping = asyncio.create_task(shop.subscription.stop(30))
        await turns()
        await advance(shop.broker, 30)
        assert await stopping is False
        assert received.settled == ["requeue"]

    run(story)


# Pausing


def test_a_queue_pauses_when_its_dependency_is_down_and_gives_back_what_it_has_not_begun() -> None:
    async def story() -> None:
        dependency = Dependency()
        dependency.error = TransientError("the database is away")
        options: dict[str, Any] = {"pausing": Pausing(after=2, probe_after=5), "retry": Immediate()}
        async with opened(dependency.handle, pool=1, **options) as shop:
            received = shop.deliver(*"abcd")
            await turns()
            assert shop.subscription.state == "paused"
            assert not shop.broker.subscriptions[0].is_live
            assert shop.retried == ["a", "b"]
            assert [each.settled for each in received] == [["ack"], ["ack"], ["requeue"], ["requeue"]]
            assert (shop.counters.paused, shop.alerts.kinds) == (1, ["paused"])

    run(story)


def test_one_message_probes_before_the_queue_resumes() -> None:
    async def story() -> None:
        dependency = Dependency()
        dependency.error = TransientError("away")
        options: dict[str, Any] = {"pausing": Pausing(after=1, probe_after=5), "retry": Immediate()}
        async with opened(dependency.handle, **options) as shop:
            shop.deliver("a")
            await turns()
            probe, other = FakeReceived(Message(body=b"", id="p")), FakeReceived(Message(body=b"", id="q"))
            shop.broker.waiting = deque([probe, other])
            await advance(shop.broker, 4.9)
            assert dependency.asked == ["a"]
            # The first probe fails: it goes back, and the next comes later.
            await advance(shop.broker, 0.1)
            assert (dependency.asked, probe.settled) == (["a", "p"], ["requeue"])
            assert shop.subscription.state == "paused"
            await advance(shop.broker, 9.9)
            assert dependency.asked == ["a", "p"]
            # The second works: everything flows again.
            dependency.error = None
            await advance(shop.broker, 0.1)
            assert (dependency.asked, other.settled) == (["a", "p", "q"], ["ack"])
            assert shop.subscription.state == "running"
            assert shop.subscription.is_live
            assert len(shop.broker.subscriptions) == 2
            (received,) = shop.deliver("b")
            await turns()
            assert received.settled == ["ack"]

    run(story)


def test_a_probe_that_fails_for_a_reason_of_its_own_says_nothing_and_the_next_is_tried() -> None:
    async def story() -> None:
        dependency = Dependency()
        dependency.error = TransientError("away")
        options: dict[str, Any] = {"pausing": Pausing(after=1, probe_after=5), "retry": DeadLetters()}
        async with opened(dependency.handle, **options) as shop:
            shop.deliver("a")
            await turns()
            dependency.error = PersistentError("no such customer")
            poison = FakeReceived(Message(body=b"", id="p"))
            shop.broker.waiting = deque([poison])
            await advance(shop.broker, 5)
            assert (shop.dead, dependency.asked) == (["a", "p"], ["a", "p"])
            assert shop.subscription.state == "probing", "with nothing to try, the next message decides"
            dependency.error = TransientError("still away")
            (received,) = shop.deliver("b")
            await turns()
            assert shop.subscription.state == "paused"
            assert received.settled == ["requeue"]

    run(story)


def test_a_queue_that_cannot_be_subscribed_to_again_stays_paused_and_tries_later() -> None:
    async def story() -> None:
        dependency = Dependency()
        dependency.error = TransientError("away")
        async with opened(dependency.handle, pausing=Pausing(after=1, probe_after=5)) as shop:
            shop.deliver("a")
            await turns()
            shop.broker.refusals = deque([NotConnected("the broker is away, too")])
            await advance(shop.broker, 5)
            assert (shop.subscription.state, shop.subscription.is_live) == ("paused", False)
            await advance(shop.broker, 10)
            assert shop.subscription.is_live

    run(story)


def test_a_queue_that_pauses_again_before_the_broker_has_answered_probes_again() -> None:
    async def story() -> None:
        dependency = Dependency()
        dependency.error = TransientError("away")
        async with opened(dependency.handle, pausing=Pausing(after=1, probe_after=5)) as shop:
            shop.deliver("a")
            await turns()
            subscribe = shop.broker.subscribe

            async def subscribe_slowly(*arguments: Any, **named: Any) -> FakeSubscribed:
                subscribed = await subscribe(*arguments, **named)
                # The first message is here, and has failed, before the answer is.
                shop.deliver("b")
                await turns()
                return subscribed

            shop.broker.subscribe = subscribe_slowly  # type: ignore[method-assign]
            await advance(shop.broker, 5)
            await turns()
            assert (shop.subscription.state, shop.subscription.is_live) == ("paused", False)
            shop.broker.subscribe = subscribe  # type: ignore[method-assign]
            dependency.error = None
            await advance(shop.broker, 10)
            assert shop.subscription.is_live
            (received,) = shop.deliver("c")
            await turns()
            assert received.settled == ["ack"]

    run(story)


def test_a_queue_that_works_again_but_cannot_be_subscribed_to_is_tried_now_and_then() -> None:
    async def story() -> None:
        dependency = Dependency()
        dependency.error = TransientError("away")
        async with opened(dependency.handle, pausing=Pausing(after=3, probe_after=5), pool=1) as shop:
            shop.deliver(*"abc")
            await turns()
            assert shop.subscription.state == "paused"
            dependency.error = None
            shop.broker.waiting = deque([FakeReceived(Message(body=b"", id="p"))])
            shop.broker.refusals = deque([BrokerRefused("no queue", code=404)] * 2)
            await advance(shop.broker, 5)
            assert dependency.asked[-1] == "p"
            await turns(100)
            assert len(shop.broker.refusals) == 1, "once, and not again and again"
            await advance(shop.broker, 5)
            assert len(shop.broker.refusals) == 0
            await advance(shop.broker, 5)
            assert shop.subscription.is_live

    run(story)


def test_while_there_is_no_room_messages_wait_in_their_queue_and_nobody_has_tried_them() -> None:
    async def story() -> None:
        dependency, full = Dependency(), [False]
        async with opened(dependency.handle, is_full=lambda: full[0]) as shop:
            shop.deliver("a")
            await turns()
            full[0] = True
            received = shop.deliver(*"bc")
            await turns()
            assert [each.settled for each in received] == [["requeue"], ["requeue"]]
            assert (shop.subscription.state, shop.subscription.is_live) == ("paused", False)
            for _ in range(10):
                await advance(shop.broker, 60)
            assert (dependency.asked, shop.retried, shop.alerts.kinds) == (["a"], [], ["paused"])
            full[0] = False
            await advance(shop.broker, AGAIN_S)
            assert (shop.subscription.state, shop.subscription.is_live) == ("running", True)
            shop.deliver("b")
            await turns()
            assert dependency.asked == ["a", "b"]

    run(story)


def test_a_queue_that_waits_for_room_can_be_stopped() -> None:
    async def story() -> None:
        async with opened(Dependency().handle, is_full=lambda: True, pausing=None) as shop:
            shop.deliver("a")
            await turns()
            assert shop.subscription.state == "paused"
        assert shop.subscription.state == "stopped"

    run(story)


def test_a_paused_queue_can_be_stopped() -> None:
    async def story() -> None:
        dependency = Dependency()
        dependency.error = TransientError("away")
        async with opened(dependency.handle, pausing=Pausing(after=1, probe_after=5)) as shop:
            shop.deliver("a")
            await turns()
            assert shop.subscription.state == "paused"
        assert shop.subscription.state == "stopped"
        await advance(shop.broker, 60)
        assert dependency.asked == ["a"]

    run(story)


# Looking


def test_the_slowest_handler_can_be_seen() -> None:
    async def story() -> None:
        async def handler(_: Message) -> None:
            await asyncio.Event().wait()

        async with opened(handler) as shop:
            assert shop.subscription.busiest_s(shop.broker.clock.now()) == 0.0
            shop.deliver("a")
            await turns()
            shop.broker.clock.advance(40)
            shop.deliver("b")
            await turns()
            shop.broker.clock.advance(2)
            assert shop.subscription.busiest_s(shop.broker.clock.now()) == 42.0

    run(story)


@pytest.mark.parametrize("batching", [None, Batching(size=2)], ids=["one by one", "in batches"])
def test_what_handlers_are_at_can_be_seen_and_since_when(batching: Batching | None) -> None:
    async def story() -> None:
        go = asyncio.Event()

        async def handler(_: Any) -> None:
            await go.wait()

        async with opened(handler, pool=2, prefetch=2, batching=batching) as shop:
            assert shop.subscription.in_hand() == []
            shop.deliver(*"ab")
            await turns()
            now = shop.broker.clock.now()
            assert [(at, each.message.id) for at, each in shop.subscription.in_hand()] == [
                (now, "a"),
                (now, "b"),
            ]
            go.set()
            await turns()
            assert shop.subscription.in_hand() == []

    run(story)


# Threads that do not end


@pytest.mark.parametrize("refusals", [[], [NotConnected("the broker is away")]])
def test_when_threads_that_do_not_end_have_every_place_others_get_what_is_in_hand(
    refusals: list[NotConnected],
) -> None:
    gate = threading.Event()

    def handler(message: Message) -> None:
        if message.id == "hung":
            gate.wait(60)

    async def story() -> None:
        shop_opened = opened(handler, pool=1, time_limit=30, pausing=None, retry=DeadLetters())
        async with shop_opened as shop:
            # Given a thread that is over its time, and more in hand
            hung, next_one = shop.deliver("hung", "next")
            await turns()
            await advance(shop.broker, 30)
            # Then its message has failed, the other goes back, and somebody is told
            assert (hung.settled, next_one.settled) == (["ack"], ["requeue"])
            assert (shop.subscription.state, shop.subscription.is_live) == ("stuck", False)
            alert = shop.alerts.raised[-1]
            assert (alert.kind, alert.is_critical) == ("stuck-consumer", True)
            assert shop.subscription.busiest_s(shop.broker.clock.now()) == 30
            # And when the thread has ended, messages are taken as before
            shop.broker.refusals = deque(refusals)
            gate.set()
            await comes_true(lambda: not shop.subscription._pool.is_stuck)
            for _ in refusals:
                await advance(shop.broker, 1)
            await turns()
            assert (shop.subscription.state, shop.subscription.is_live) == ("running", True)
            (later,) = shop.deliver("later")
            await comes_true(lambda: later.settled == ["ack"])

    run(story)


async def comes_true(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110  a thread's to do
            await asyncio.sleep(0.001)
