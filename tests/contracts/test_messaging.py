"""What an application asks of a broker through the Broker port, of every adapter alike.

Embedded is the broker in the test's own process; Penstock and RabbitMQ are reached over TCP. Whatever passes
here on one passes on all: that is what "only the URL changes" means.
"""

from __future__ import annotations

import asyncio
import re
import uuid
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from penstock.client import Binding, BrokerUrl, ClientSettings, Exchange, Queue, connect
from penstock.client.dialing import dial_url
from penstock.errors import BrokerRefused, PersistentError, Unroutable
from penstock.messaging import Destination, Message, Topology
from penstock.messaging.amqp import AmqpBroker
from penstock.messaging.opening import open_broker
from penstock.messaging.settings import MessagingSettings
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
from penstock.server.embedded import Embedded
from tests.servers import penstock, rabbitmq
from tests.servers.running import shared

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from penstock.messaging import Received
    from penstock.messaging.subscriptions import RetryStrategy

#: Seconds within which everything happens that must happen; far more than it needs.
PATIENCE_S = 60.0

#: A client that does not let a test wait.
HASTY = ClientSettings(backoff_initial=0.02, backoff_max=0.2, publish_timeout=30)


@pytest.fixture(params=["embedded", "penstock", "rabbitmq"])
def mq_url(
    request: pytest.FixtureRequest, run_folder: Path, real_program: Callable[[str], Path]
) -> str | None:
    """Where the broker is; None is a broker in this process."""
    if request.param == "embedded":
        return None
    if request.param == "penstock":
        return shared("penstock", notes=run_folder, start=penstock.start).url
    program = real_program("rabbitmq")
    return shared("rabbitmq", notes=run_folder, start=lambda folder: rabbitmq.start(program, folder)).url


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A name that nobody else uses."""
    test = re.sub(r"\W+", "-", request.node.originalname)
    return f"{test.removeprefix('test_')[:40]}-{uuid.uuid4().hex[:8]}"


class Cable:
    """Sockets to a broker that can be cut."""

    def __init__(self, dial: Any) -> None:
        self._dial = dial
        self._transports: list[asyncio.Transport] = []

    async def dial(self, protocol: Callable[[], Any]) -> tuple[asyncio.Transport, Any]:
        transport, made = await self._dial(protocol)
        self._transports.append(transport)
        return transport, made

    def cut(self) -> None:
        for transport in self._transports:
            transport.abort()
        self._transports.clear()


@asynccontextmanager
async def wired(mq_url: str | None) -> AsyncIterator[tuple[str, Cable]]:
    """A broker's URL, and the cable that leads there."""
    if mq_url is not None:
        yield mq_url, Cable(dial_url(BrokerUrl.parse(mq_url)))
        return
    embedded = await Embedded.start()
    yield embedded.url, Cable(embedded.dial)
    await embedded.close()


@asynccontextmanager
async def opened_by_cable(mq_url: str | None, *queues: Queue) -> AsyncIterator[tuple[AmqpBroker, Cable]]:
    """A broker at the end of a cable."""
    async with wired(mq_url) as (url, cable):
        broker = AmqpBroker(await connect(url, dial=cable.dial, settings=HASTY))
        await broker.initialize(Topology(queues=queues))
        try:
            yield broker, cable
        finally:
            await broker.client.withdraw(*queues)
            await broker.close()


@asynccontextmanager
async def opened(mq_url: str | None, *queues: Queue) -> AsyncIterator[AmqpBroker]:
    broker = await open_broker(mq_url, settings=MessagingSettings(mq_publish_timeout=30))
    await broker.initialize(Topology(queues=queues))
    try:
        yield broker
    finally:
        if broker.is_connected:
            await broker.client.withdraw(*queues)
        await broker.close()


async def until(condition: Callable[[], Any]) -> Any:
    async with asyncio.timeout(PATIENCE_S):
        while not (found := condition()):  # noqa: ASYNC110  what is waited for has no event
            await asyncio.sleep(0.005)
        return found


async def until_fetched(broker: AmqpBroker, queue: str) -> Received:
    async with asyncio.timeout(PATIENCE_S):
        while (received := await broker.fetch(queue)) is None:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        return received


async def until_depth(broker: AmqpBroker, queue: str, depth: int) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while await broker.depth(queue) != depth:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


def bill(number: int = 1, **properties: Any) -> Message:
    return Message(body=b'{"bill": %d}' % number, id=f"b{number}", type="Bill", **properties)


# The port


def test_a_broker_says_what_it_is(mq_url: str | None) -> None:
    async def story() -> None:
        async with opened(mq_url) as broker:
            assert broker.is_connected
            assert broker.product in {"Penstock", "RabbitMQ"}
            assert broker.version
            assert broker.clock.now() > 0
        assert not broker.is_connected

    asyncio.run(story())


def test_a_message_comes_out_as_it_went_in(mq_url: str | None, name: str) -> None:
    sent = Message(
        body=b'{"sum": 5}',
        type="Bill",
        version=3,
        content_type="application/x-bill",
        headers={"trace": "t1", "tries": 2},
        correlation_id="c1",
        reply_to="answers",
        priority=4,
        timestamp=1_800_000_000.0,
        durable=False,
    )

    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            await broker.publish(sent, Destination.queue(name))
            received = await until_fetched(broker, name)
            message = received.message
            assert (message.body, message.id, message.type, message.version) == (
                sent.body,
                sent.id,
                "Bill",
                3,
            )
            assert (received.body, received.type, received.queue) == (sent.body, "Bill", name)
            assert message.headers == {"trace": "t1", "tries": 2, "x-penstock-type-version": 3}
            assert (message.content_type, message.correlation_id, message.reply_to) == (
                "application/x-bill",
                "c1",
                "answers",
            )
            assert (message.priority, message.timestamp, message.durable) == (4, 1_800_000_000.0, False)
            assert received.destination == Destination("", name)
            assert (received.redelivered, received.delivery_count, received.deaths) == (False, 0, ())
            received.ack()

    asyncio.run(story())


def test_a_topology_routes_and_may_grow(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            exchange = Exchange(name, "topic")
            bound = Topology(exchanges=(exchange,), bindings=(Binding(name, name, "Bill.#"),))
            await broker.initialize(bound)
            await broker.initialize(bound)
            await broker.publish(bill(), Destination(name, "Bill.eu"))
            received = await until_fetched(broker, name)
            assert received.destination == Destination(name, "Bill.eu")
            received.ack()
            await broker.client.withdraw(exchange)

    asyncio.run(story())


def test_a_topology_that_differs_is_refused(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            with pytest.raises(BrokerRefused):
                await broker.initialize(Topology(queues=(Queue(name, arguments={"x-max-length": 5}),)))
            await broker.publish(bill(), Destination.queue(name))

    asyncio.run(story())


def test_a_message_that_nobody_takes_is_an_error(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            with pytest.raises(Unroutable):
                await broker.publish(bill(), Destination.queue("no-such-queue"))
            outcome = await broker.publish_many(
                [
                    (bill(1), Destination.queue(name)),
                    (bill(2), Destination.queue("no-such-queue")),
                    (bill(3), Destination.queue(name)),
                ]
            )
            assert [type(each) for each in outcome] == [type(None), Unroutable, type(None)]
            assert await broker.depth(name) == 2

    asyncio.run(story())


def test_a_queue_that_is_not_there_has_no_depth(mq_url: str | None) -> None:
    async def story() -> None:
        async with opened(mq_url) as broker:
            assert await broker.depth("no-such-queue") is None

    asyncio.run(story())


def test_an_empty_queue_has_nothing_to_fetch(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            assert await broker.fetch(name) is None

    asyncio.run(story())


def test_a_subscriber_has_so_many_in_hand_and_gets_them_in_order(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            received: list[Received] = []
            subscribed = await broker.subscribe(name, received.extend, prefetch=3)
            assert subscribed.is_live
            await broker.publish_many([(bill(n), Destination.queue(name)) for n in range(10)])
            await until(lambda: len(received) == 3)
            assert await broker.depth(name) == 7
            for each in received:
                each.ack()
            await until(lambda: len(received) == 6)
            assert [each.message.id for each in received] == [f"b{n}" for n in range(6)]
            await subscribed.cancel()
            assert not subscribed.is_live
            for each in received:
                each.requeue()
            await until_depth(broker, name, 7)

    asyncio.run(story())


def test_a_pool_is_several_subscribers(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            received: list[Received] = []
            subscribed = await broker.subscribe(name, received.extend, prefetch=1, pool=4)
            await broker.publish_many([(bill(n), Destination.queue(name)) for n in range(10)])
            await until(lambda: len(received) == 4)
            await subscribed.cancel()
            for each in received:
                each.ack()
            await until_depth(broker, name, 6)

    asyncio.run(story())


def test_what_is_requeued_comes_again_and_says_so(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            await broker.publish(bill(), Destination.queue(name))
            (await until_fetched(broker, name)).requeue()
            again = await until_fetched(broker, name)
            assert (again.message.id, again.redelivered) == ("b1", True)
            again.ack()
            again.ack()
            again.requeue()
            assert await broker.depth(name) == 0, "settled once is settled"

    asyncio.run(story())


def test_what_is_rejected_dies_and_tells_where_and_why(mq_url: str | None, name: str) -> None:
    home = Queue(f"{name}.home")
    queue = Queue(name, arguments={"x-dead-letter-exchange": "", "x-dead-letter-routing-key": f"{name}.home"})

    async def story() -> None:
        async with opened(mq_url, queue, home) as broker:
            await broker.publish(bill(), Destination.queue(name))
            (await until_fetched(broker, name)).reject()
            dead = await until_fetched(broker, home.name)
            (death,) = dead.deaths
            assert (death.queue, death.reason, death.count, death.keys) == (name, "rejected", 1, (name,))
            assert death.at > 0
            dead.ack()

    asyncio.run(story())


def test_failures_are_counted_where_the_broker_counts(mq_url: str | None, name: str) -> None:
    queue = Queue(name, arguments={"x-queue-type": "quorum"})

    async def story() -> None:
        async with opened(mq_url, queue) as broker:
            await broker.publish(bill(), Destination.queue(name))
            first = await until_fetched(broker, name)
            assert first.delivery_count == 0
            first._delivery.reject(requeue=True)  # type: ignore[attr-defined]
            again = await until_fetched(broker, name)
            assert again.delivery_count == 1
            again.ack()

    asyncio.run(story())


def test_an_ack_can_be_certain(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened_by_cable(mq_url, Queue(name)) as (broker, cable):
            await broker.publish_many([(bill(n), Destination.queue(name)) for n in range(3)])
            received: list[Received] = []
            subscribed = await broker.subscribe(name, received.extend, prefetch=10)
            await until(lambda: len(received) == 3)
            assert await received[1].ack_for_certain()
            assert not await received[1].ack_for_certain(), "once"
            # The broker has heard: no cut brings it back, as it does the others.
            cable.cut()
            assert not await received[0].ack_for_certain()
            await until(lambda: len(received) >= 5)
            assert sorted(each.message.id for each in received[3:]) == ["b0", "b2"]
            await subscribed.cancel()
            for each in received:
                each.ack()
            await until_depth(broker, name, 0)

    asyncio.run(story())


def test_a_fetched_message_can_be_acked_for_certain(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            await broker.publish(bill(), Destination.queue(name))
            assert await (await until_fetched(broker, name)).ack_for_certain()
            assert await broker.fetch(name) is None

    asyncio.run(story())


def test_a_message_that_nobody_takes_in_time_is_gone(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            await broker.publish(bill(expires_in=0.05), Destination.queue(name))
            await until_depth(broker, name, 0)

    asyncio.run(story())


@pytest.mark.parametrize("through", ["queue", "exchange"])
def test_a_delayed_message_comes_later_and_blocks_nobody(mq_url: str | None, name: str, through: str) -> None:
    async def story() -> None:
        async with opened(mq_url, Queue(name)) as broker:
            exchange = Exchange(name, "topic")
            await broker.initialize(
                Topology(exchanges=(exchange,), bindings=(Binding(name, name, "Bill.#"),))
            )
            to = Destination.queue(name) if through == "queue" else Destination(name, "Bill.eu")
            begun = broker.clock.now()
            await broker.publish(bill(1, delay=2.0, headers={"mine": 1}), to)
            await broker.publish(bill(2, delay=1.0), to)
            await broker.publish(bill(3), to)
            assert await broker.depth(name) == 1
            received = [await until_fetched(broker, name) for _ in range(3)]
            assert [each.message.id for each in received] == ["b3", "b2", "b1"]
            assert broker.clock.now() - begun >= 2.0
            assert received[2].message.headers["mine"] == 1
            assert received[2].destination == to
            for each in received:
                each.ack()
            await broker.client.withdraw(exchange)

    asyncio.run(story())


# Strategies, as the broker sees them: Rascal's `ack` was a nack, and dead-lettered.


class Shop:
    """A consumer at work on a real broker."""

    def __init__(self, broker: AmqpBroker, name: str, handler: Callable[..., Any], **options: Any) -> None:
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

    async def story(shop: Shop) -> None:
        sent = {f"b{n}" for n in range(300)}
        for first in range(0, 300, 100):
            await shop.deliver(*(bill(n) for n in range(first, first + 100)))
            await until(lambda first=first: len(seen) > first + 20)
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
