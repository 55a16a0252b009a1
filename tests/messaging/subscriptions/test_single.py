from __future__ import annotations

import asyncio
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import InvalidMessage, PublishTimeout
from penstock.messaging.subscriptions import AtMostOnce, Context, DeadLetters, Immediate
from tests.messaging.fakes import FakeReceived, advance, turns
from tests.messaging.subscriptions.shop import opened, run

if TYPE_CHECKING:
    from penstock.messaging import Message


def test_a_message_is_acked_after_its_handler_is_done_and_not_before() -> None:
    async def story() -> None:
        may_end = asyncio.Event()

        async def handler(_: Message) -> None:
            await may_end.wait()

        async with opened(handler) as shop:
            (received,) = shop.deliver("a")
            await turns()
            assert (received.settled, shop.subscription.running) == ([], 1)
            shop.broker.clock.advance(2)
            may_end.set()
            await turns()
            assert received.settled == ["ack"]
            assert (shop.counters.handled, shop.subscription.running) == (1, 0)
            assert (shop.counters.handled_s, shop.counters.waited_s) == (2.0, 0.0)

    run(story)


def test_a_handler_gets_what_the_decoder_makes_of_the_message_and_the_context() -> None:
    async def story() -> None:
        seen: list[Any] = []

        async def handler(event: Any, context: Context) -> None:
            seen.append((event, context.message.id))

        async with opened(handler, decode=lambda received: received.body.decode()) as shop:
            shop.deliver("a")
            await turns()
        assert seen == [("{}", "a")]

    run(story)


def test_what_cannot_be_read_is_a_dead_letter_and_nobody_handles_it() -> None:
    async def story() -> None:
        def refuse(_: Any) -> Any:
            raise InvalidMessage("Bill version 1: sum is missing")

        handled: list[Any] = []
        async with opened(handled.append, decode=refuse) as shop:
            (received,) = shop.deliver("a")
            await turns()
            assert (shop.dead, received.settled, handled) == (["a"], ["ack"], [])

    run(story)


@pytest.mark.parametrize("error", [ValueError("what"), KeyError("which"), AssertionError()])
def test_whatever_a_handler_raises_is_its_failure(error: Exception) -> None:
    async def story() -> None:
        async def handler(_: Message) -> None:
            raise error

        async with opened(handler, retry=Immediate()) as shop:
            (received,) = shop.deliver("a")
            await turns()
            assert (shop.retried, received.settled) == (["a"], ["ack"])
            assert (shop.counters.failed, shop.counters.handled) == (1, 0)

    run(story)


def test_a_handler_over_its_time_fails_and_can_clean_up() -> None:
    async def story() -> None:
        cleaned: list[str] = []

        async def handler(_: Message) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                cleaned.append("up")

        async with opened(handler, retry=DeadLetters(), time_limit=30) as shop:
            (received,) = shop.deliver("a")
            await turns()
            await advance(shop.broker, 30)
            assert (shop.dead, received.settled, cleaned) == (["a"], ["ack"], ["up"])
            assert shop.counters.timed_out == 1
            ((copy, _),) = shop.broker.published
            assert copy.headers["x-penstock-error"] == "the handler was stopped after 30.000 s"

    run(story)


def test_a_handler_that_ends_well_although_its_time_is_over_has_done_its_work() -> None:
    async def story() -> None:
        async def stubborn(message: Message) -> None:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                await asyncio.sleep(0)
                if message.id == "b":
                    raise

        async with opened(stubborn, time_limit=30, pool=1, retry=DeadLetters()) as shop:
            (received,) = shop.deliver("a")
            await turns()
            await advance(shop.broker, 30)
            assert (received.settled, shop.counters.handled) == (["ack"], 1)
            (other,) = shop.deliver("b")
            await turns()
            await advance(shop.broker, 30)
            assert (other.settled, shop.dead) == (["ack"], ["b"]), "the worker is whole"
            assert shop.counters.timed_out == 1

    run(story)


def test_what_is_done_about_a_failure_has_no_time_limit() -> None:
    async def story() -> None:
        async def handler(_: Message) -> None:
            raise ValueError("no")

        async with opened(handler, retry=DeadLetters(), time_limit=1, pool=1) as shop:
            shop.broker.errors = deque([PublishTimeout("late")] * 3)
            (received,) = shop.deliver("a")
            for _ in range(5):
                await turns()
                shop.broker.clock.advance(2)
            await turns()
            assert (shop.dead, received.settled) == (["a"], ["ack"])
            (other,) = shop.deliver("b")
            await turns()
            assert other.settled == ["ack"], "the worker lives"

    run(story)


def test_a_handler_that_fails_while_it_is_interrupted_fails_with_its_own_error() -> None:
    async def story() -> None:
        async def clumsy(_: Message) -> None:
            try:
                await asyncio.Event().wait()
            finally:
                raise ValueError("on the way out")

        async with opened(clumsy, retry=DeadLetters(), time_limit=30) as shop:
            shop.deliver("a")
            await turns()
            await advance(shop.broker, 30)
            ((copy, _),) = shop.broker.published
            assert copy.headers["x-penstock-error"] == "on the way out"

    run(story)


def test_at_most_once_is_settled_for_certain_before_it_is_handled() -> None:
    async def story() -> None:
        seen: list[Any] = []

        async def handler(_: Message) -> None:
            seen.append(list(received.settled))
            raise ValueError("what")

        async with opened(handler, retry=AtMostOnce()) as shop:
            received = FakeReceived()
            shop.broker.deliver(received)
            await turns()
            assert seen == [["ack for certain"]]
            assert (shop.broker.published, shop.counters.dropped) == ([], 1)

    run(story)


def test_at_most_once_is_not_handled_if_the_broker_may_give_it_to_somebody_else() -> None:
    async def story() -> None:
        handled: list[Any] = []
        async with opened(handled.append, retry=AtMostOnce()) as shop:
            shop.broker.deliver(FakeReceived(is_heard=False))
            await turns()
            assert (handled, shop.counters.failed, shop.subscription.running) == ([], 0, 0)

    run(story)


def test_what_the_broker_has_taken_back_is_not_begun() -> None:
    async def story() -> None:
        handled: list[Any] = []

        async def handler(message: Message) -> None:
            handled.append(message.id)

        async with opened(handler) as shop:
            received = FakeReceived(is_lost=True)
            shop.broker.deliver(received)
            await turns()
            assert (handled, received.settled, shop.counters.failed) == ([], ["requeue"], 0)

    run(story)


def test_a_plain_handler_runs_in_a_thread() -> None:
    async def story() -> None:
        done = asyncio.Event()
        loop = asyncio.get_running_loop()
        threads: list[threading.Thread] = []

        def handler(_: Message) -> None:
            threads.append(threading.current_thread())
            loop.call_soon_threadsafe(done.set)

        async with opened(handler) as shop:
            (received,) = shop.deliver("a")
            await done.wait()
            async with asyncio.timeout(60):
                while not received.settled:  # noqa: ASYNC110  the thread has ended; its future is on its way
                    await asyncio.sleep(0.001)
            assert received.settled == ["ack"]
        assert threads[0] is not threading.main_thread()
        threads[0].join(60)
        assert not threads[0].is_alive(), "it ends with the consumer"
        assert threads[0].name.startswith("shop.bills")

    run(story)
