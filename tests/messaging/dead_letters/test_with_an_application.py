"""A whole application, its keeper and its dead letters: failed, looked at, mended, redriven, handled."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from uuid import uuid4

import msgspec

from penstock.messaging.application import Application
from penstock.messaging.dead_letters import DeadLetterKeeper, DeadLetters, Selection
from penstock.messaging.events import event
from penstock.messaging.message import Destination, Message
from penstock.messaging.redelivery import RedeliveryHandler, RedeliveryNames
from penstock.messaging.subscriptions import Backoff
from tests.messaging.brokers import on_stage

if TYPE_CHECKING:
    from penstock.messaging.dead_letters import DeadLetterStore


@event("ThreadCreated", version=2)
class ThreadCreated(msgspec.Struct):
    id: int


def test_what_an_application_cannot_handle_is_kept_and_redriven(
    mq_url: str | None, memory: DeadLetterStore
) -> None:
    async def story() -> None:
        async with on_stage(mq_url) as stage:
            name = f"commons-{uuid4().hex[:8]}"
            app = Application(name, broker=stage.broker)
            keeper = DeadLetterKeeper(memory, f"{name}.dead-letters")
            app.attach(keeper)
            stage.watch(keeper)
            is_broken = True
            handled: list[int] = []
            found: list[int] = []

            @app.consumer(ThreadCreated, retry=Backoff(attempts=1, initial=0.0, jitter=0.0))
            async def notifications(thread: ThreadCreated) -> None:
                if is_broken:
                    raise LookupError(f"no thread {thread.id}")
                handled.append(thread.id)

            @app.consumer(ThreadCreated)
            async def search(thread: ThreadCreated) -> None:
                found.append(thread.id)

            async with app:
                for number in (17, 18):
                    await app.publish(ThreadCreated(number))
                # And something that is no such event: no retry, but kept as well.
                strange = Message(body=b"{]", id="strange", type="ThreadCreated", version=2)
                await stage.broker.publish(strange, Destination.queue(f"{name}.notifications"))
                await stage.comes_true(lambda: keeper.kept == 3)
                letters = DeadLetters(memory, stage.broker)
                failed, invalid = await letters.groups()
                assert (failed.consumer, failed.type, failed.count) == (
                    f"{name}.notifications",
                    "ThreadCreated",
                    2,
                )
                assert failed.error_class == "builtins.LookupError"
                letter = (await letters.find(Selection(group=failed.group)))[0]
                assert (letter.version, letter.attempts, letter.queue) == (2, 2, f"{name}.notifications")
                assert (letter.exchange, letter.key) == (name, "ThreadCreated")
                assert "no thread" in letter.trace
                assert letter.reason
                assert invalid.count == 1
                is_broken = False
                done = await letters.redrive(Selection(group=failed.group))
                assert (done.redriven, done.failed) == (2, 0)
                await stage.comes_true(lambda: sorted(handled) == [17, 18])
                assert found == [17, 18]

    asyncio.run(story())


def test_redelivery_is_a_part_of_an_application(mq_url: str | None) -> None:
    async def story() -> None:
        async with on_stage(mq_url) as stage:
            name = f"orb-{uuid4().hex[:8]}"
            handler = RedeliveryHandler(names=RedeliveryNames(name))
            app = Application(name, broker=stage.broker)
            app.attach(handler)
            async with app:
                assert await stage.broker.depth(f"{name}.redelivery") == 0

    asyncio.run(story())
