"""One trace, from where it begins to where it ends, on a real broker."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from opentelemetry import trace as api

from penstock.client import Queue
from penstock.errors import PersistentError, TransientError
from penstock.messaging import Backoff, Destination, Message, Topology
from penstock.messaging.subscriptions import Batching, Consumer, Subscription
from penstock.messaging.tracing import Trace, current_trace, within
from penstock.outbox import Outbox, Relay
from penstock.workers import Job, Routes, Worker
from penstock.workers.form import encode_form
from tests.messaging.brokers import on_stage

if TYPE_CHECKING:
    from pathlib import Path

    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

TRACE = Trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=1")
OTHER = Trace("00-11111111111111111111111111111111-2222222222222222-01")
BILLS = Destination.queue("bills")
DEAD = Destination.queue("dead")
RETRY = Backoff(attempts=1, initial=1, jitter=0)


async def follow(folder: Path, begin: Any) -> list[Trace | None]:
    """A message in an outbox, a handler that fails once and then puts a job, and what the job is part of."""
    engine = sa.create_engine(f"sqlite:///{folder / 'shop.db'}")
    outbox, routes, seen = Outbox(), Routes("receipts"), list[Trace | None]()
    outbox.metadata.create_all(engine)

    @routes.route("/print", retry=RETRY)
    async def print_receipt(job: Job[Any]) -> None:
        seen.append(Trace.maybe_in(job.message.headers))
        raise TransientError("no paper")

    async with on_stage(None) as stage:
        broker = stage.broker
        await broker.initialize(Topology(queues=(Queue("bills"), Queue("dead"))))
        worker = Worker(routes, broker=broker)

        async def pay(message: Message) -> None:
            seen.append(Trace.maybe_in(message.headers))
            if not message.attempts:
                raise TransientError("the bank is closed")
            await worker.jobs.put("receipts", "/print")

        paying = Subscription(
            Consumer(name="paying", queue="bills", handler=pay, retry=RETRY), broker, dead_letters=DEAD
        )
        relay = Relay(outbox, engine, broker)
        stage.watch(worker)
        stage.watch(paying)
        async with worker:
            # Whoever starts it is not what messages come of.
            with within(Trace("00-" + "3" * 32 + "-" + "4" * 16 + "-01")):
                await paying.start()
            with begin, engine.begin() as connection:
                outbox.add(connection, Message(body=b"{}"), to=BILLS)
            await relay.drain()
            await stage.wait(10)
            dead = await broker.fetch("receipts.dead-letters")
            assert dead is not None
            seen.append(dead.trace)
            dead.ack()
            await relay.stop()
            await paying.stop()
    engine.dispose()
    return seen


def test_a_trace_is_carried_through_outbox_retry_worker_and_dead_letter(tmp_path: Path, absent: None) -> None:
    assert set(asyncio.run(follow(tmp_path, within(TRACE)))) == {TRACE}
    assert current_trace() is None


def test_where_spans_are_made_they_are_one_tree(tmp_path: Path, exported: InMemorySpanExporter) -> None:
    order = api.get_tracer("shop").start_as_current_span("order")
    asyncio.run(follow(tmp_path, order))
    spans = exported.get_finished_spans()
    assert len({span.context.trace_id for span in spans}) == 1
    names = {span.context.span_id: span.name for span in spans}
    (job,) = (span for span in spans if span.name == "create receipts")
    first, second = (span for span in spans if span.name == "process bills")
    assert names[parent_of(job)] == "process bills"
    assert parent_of(job) == second.context.span_id
    assert names[parent_of(first)] == names[parent_of(second)] == "create bills"
    assert not first.status.is_ok
    assert second.status.is_unset
    assert sum(span.name == "process receipts" for span in spans) == 2


def parent_of(span: ReadableSpan) -> int:
    assert span.parent is not None
    return span.parent.span_id


def test_a_message_of_no_trace_is_handled_in_none_whoever_has_started_the_handler(absent: None) -> None:
    seen = list[Trace | None]()

    async def pay(_: Message) -> None:
        seen.append(current_trace())

    async def pay_all(_: list[Any]) -> None:
        seen.append(current_trace())

    async def story() -> None:
        async with on_stage(None) as stage:
            await stage.broker.initialize(Topology(queues=(Queue("bills"), Queue("batches"))))
            one = Consumer(name="paying", queue="bills", handler=pay)
            many = Consumer(name="paying", queue="batches", handler=pay_all, batching=Batching(size=2))
            both = [Subscription(each, stage.broker, dead_letters=DEAD) for each in (one, many)]
            with within(TRACE):
                for subscription in both:
                    await subscription.start()
            for trace in (None, OTHER):
                with within(trace):
                    await stage.broker.publish(Message(body=b""), BILLS)
                    await stage.broker.publish(Message(body=b""), Destination.queue("batches"))
                    await stage.broker.publish(Message(body=b""), Destination.queue("batches"))
                    await stage.wait(1)
            for subscription in both:
                await subscription.stop()

    asyncio.run(story())
    assert seen == [None, None, OTHER, OTHER]


@pytest.mark.usefixtures("absent")
def test_what_a_caller_is_told_is_part_of_the_trace_that_he_asked_in() -> None:
    routes = Routes("bills")

    @routes.route("/pay")
    async def pay(job: Job[Any]) -> None:
        if job.content:
            raise PersistentError("no money")

    async def story() -> list[Trace | None]:
        async with on_stage(None) as stage, Worker(routes, broker=stage.broker):
            await stage.broker.initialize(Topology(queues=(Queue("replies"),)))
            with within(TRACE):
                for content in ({}, {"amount": 5}):
                    job = Message(body=encode_form("/pay", content), reply_to="replies")
                    await stage.broker.publish(job, BILLS)
            await stage.wait(1)
            replies = [await stage.broker.fetch("replies") for _ in range(2)]
            return [reply.trace for reply in replies if reply is not None]

    assert asyncio.run(story()) == [TRACE, TRACE]
