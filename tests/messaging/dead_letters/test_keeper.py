"""The keeper: with a stand-in for the broker where something must fail, and with real ones."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from penstock.client import Outgoing, Queue
from penstock.errors import PublishError, StoreError
from penstock.messaging import headers as names
from penstock.messaging.alerts import EXHAUSTED
from penstock.messaging.dead_letters import DeadLetter, DeadLetterKeeper, DeadLetterStore, Selection
from penstock.messaging.message import Death, Destination, Message
from penstock.messaging.port import Topology
from penstock.wire.amqp import BasicProperties
from tests.messaging.brokers import VirtualStage, on_stage
from tests.messaging.fakes import FakeAlerts, FakeBroker, FakeReceived, advance, turns
from tests.servers import postgresql

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable
    from pathlib import Path

    from tests.messaging.brokers import Stage
    from tests.servers.postgresql import PostgreSQL

ALL = Selection(state=None)


class FailingStore(DeadLetterStore):
    """One whose database is away for some tries."""

    failures = 0

    def keep(self, arrived: Iterable[DeadLetter]) -> int:
        if self.failures:
            self.failures -= 1
            raise StoreError("the database is away")
        return super().keep(arrived)


def dead(message_id: str, error: str = "no thread 17") -> FakeReceived:
    headers = {names.CONSUMER: "notifications", names.QUEUE: "q", names.ERROR: error, names.ATTEMPTS: 3}
    return FakeReceived(Message(body=b"{}", id=message_id, type="Thread", headers=headers))


async def until_idle(keeper: DeadLetterKeeper) -> None:
    """Wait for the store's thread."""
    async with asyncio.timeout(60):
        while keeper.is_busy:  # noqa: ASYNC110  there is nobody to tell
            await asyncio.sleep(0.001)


def test_a_queue_that_an_application_has_declared_is_left_as_it_is(memory: DeadLetterStore) -> None:
    async def story() -> None:
        broker = FakeBroker()
        declared = Topology(queues=(Queue("commons.dead-letters", arguments={"x-queue-type": "quorum"}),))
        await broker.initialize(declared)
        keeper = DeadLetterKeeper(memory, "commons.dead-letters")
        await keeper.start(broker)
        assert broker.topologies == [declared]
        await keeper.stop()

    asyncio.run(story())


def test_a_message_is_kept_and_then_acked(memory: DeadLetterStore) -> None:
    async def story() -> None:
        broker, alerts = FakeBroker(), FakeAlerts()
        keeper = DeadLetterKeeper(
            memory, "commons.dead-letters", alerts=alerts, arguments={"x-max-length": 9}
        )
        await keeper.start(broker)
        (queue,) = broker.topologies[0].queues
        assert queue == Queue("commons.dead-letters", arguments={"x-max-length": 9})
        messages = [dead("m1"), dead("m2"), dead("m2"), dead("m3", "quite another")]
        broker.deliver(*messages)
        await until_idle(keeper)
        await turns()
        assert [each.settled for each in messages] == [["ack"]] * 4
        assert repr(keeper) == "<DeadLetterKeeper of commons.dead-letters: 3 kept>"
        # Whoever failed has told of it.
        assert alerts.kinds == []
        await keeper.stop()
        assert len(memory.newest(ALL, 10)) == 3

    asyncio.run(story())


def test_while_the_database_is_away_nothing_is_acked(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        broker, store = FakeBroker(), FailingStore("sqlite://")
        keeper = DeadLetterKeeper(store, "q")
        await keeper.start(broker)
        store.failures = 3
        received = dead("m1")
        broker.deliver(received)
        for seconds in (0.5, 1.0, 2.0):
            while broker.clock.next_at > broker.clock.now() + seconds:  # noqa: ASYNC110  nobody tells
                await asyncio.sleep(0.001)
            assert received.settled == []
            await advance(broker, seconds)
        await until_idle(keeper)
        assert received.settled == ["ack"]
        assert keeper.kept == 1
        await keeper.stop()
        store.close()

    asyncio.run(story())
    assert caplog.text.count("1 dead letters wait for the database: the database is away") == 3


def test_stopping_while_the_database_is_away_gives_the_messages_back() -> None:
    async def story() -> None:
        broker, store = FakeBroker(), FailingStore("sqlite://")
        keeper = DeadLetterKeeper(store, "q")
        await keeper.start(broker)
        store.failures = 1000
        received = dead("m1")
        broker.deliver(received)
        await turns()
        await keeper.stop()
        assert received.settled == ["requeue"]
        store.close()

    asyncio.run(story())


def test_what_a_broker_dead_letters_has_its_queues_consumer_and_is_told_of(memory: DeadLetterStore) -> None:
    async def story() -> None:
        broker, alerts = FakeBroker(), FakeAlerts()
        keeper = DeadLetterKeeper(memory, "q", alerts=alerts, consumers={"commons.n": "notifications"})
        await keeper.start(broker)
        messages = [FakeReceived(Message(body=b"", id=f"m{number}")) for number in range(3)]
        for received in messages:
            received.deaths = [
                Death(queue="commons.n", reason="maxlen", exchange="", keys=(), count=1, at=1.0)
            ]
        broker.deliver(*messages)
        await until_idle(keeper)
        await turns()
        assert memory.get("m1").consumer == "notifications"
        # One alert a group.
        assert alerts.kinds == [EXHAUSTED]
        assert alerts.raised[0].text == "notifications could not handle a message: its queue was full"
        await keeper.stop()

    asyncio.run(story())


# With real brokers


@asynccontextmanager
async def kept(url: str | None, store: DeadLetterStore) -> AsyncIterator[tuple[Stage, str, DeadLetterKeeper]]:
    async with on_stage(url) as stage:
        name = f"commons-{uuid4().hex[:8]}"
        keeper = DeadLetterKeeper(store, f"{name}.dead-letters")
        await keeper.start(stage.broker)
        stage.watch(keeper)
        yield stage, name, keeper
        await keeper.stop()


def home(name: str) -> dict[str, Any]:
    return {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": f"{name}.dead-letters"}


def test_what_the_broker_dead_letters_by_itself_says_why(mq_url: str | None, memory: DeadLetterStore) -> None:
    async def story() -> None:
        async with kept(mq_url, memory) as (stage, name, keeper):
            broker = stage.broker
            small, brief, plain = (f"{name}.{each}" for each in ("small", "brief", "plain"))
            queues = (
                Queue(small, arguments={**home(name), "x-max-length": 1}),
                Queue(brief, arguments={**home(name), "x-message-ttl": 100}),
                Queue(plain, arguments=home(name)),
            )
            await broker.initialize(Topology(queues=queues))
            for queue, message_id in ((small, "a"), (small, "b"), (brief, "c"), (plain, "d")):
                await broker.publish(Message(body=b"x", id=message_id, type="T"), Destination.queue(queue))
            received = await broker.fetch(plain)
            assert received is not None
            received.reject()
            await stage.wait(0.2)
            await stage.comes_true(lambda: keeper.kept == 3)
            letters = {each.message_id: each for each in memory.newest(ALL, 10)}
            assert {key: (each.reason, each.queue) for key, each in letters.items()} == {
                "a": ("maxlen", small),
                "c": ("expired", brief),
                "d": ("rejected", plain),
            }
            assert letters["a"].consumer == small
            assert (letters["c"].exchange, letters["c"].key) == ("", brief)
            assert await broker.depth(f"{name}.dead-letters") == 0

    asyncio.run(story())


def test_garbage_is_kept_as_it_came(mq_url: str | None, memory: DeadLetterStore) -> None:
    async def story() -> None:
        async with kept(mq_url, memory) as (stage, name, keeper):
            client = stage.broker.client  # type: ignore[attr-defined]
            bare = BasicProperties.of()
            odd = BasicProperties.of(
                content_type="x/y",
                headers={
                    "x-penstock-attempts": "many",
                    "x-death": "none",
                    "b": b"\xff",
                    "t": {"n": [1, None]},
                },
                expiration=None,
                type="",
            )
            for body, properties in ((b"\xff\x00", bare), (b"", odd)):
                await client.publish(Outgoing("", f"{name}.dead-letters", body, properties))
            await stage.comes_true(lambda: keeper.kept == 2)
            found = memory.newest(ALL, 10)
            assert {each.body for each in found} == {b"\xff\x00", b""}
            assert all(each.message_id.startswith("nameless-") for each in found)
            assert {each.headers.get("b") for each in found} == {None, b"\xff"}

    asyncio.run(story())


def test_a_keeper_that_was_interrupted_before_it_acked_keeps_nothing_twice(memory: DeadLetterStore) -> None:
    async def story() -> None:
        async with on_stage(None) as stage:
            broker = stage.broker
            await broker.initialize(Topology(queues=(Queue("q"),)))
            await broker.publish(Message(body=b"x", id="m1"), Destination.queue("q"))
            # Given a keeper that has committed, and was killed before the ack
            keeper = DeadLetterKeeper(memory, "q")
            keeper._drain.ack = lambda received: None  # type: ignore[method-assign]
            await keeper.start(broker)
            await stage.comes_true(lambda: keeper.kept == 1)
            await keeper.stop()
            # When another one starts
            second = DeadLetterKeeper(memory, "q")
            await second.start(broker)
            stage.watch(second)
            await stage.wait(0)
            # Then it has nothing new to keep, and the queue is empty
            assert (second.kept, await broker.depth("q")) == (0, 0)
            assert len(memory.newest(ALL, 10)) == 1
            await second.stop()

    asyncio.run(story())


@pytest.mark.parametrize("point", ["received", "commit", "committed", "told"])
@pytest.mark.parametrize("nth", [1, 2, 4])
def test_a_crash_of_the_broker_at_any_point_loses_nothing(
    memory: DeadLetterStore, point: str, nth: int
) -> None:
    async def story() -> None:
        async with kept(None, memory) as (stage, name, keeper):
            assert isinstance(stage, VirtualStage)
            with stage.controlled.crash_at(point, nth=nth):
                for number in range(5):
                    message = Message(body=b"x", id=f"m{number}")
                    await published(message, Destination.queue(f"{name}.dead-letters"), stage)
                await stage.wait(60)
            await stage.wait(60)
            await stage.comes_true(lambda: keeper.kept >= 5)
            assert {each.message_id for each in memory.newest(ALL, 10)} == {f"m{n}" for n in range(5)}
            assert await stage.broker.depth(f"{name}.dead-letters") == 0

    async def published(message: Message, to: Destination, stage: VirtualStage) -> None:
        """Again and again until it is confirmed, as every publisher does."""
        while True:
            sending = asyncio.ensure_future(stage.broker.publish(message, to))
            while not sending.done():
                await stage.wait(1)
            if sending.exception() is None:
                return
            assert isinstance(sending.exception(), PublishError)

    asyncio.run(story())


def test_a_database_that_restarts_is_waited_for(real_program: Callable[[str], Path]) -> None:
    async def story(server: PostgreSQL) -> None:
        assert server.running is not None
        store = DeadLetterStore(postgresql.url_of(server.running))
        async with on_stage(None) as stage:
            assert isinstance(stage, VirtualStage)
            keeper = DeadLetterKeeper(store, "q")
            await keeper.start(stage.broker)
            await asyncio.to_thread(server.stop)
            await stage.broker.publish(Message(body=b"x", id="m1"), Destination.queue("q"))
            await stage.wait(10)
            assert keeper.is_busy
            await asyncio.to_thread(server.start)
            async with asyncio.timeout(60):
                while keeper.is_busy:
                    await stage.wait(1)
                    await asyncio.sleep(0.01)  # for the store's thread, which knows no virtual clock
            assert (keeper.kept, await stage.broker.depth("q")) == (1, 0)
            await keeper.stop()
        assert store.get("m1").body == b"x"
        store.close()

    server = postgresql.start(real_program("postgresql"), postgresql.IMPATIENT)
    try:
        asyncio.run(story(server))
    finally:
        server.destroy()
