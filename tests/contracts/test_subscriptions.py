"""What becomes of messages in consumers' hands, as every broker sees it.

Each strategy is looked at from outside: Rascal's `ack` was a nack, and dead-lettered.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from penstock.client import Queue
from penstock.errors import PersistentError
from penstock.messaging import Destination, Message
from penstock.messaging.subscriptions import (
    AtMostOnce,
    Backoff,
    Batching,
    Consumer,
    DeadLetters,
    ForwardTo,
    Immediate,
    Rejecting,
    Republish,
    Requeue,
    Subscription,
)
from tests.contracts.brokers import bill, opened_by_cable, until, until_depth, until_fetched

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.messaging import Broker, Received
    from penstock.messaging.subscriptions import RetryStrategy


class Shop:
    """A consumer at work on a real broker."""

    def __init__(self, broker: Broker, name: str, handler: Callable[..., Any], **options: Any) -> None:
        self.broker = broker
        self.queue = name
        self.home = f"{name}.dead-letters"
        consumer = Consumer(name=name, queue=name, handler=handler, **{"pool": 2, **options})
        self.subscription = Subscription(consumer, broker, dead_letters=Destination.queue(self.home))
        self.counters = self.subscription.counters
        #: Cuts the cable.
        self.cut: Callable[[], None] = lambda: None

    async def deliver(self, *messages: Message) -> None:
        """Publish, again where nobody can tell whether it was."""
        left = list(messages)
        while left:
            outcome = await self.broker.publish_many([(each, Destination.queue(self.queue)) for each in left])
            left = [message for message, error in zip(left, outcome, strict=True) if error is not None]

    async def dead(self) -> Received:
        received = await until_fetched(self.broker, self.home)
        received.ack()
        return received

    async def is_empty(self) -> bool:
        """Whether nothing waits anywhere; ask when the subscription is stopped."""
        depths = [await self.broker.depth(queue) for queue in (self.queue, self.home)]
        return depths == [0, 0]


def in_a_shop(
    mq_url: str | None, name: str, story: Callable[[Shop], Awaitable[None]], handler: Any, **options: Any
) -> None:
    queues = [
        Queue(
            name,
            arguments={"x-dead-letter-exchange": "", "x-dead-letter-routing-key": f"{name}.dead-letters"},
        ),
        Queue(f"{name}.dead-letters"),
        Queue(f"{name}.elsewhere"),
    ]

    async def main() -> None:
        async with opened_by_cable(mq_url, *queues) as (broker, cable):
            shop = Shop(broker, name, handler, **options)
            shop.cut = cable.cut
            await shop.subscription.start()
            try:
                await story(shop)
            finally:
                await shop.subscription.stop(5)

    asyncio.run(main())


class Handler:
    """Fails so many times on each message, then works."""

    def __init__(self, failures: int = 10**6, error: type[Exception] = ValueError) -> None:
        self.left = failures
        self.error = error
        self.attempts: list[int] = []

    async def __call__(self, message: Message) -> None:
        self.attempts.append(message.attempts)
        if self.left:
            self.left -= 1
            raise self.error(f"failed {len(self.attempts)}")


def test_what_is_handled_is_gone(mq_url: str | None, name: str) -> None:
    handler = Handler(failures=0)

    async def story(shop: Shop) -> None:
        await shop.deliver(*(bill(n) for n in range(100)))
        await until(lambda: shop.counters.handled == 100)
        await shop.subscription.stop()
        assert await shop.is_empty()

    in_a_shop(mq_url, name, story, handler)


@pytest.mark.parametrize(
    "strategy",
    [
        Immediate(attempts=3),
        Republish(attempts=3, defer=0),
        Backoff(attempts=3, initial=0.01, cap=0.01),
    ],
    ids=lambda strategy: type(strategy).__name__,
)
def test_a_retried_message_comes_again_and_knows_how_often_it_failed(
    mq_url: str | None, name: str, strategy: RetryStrategy
) -> None:
    handler = Handler(failures=2)

    async def story(shop: Shop) -> None:
        await shop.deliver(bill())
        await until(lambda: shop.counters.handled == 1)
        assert handler.attempts == [0, 1, 2]
        await shop.subscription.stop()
        assert await shop.is_empty()
        assert (shop.counters.failed, shop.counters.retried) == (2, 2)

    in_a_shop(mq_url, name, story, handler, retry=strategy)


def test_an_exhausted_message_is_kept_with_all_that_is_known(mq_url: str | None, name: str) -> None:
    async def story(shop: Shop) -> None:
        await shop.deliver(bill(headers={"mine": "yes"}))
        dead = await shop.dead()
        message = dead.message
        assert (message.id, message.body, message.type) == ("b1", b'{"bill": 1}', "Bill")
        headers = message.headers
        assert {key: headers[key] for key in headers if key != "x-penstock-trace"} == {
            "mine": "yes",
            "x-penstock-type-version": 1,
            "x-penstock-attempts": 3,
            "x-penstock-consumer": name,
            "x-penstock-queue": name,
            "x-penstock-error": "failed 3",
            "x-penstock-error-class": "builtins.ValueError",
            "x-penstock-reason": "tried 3 times",
            "x-penstock-first-failure": headers["x-penstock-first-failure"],
            "x-penstock-last-failure": headers["x-penstock-last-failure"],
            "x-penstock-exchange": "",
            "x-penstock-key": name,
        }
        assert float(headers["x-penstock-first-failure"]) <= float(headers["x-penstock-last-failure"])
        assert "raise self.error" in headers["x-penstock-trace"]
        assert message.durable
        await shop.subscription.stop()
        assert await shop.is_empty()

    in_a_shop(mq_url, name, story, Handler(), retry=Immediate(attempts=2))


@pytest.mark.parametrize(
    ("error", "strategy"), [(PersistentError, Immediate(attempts=50)), (ValueError, DeadLetters())]
)
def test_a_message_that_need_not_be_tried_again_is_not(
    mq_url: str | None, name: str, error: type[Exception], strategy: RetryStrategy
) -> None:
    handler = Handler(error=error)

    async def story(shop: Shop) -> None:
        await shop.deliver(bill())
        assert (await shop.dead()).message.attempts == 1
        assert handler.attempts == [0]

    in_a_shop(mq_url, name, story, handler, retry=strategy)


def test_a_forwarded_message_is_elsewhere(mq_url: str | None, name: str) -> None:
    async def story(shop: Shop) -> None:
        await shop.deliver(bill())
        received = await until_fetched(shop.broker, f"{name}.elsewhere")
        assert (received.message.id, received.message.attempts) == ("b1", 1)
        assert received.destination == Destination.queue(name), "it knows where it came from"
        received.ack()
        await shop.subscription.stop()
        assert await shop.is_empty()

    in_a_shop(mq_url, name, story, Handler(), retry=ForwardTo(to=Destination.queue(f"{name}.elsewhere")))


def test_a_rejected_message_goes_the_brokers_own_way(mq_url: str | None, name: str) -> None:
    async def story(shop: Shop) -> None:
        await shop.deliver(bill())
        dead = await shop.dead()
        assert [(death.queue, death.reason) for death in dead.deaths] == [(name, "rejected")]
        assert "x-penstock-error" not in dead.message.headers

    in_a_shop(mq_url, name, story, Handler(), retry=Rejecting())


def test_a_requeued_message_comes_again_as_if_it_had_not_been_tried(mq_url: str | None, name: str) -> None:
    handler = Handler(failures=3)

    async def story(shop: Shop) -> None:
        await shop.deliver(bill())
        await until(lambda: shop.counters.handled == 1)
        assert handler.attempts == [0, 0, 0, 0]
        await shop.subscription.stop()
        assert await shop.is_empty()

    in_a_shop(mq_url, name, story, handler, retry=Requeue())


def test_at_most_once_is_gone_from_the_broker_before_it_is_handled(mq_url: str | None, name: str) -> None:
    seen: list[int | None] = []
    shops: list[Shop] = []

    async def handler(_: Message) -> None:
        # Whatever the broker still has in our hands comes back to it with the cut.
        shop = await until(lambda: shops and shops[0])
        shop.cut()
        seen.append(await shop.broker.depth(name))
        raise ValueError("and then it fails")

    async def story(shop: Shop) -> None:
        await shop.deliver(bill())
        shops.append(shop)
        await until(lambda: shop.counters.dropped == 1)
        assert seen == [0]
        await shop.subscription.stop()
        assert await shop.is_empty()
        assert shop.counters.failed == 1, "and it never came again"

    in_a_shop(mq_url, name, story, handler, retry=AtMostOnce())


def test_a_batch_is_settled_message_by_message(mq_url: str | None, name: str) -> None:
    sizes: list[int] = []

    async def handler(batch: list[Any]) -> None:
        sizes.append(len(batch))
        if any(each.message.id == "b7" for each in batch):
            raise ValueError("one of you is no good")

    async def story(shop: Shop) -> None:
        await shop.deliver(*(bill(n) for n in range(20)))
        dead = await shop.dead()
        assert dead.message.id == "b7"
        await until(lambda: shop.counters.handled == 19)
        await shop.subscription.stop()
        assert await shop.is_empty()
        assert max(sizes) > 1

    options: dict[str, Any] = {"batching": Batching(size=20, wait=0.5), "pool": 1, "retry": DeadLetters()}
    in_a_shop(mq_url, name, story, handler, **options)


def test_a_consumer_survives_every_cut_and_misses_nothing(mq_url: str | None, name: str) -> None:
    seen: set[str] = set()

    async def handler(message: Message) -> None:
        await asyncio.sleep(0)
        if message.attempts < 1 and message.id.endswith("7"):
            raise ValueError("try me again")
        seen.add(message.id)

    def more_than(count: int) -> bool:
        return len(seen) > count

    async def story(shop: Shop) -> None:
        sent = {f"b{n}" for n in range(300)}
        for first in range(0, 300, 100):
            await shop.deliver(*(bill(n) for n in range(first, first + 100)))
            await until(partial(more_than, first + 20))
            shop.cut()
        await until(lambda: seen == sent)
        await until(lambda: not shop.subscription.is_busy)
        await shop.subscription.stop()
        assert await shop.is_empty()

    in_a_shop(mq_url, name, story, handler, retry=Immediate(), prefetch=20)


def test_a_stop_gives_back_what_was_not_begun(mq_url: str | None, name: str) -> None:
    begun: list[str] = []
    may_end = asyncio.Event()

    async def handler(message: Message) -> None:
        begun.append(message.id)
        await may_end.wait()

    async def story(shop: Shop) -> None:
        await shop.deliver(*(bill(n) for n in range(10)))
        await until(lambda: len(begun) == 2)
        stopping = asyncio.create_task(shop.subscription.stop())
        await until_depth(shop.broker, name, 8)
        may_end.set()
        assert await stopping
        assert shop.counters.handled == 2
        await until_depth(shop.broker, name, 8)

    in_a_shop(mq_url, name, story, handler, pool=2)
