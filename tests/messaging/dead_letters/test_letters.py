"""What people do about dead letters, with a stand-in for the broker; and the whole circle with real ones."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from penstock.client import Binding, Exchange, Queue
from penstock.errors import MessagingError, NotConnected, PublishError, UnknownDeadLetter, Unroutable
from penstock.messaging import headers as names
from penstock.messaging.dead_letters import (
    DEAD,
    REDRIVEN,
    RETRIED,
    DeadLetter,
    DeadLetterKeeper,
    DeadLetters,
    DeadLetterStore,
    Edit,
    Redrive,
    Selection,
)
from penstock.messaging.dead_letters import letters as module
from penstock.messaging.message import Destination, Message
from penstock.messaging.port import Topology
from tests.messaging.brokers import on_stage
from tests.messaging.dead_letters.making import FAILED
from tests.messaging.fakes import FakeBroker, advance

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from penstock.messaging.port import Received
    from tests.messaging.brokers import Stage

ALL = Selection(state=None)


@dataclass
class Broker(FakeBroker):
    """One on which some ids cannot be published, or nothing."""

    failing: set[str] = field(default_factory=set)
    is_away: bool = False

    async def publish_many(
        self,
        messages: Sequence[tuple[Message, Destination]],
        *,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> list[PublishError | None]:
        if self.is_away:
            raise NotConnected("nobody there")
        errors = [Unroutable("no queue") if each.id in self.failing else None for each, _ in messages]
        self.published += [pair for pair, error in zip(messages, errors, strict=True) if error is None]
        return [*errors]

    @property
    def ids(self) -> list[str]:
        return [message.id for message, _ in self.published]


def letter(number: int, **changes: Any) -> DeadLetter:
    return replace(FAILED, message_id=f"m{number}", last_failure=100.0 + number, **changes)


def test_looking(memory: DeadLetterStore) -> None:
    async def story() -> None:
        letters = DeadLetters(memory)
        memory.keep([letter(1), letter(2), letter(3, type="Other")])
        assert [each.message_id for each in await letters.find(limit=2)] == ["m3", "m2"]
        assert [each.message_id for each in await letters.find(Selection(type="Other"))] == ["m3"]
        assert [group.count for group in await letters.groups()] == [2, 1]
        assert [group.count for group in await letters.groups(Selection(type="Other"))] == [1]
        assert (await letters.show("m1")).body == FAILED.body
        with pytest.raises(UnknownDeadLetter):
            await letters.show("m9")
        assert await letters.delete(Selection(message_ids=("m1",))) == 1

    asyncio.run(story())


def test_redriving_sends_to_the_queue_that_failed_and_marks(memory: DeadLetterStore) -> None:
    async def story() -> None:
        broker = Broker()
        memory.keep([letter(2), letter(1), letter(3, type="Other")])
        done = await DeadLetters(memory, broker).redrive(Selection(type="ThreadCreated"))
        assert done == Redrive(redriven=2, failed=0)
        assert broker.ids == ["m1", "m2"]
        assert {to for _, to in broker.published} == {Destination("", "commons.Notifications")}
        assert {message.headers[names.REDRIVEN] for message, _ in broker.published} == {1}
        assert {each.message_id: each.state for each in memory.newest(ALL, 9)} == {
            "m1": REDRIVEN,
            "m2": REDRIVEN,
            "m3": DEAD,
        }
        # Nothing is left to redrive of that type.
        assert (await DeadLetters(memory, broker).redrive(Selection(type="ThreadCreated"))).redriven == 0

    asyncio.run(story())


def test_by_group_by_selector_and_not_more_than_so_many(
    memory: DeadLetterStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE", 2)

    async def story() -> None:
        broker = Broker()
        memory.keep([letter(number, headers={"shard": number % 2}) for number in range(10)])
        letters = DeadLetters(memory, broker)
        odd = Selection(group=FAILED.group, where="shard = 1")
        assert (await letters.redrive(odd, limit=3)).redriven == 3
        assert broker.ids == ["m1", "m3", "m5"]
        assert (await letters.redrive(odd)).redriven == 2

    asyncio.run(story())


def test_what_cannot_be_sent_is_as_dead_as_before(memory: DeadLetterStore) -> None:
    async def story() -> None:
        broker = Broker(failing={"m2"})
        memory.keep([letter(1), letter(2), letter(3, queue="")])
        tried: list[int] = []
        done = await DeadLetters(memory, broker).redrive(Selection(), on_progress=tried.append)
        assert (done.redriven, done.failed, tried[-1]) == (1, 2, 3)
        assert set(done.errors) == {
            "commons.Notifications m2: no queue",
            "commons.Notifications m3: nobody knows the queue of m3: retry it, and name one",
        }
        assert [each.message_id for each in memory.newest(Selection(), 9)] == ["m3", "m2"]
        broker.is_away = True
        done = await DeadLetters(memory, broker).redrive(Selection(message_ids=("m2",)))
        assert done.errors == ("commons.Notifications m2: nobody there",)

    asyncio.run(story())


def test_only_so_many_a_second(memory: DeadLetterStore) -> None:
    async def story() -> None:
        broker = Broker()
        memory.keep([letter(number) for number in range(4)])
        letters = DeadLetters(memory, broker)
        task = asyncio.ensure_future(letters.redrive(Selection(), rate=2))
        sent = []
        for _ in range(3):
            while broker.clock.next_at > broker.clock.now() + 1:  # noqa: ASYNC110  nobody tells
                await asyncio.sleep(0.001)
            sent.append(len(broker.published))
            await advance(broker, 0.5)
        assert sent == [1, 2, 3]
        assert (await task).redriven == 4

    asyncio.run(story())


def test_what_fails_again_meanwhile_is_not_sent_again(
    memory: DeadLetterStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAGE", 1)

    class Boomerang(Broker):
        async def publish_many(
            self,
            messages: Sequence[tuple[Message, Destination]],
            *,
            timeout: float | None = None,  # noqa: ASYNC109
        ) -> list[PublishError | None]:
            for message, _ in messages:
                redriven = message.headers[names.REDRIVEN]
                back = replace(FAILED, message_id=message.id, redriven=redriven, last_failure=900.0)
                memory.keep([back])
            return await super().publish_many(messages)

    async def story() -> None:
        broker = Boomerang()
        memory.keep([letter(1), letter(2)])
        assert (await DeadLetters(memory, broker).redrive(Selection())).redriven == 2
        assert broker.ids == ["m1", "m2"]
        assert {each.state for each in memory.newest(ALL, 9)} == {DEAD}
        assert {each.redriven for each in memory.newest(ALL, 9)} == {1}

    asyncio.run(story())


def test_two_at_once_send_nothing_twice(memory: DeadLetterStore) -> None:
    async def story() -> None:
        broker = Broker()
        memory.keep([letter(number) for number in range(20)])
        letters = DeadLetters(memory, broker)
        await asyncio.gather(letters.redrive(Selection()), letters.redrive(Selection()))
        assert len(broker.ids) == len(set(broker.ids)) == 20

    asyncio.run(story())


def test_an_edited_message_goes_in_place_of_the_dead_one(memory: DeadLetterStore) -> None:
    async def story() -> None:
        broker = Broker()
        memory.keep([FAILED])
        new_id = await DeadLetters(memory, broker).retry("m1", Edit(body=b"mended"))
        ((message, to),) = broker.published
        assert (message.id, message.body) == (new_id, b"mended")
        assert to == Destination("", "commons.Notifications")
        old = memory.get("m1")
        assert (old.state, old.retried_as, old.body) == (RETRIED, new_id, FAILED.body)

    asyncio.run(story())


def test_an_edit_that_cannot_be_sent_changes_nothing(memory: DeadLetterStore) -> None:
    async def story() -> None:
        broker = Broker()
        broker.errors.append(Unroutable("no queue"))
        memory.keep([FAILED])
        with pytest.raises(Unroutable):
            await DeadLetters(memory, broker).retry("m1", Edit())
        assert memory.get("m1") == FAILED

    asyncio.run(story())


def test_sending_needs_a_broker(memory: DeadLetterStore) -> None:
    async def story() -> None:
        memory.keep([FAILED])
        for doing in (DeadLetters(memory).redrive(Selection()), DeadLetters(memory).retry("m1", Edit())):
            with pytest.raises(MessagingError, match="give its URL"):
                await doing

    asyncio.run(story())


# The whole circle


class Shop:
    """Two consumers of one event; the first fails on what it is told to, and says so as subscriptions do."""

    def __init__(self, stage: Stage, store: DeadLetterStore) -> None:
        self.stage = stage
        self.name = f"shop-{uuid4().hex[:8]}"
        self.fails = True
        self.came: dict[str, list[Message]] = {"bills": [], "search": []}
        self.tasks: set[asyncio.Task[None]] = set()
        self.keeper = DeadLetterKeeper(store, f"{self.name}.dead-letters")
        self.letters = DeadLetters(store, stage.broker)

    @property
    def is_busy(self) -> bool:
        return self.keeper.is_busy or bool(self.tasks)

    async def start(self) -> None:
        queues = [f"{self.name}.{consumer}" for consumer in self.came]
        await self.stage.broker.initialize(
            Topology(
                exchanges=(Exchange(self.name, "topic"),),
                queues=tuple(Queue(queue) for queue in queues),
                bindings=tuple(Binding(self.name, queue, "Sold") for queue in queues),
            )
        )
        await self.keeper.start(self.stage.broker)
        for consumer in self.came:
            await self.stage.broker.subscribe(
                f"{self.name}.{consumer}",
                partial(self.receive, consumer),
                prefetch=9,
            )
        self.stage.watch(self)

    def receive(self, consumer: str, arrived: list[Received]) -> None:
        for received in arrived:
            self.came[consumer].append(received.message)
            if consumer == "bills" and self.fails:
                task = asyncio.ensure_future(self.bury(received))
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)
            else:
                received.ack()

    async def bury(self, received: Received) -> None:
        failure = {
            names.CONSUMER: "bills",
            names.QUEUE: received.queue,
            names.ERROR: f"no price for {received.message.id}",
            names.ERROR_CLASS: "LookupError",
            names.ATTEMPTS: 1,
            names.EXCHANGE: received.destination.exchange,
            names.KEY: received.destination.key,
        }
        headers = {**names.carried(received.message.headers), **failure}
        copy = replace(received.message, headers=headers)
        await self.stage.broker.publish(copy, Destination.queue(f"{self.name}.dead-letters"))
        received.ack()


@asynccontextmanager
async def shop(url: str | None, store: DeadLetterStore) -> AsyncIterator[Shop]:
    async with on_stage(url) as stage:
        opened = Shop(stage, store)
        await opened.start()
        yield opened
        await opened.keeper.stop()


def test_dead_redriven_dead_again_redriven_and_handled(mq_url: str | None, memory: DeadLetterStore) -> None:
    async def story() -> None:
        async with shop(mq_url, memory) as it:
            for message_id in ("17", "18"):
                await it.stage.broker.publish(
                    Message(body=b"{}", id=message_id, type="Sold"), Destination(it.name, "Sold")
                )
            await it.stage.comes_true(lambda: it.keeper.kept == 2)
            (group,) = await it.letters.groups()
            assert (group.count, group.returned, group.consumer) == (2, 0, "bills")
            # Redriven while the consumer still fails, both come back to the same group.
            assert (await it.letters.redrive(Selection(group=group.group))).redriven == 2
            await it.stage.comes_true(lambda: len(memory.page(Selection())) == 2 and not it.is_busy)
            (again,) = await it.letters.groups()
            assert (again.group, again.count, again.returned) == (group.group, 2, 2)
            assert {each.attempts for each in memory.page(Selection())} == {2}
            # Redriven after it was mended, they are handled, by that consumer and no other.
            it.fails = False
            assert (await it.letters.redrive(Selection(group=group.group))).redriven == 2
            await it.stage.comes_true(lambda: len(it.came["bills"]) == 6)
            assert len(it.came["search"]) == 2
            last = it.came["bills"][-1]
            assert (last.headers[names.REDRIVEN], last.attempts) == (2, 0)
            assert (last.headers[names.EXCHANGE], last.headers[names.KEY]) == (it.name, "Sold")
            assert await it.letters.groups() == []

    asyncio.run(story())


def test_edited_and_handled(mq_url: str | None, memory: DeadLetterStore) -> None:
    async def story() -> None:
        async with shop(mq_url, memory) as it:
            await it.stage.broker.publish(Message(body=b"{", id="1"), Destination(it.name, "Sold"))
            await it.stage.comes_true(lambda: it.keeper.kept == 1)
            it.fails = False
            new_id = await it.letters.retry("1", Edit(body=b"{}", headers={"mended": "yes"}))
            await it.stage.comes_true(lambda: len(it.came["bills"]) == 2)
            mended = it.came["bills"][-1]
            assert (mended.id, mended.body, mended.headers["mended"]) == (new_id, b"{}", "yes")
            assert mended.headers["x-penstock-retry-of"] == "1"

    asyncio.run(story())
