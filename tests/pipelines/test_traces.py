"""One trace from a publish to a consumer, by way of all that is in between: real broker, database, Spark."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from penstock.client import Queue
from penstock.messaging import Destination, Message, Rejecting, Topology, open_broker
from penstock.messaging.redelivery import RedeliveryHandler, RedeliveryNames, redelivery_topology
from penstock.messaging.subscriptions import Consumer, Subscription
from penstock.messaging.tracing import Trace, current_trace, within
from penstock.outbox import Outbox, Relay
from penstock.pipelines.registering import register
from penstock.pipelines.source.table import drain
from penstock.workers import Job, Routes, Schedules, Worker

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from penstock.messaging import Broker
    from tests.servers.running import Running

TRACE = Trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "shop=1")
#: Real seconds after which something must be wrong.
PATIENCE_S = 120.0


class Shop:
    """Everybody who has the order in hand before Spark does. Each notes which trace it is part of."""

    def __init__(self, name: str, folder: Path) -> None:
        self.names = RedeliveryNames(name)
        self.orders, self.bills, self.jobs, self.rows = (f"{name}-{each}" for each in "objr")
        self.database = f"sqlite:///{folder / 'shop.db'}"
        self.engine = sa.create_engine(self.database)
        self.outbox = Outbox()
        self.outbox.metadata.create_all(self.engine)
        self.seen: list[tuple[str, Trace | None]] = []

    def note(self, who: str) -> None:
        self.seen.append((who, current_trace()))

    async def order(self, _: Message) -> None:
        self.note("ordered")
        with self.engine.begin() as connection:
            self.outbox.add(connection, Message(body=b"bill"), to=Destination.queue(self.bills))

    async def bill(self, _: Message) -> None:
        self.note("billed")
        if self.seen.count(("billed", TRACE)) < 2:
            raise ConnectionError("the bank is closed: the broker redelivers it")
        # With a key: it waits in a database before it is a job.
        await self.worker.jobs.put(self.jobs, "/send", key="parcel 7")

    async def live(self, broker: Broker) -> None:
        """From the order to what Spark is to read."""
        await broker.initialize(redelivery_topology([self.bills], names=self.names))
        await broker.initialize(Topology(queues=(Queue(self.orders), Queue(self.rows))))
        routes, sent = Routes(self.jobs), asyncio.Event()

        @routes.route("/send")
        async def send(job: Job[Any]) -> None:
            self.note("sent")
            await broker.publish(Message(body=b"row"), Destination.queue(self.rows))
            sent.set()

        async with AsyncExitStack() as opened:
            schedules = Schedules(self.database)
            opened.callback(schedules.close)
            self.worker = await opened.enter_async_context(Worker(routes, broker=broker, schedules=schedules))
            redelivery = RedeliveryHandler(names=self.names)
            await redelivery.start(broker)
            opened.push_async_callback(redelivery.stop)
            for queue, handler in ((self.orders, self.order), (self.bills, self.bill)):
                consumer = Consumer(name=queue, queue=queue, handler=handler, retry=Rejecting())
                dead = Destination.queue(self.names.dead_letters)
                subscription = Subscription(consumer, broker, dead_letters=dead)
                await subscription.start()
                opened.push_async_callback(subscription.stop)
            await opened.enter_async_context(Relay(self.outbox, self.engine, broker))
            with within(TRACE):
                await broker.publish(Message(body=b"order"), Destination.queue(self.orders))
            async with asyncio.timeout(PATIENCE_S):
                await sent.wait()


def test_one_trace_goes_through_publish_outbox_redelivery_worker_and_spark(
    spark: SparkSession, penstock_server: Running, name: str, tmp_path: Path
) -> None:
    shop, url, out = Shop(name, tmp_path), penstock_server.url, f"{name}-out"

    async def before() -> None:
        broker = await open_broker(url)
        await broker.initialize(Topology(queues=(Queue(out),)))
        await shop.live(broker)
        await broker.close()

    async def after() -> tuple[bytes, Trace | None]:
        broker = await open_broker(url)
        received = await broker.fetch(out)
        assert received is not None
        received.ack()
        await broker.close()
        return received.body, received.trace

    asyncio.run(before())
    register(spark)
    columns = "traceparent,tracestate"
    with drain(spark, url=url, queue=shop.rows, reader="tests", columns=columns) as rows:
        told = rows.selectExpr("concat(traceparent, ' ', tracestate) AS body", "*")
        told.write.format("penstock").mode("append").options(url=url, routing_key=out).save()
    shop.engine.dispose()

    assert shop.seen == [(who, TRACE) for who in ("ordered", "billed", "billed", "sent")]
    assert asyncio.run(after()) == (" ".join(TRACE).encode(), TRACE)
